import {existsSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import type {HomePaths} from '../../config/config.ts';
import type {SharedLogins} from '../../config/shared-home.ts';
import type {Clock} from '../../core/clock.ts';
import {withFileLock} from '../../core/file-lock.ts';
import {makePrivateFolder, readPrivateFile, replacePrivateFile} from './private-file.ts';

/** Longer than a renewing process holds the lock: that takes one bounded request. */
const lockWaitMs = 60_000;

const lockEnding = '.lock';

/** Where a profile's logins are stored: the folder `mcp-tokens/`, or the texts shared by a cluster's members. */
export type LoginStorage = string | SharedLogins;

/** Where a home's logins are stored. */
export const loginPlaceOf = ({
	mcpTokens,
	shared,
}: Pick<HomePaths, 'mcpTokens' | 'shared'>): LoginStorage => shared?.logins ?? mcpTokens;

/** The files of one server's login, by suffix. */
export type LoginShelf = {
	/** The name of a file in messages. */
	nameOf(ending: string): string;
	/** @throws SvcError `login_file_unusable`, `store_key_wrong` */
	read(ending: string): Promise<string | undefined>;
	replace(ending: string, text: string): Promise<void>;
	has(ending: string): boolean;
	remove(ending: string): Promise<void>;
	/**
	 * Runs `task` exclusively among all processes and cluster members. `removes`: also deletes the lock file.
	 *
	 * @throws SvcError `lock_timeout`, `lock_failed`, `login_file_unusable`
	 */
	exclusively<Value>(
		task: () => Promise<Value>,
		options: {readonly clock: Clock; readonly removes?: true},
	): Promise<Value>;
};

/** The files of `server`, whose names begin with `stem`. */
export function loginShelf(
	place: LoginStorage,
	{server, stem}: {readonly server: string; readonly stem: string},
): LoginShelf {
	if (typeof place !== 'string') {
		return sharedShelf(place, {server, stem});
	}

	const file = (ending: string) => join(place, `${stem}${ending}`);
	return {
		nameOf: file,
		read: async ending => readPrivateFile(file(ending)),
		replace: async (ending, text) => replacePrivateFile(file(ending), text),
		has: ending => existsSync(file(ending)),
		// Recursive, so that a folder with the file's name does not prevent deleting the other files.
		remove: async ending => rm(file(ending), {force: true, recursive: true}),
		async exclusively(task, {clock, removes = false}) {
			const lock = file(lockEnding);
			await makePrivateFolder(lock);
			return withFileLock(
				lock,
				async () => {
					const value = await task();
					if (removes) {
						// Deleted last, while the lock is held.
						await rm(lock, {force: true, recursive: true});
					}

					return value;
				},
				{waitMs: lockWaitMs, clock},
			);
		},
	};
}

const sharedShelf = (
	logins: SharedLogins,
	{server, stem}: {readonly server: string; readonly stem: string},
): LoginShelf => ({
	nameOf: ending => `${stem}${ending} in ${logins.name}`,
	read: async ending => logins.read(`${stem}${ending}`),
	replace: async (ending, text) => logins.replace(`${stem}${ending}`, text),
	has: ending => logins.read(`${stem}${ending}`) !== undefined,
	async remove(ending) {
		await logins.remove(`${stem}${ending}`);
	},
	exclusively: async task => logins.exclusively(server, task),
});
