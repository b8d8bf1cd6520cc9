import type {EditedText} from './text-files.ts';

/** Where the logins of a profile's tool servers are kept for all members: what would be files of `mcp-tokens/`, by their names. */
export type SharedLogins = {
	/** What messages call it. */
	readonly name: string;
	/** As of the last look, which is at most a second ago. @throws SvcError `store_key_wrong` for one that cannot be decrypted */
	read(file: string): string | undefined;
	replace(file: string, text: string): Promise<void>;
	/** `false`: there was none. */
	remove(file: string): Promise<boolean>;
	/** Runs `task` while no other member runs one for this server, after a look at what the others wrote. @throws SvcError `lock_timeout`, `journal_unavailable` */
	exclusively<Value>(server: string, task: () => Promise<Value>): Promise<Value>;
	/** Calls `listener` with the names of files that were changed, by this member or another, until the way out is called. */
	subscribe(listener: (file: string) => void): () => void;
};

/** What the members of a cluster share in place of files of a profile. @see manual/several-machines.md */
export type SharedHome = {
	readonly subscriptions: EditedText;
	readonly jobs: EditedText;
	/** Absent: each member keeps its files. */
	readonly logins?: SharedLogins | undefined;
	/** The same of another profile that the gateway serves. */
	of(profile: string): SharedHome;
};
