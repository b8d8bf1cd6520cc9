import {join} from 'node:path';
import type {Clock} from '../core/clock.ts';
import type {HomePaths} from './config.ts';
import {stampOf, type FileStamp, readTextFile} from './read-text-file.ts';

/** A longer text is neither read nor written. */
export const maxEditedBytes = 4 * 1024 * 1024;

/** A text that people and programs edit: a file of the home, or rows of a database that are read as if they were that file. */
export type EditedText = {
	/** What messages call it: the path, or the database. */
	readonly name: string;
	/** Another one when the text must be read again. Never throws. */
	stamp(): FileStamp;
	/** The current text; `undefined` if missing. @throws SvcError `file_unreadable`, `file_too_large`; `journal_unavailable` while the rows were never read */
	read(): string | undefined;
	/**
	 * Puts what `change` makes of the text in its place, while other writers wait; without a `text` nothing is written. `change` gets an empty text where there is none, may throw, then
	 * nothing is written, and may be called again when a row was changed meanwhile.
	 *
	 * @throws SvcError `file_too_large`, `lock_timeout`; of rows `document_changed`, `journal_unavailable`, `store_key_wrong`
	 */
	edit<Value>(
		change: (text: string) => TextChange<Value>,
		world: {readonly clock: Clock},
	): Promise<Value>;
};

/** What becomes of a text, and what the caller wants to know of it. */
export type TextChange<Value> = {readonly text?: string; readonly value: Value};

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

/** The dynamic routes of a home, to be read. */
export const subscriptionsText = ({
	subscriptions,
	shared,
}: Pick<HomePaths, 'shared' | 'subscriptions'>): Omit<EditedText, 'edit'> =>
	shared?.subscriptions ?? fileText(subscriptions);

/** The jobs of a profile, to be read. */
export const jobsText = ({
	cron,
	shared,
}: Pick<HomePaths, 'cron' | 'shared'>): Omit<EditedText, 'edit'> =>
	shared?.jobs ?? fileText(join(cron, 'jobs.json'));

/** A file as it is now. */
export const fileText = (path: string): Omit<EditedText, 'edit'> => ({
	name: path,
	stamp: () => stampOf(path),
	read: () => readTextFile(path, maxEditedBytes),
});
