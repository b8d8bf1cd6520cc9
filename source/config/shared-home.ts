import type {EditedText} from './text-files.ts';

/** The logins of a profile's tool servers, shared by all members of a cluster: texts by the names that the files in `mcp-tokens/` would have. */
export type SharedLogins = {
	/** The name in messages. */
	readonly name: string;
	/** The text as last read, at most a second ago. @throws SvcError `store_key_wrong` for one that cannot be decrypted */
	read(file: string): string | undefined;
	replace(file: string, text: string): Promise<void>;
	/** `false`: it did not exist. */
	remove(file: string): Promise<boolean>;
	/** Runs `task` while no other member runs one for this server, after reading the changes of others. @throws SvcError `lock_timeout`, `journal_unavailable` */
	exclusively<Value>(server: string, task: () => Promise<Value>): Promise<Value>;
	/** Calls `listener` with the names of changed files, by this member or another, until the returned function is called. */
	subscribe(listener: (file: string) => void): () => void;
};

/** The documents that members of a cluster share in place of files of a profile. @see manual/several-machines.md */
export type SharedHome = {
	readonly subscriptions: EditedText;
	readonly jobs: EditedText;
	/** Absent: each member has its own files. */
	readonly logins?: SharedLogins | undefined;
	/** The shared documents of another profile that the gateway serves. */
	of(profile: string): SharedHome;
};
