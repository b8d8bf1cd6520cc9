import {mkdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {withFileLock} from '../core/file-lock.ts';
import {refusePlantedFolder} from '../core/own-files.ts';
import type {HomePaths} from './config.ts';
import {
	readTextFile,
	refuseTooLarge,
	writePrivateFile,
	type EditedText,
	fileText,
	jobsText,
	maxEditedBytes,
} from './text-files.ts';

/** How long an edit waits for the lock of its file, milliseconds. */
export const editLockWaitMs = 10_000;

/** Names of the locks in `run/` under which files are edited. */
export const editLocks = {subscriptions: 'subscriptions.lock', jobs: 'jobs.lock'} as const;

/** The dynamic routes of a home, for editing. */
export const editedSubscriptions = (
	paths: Pick<HomePaths, 'run' | 'shared' | 'subscriptions'>,
): EditedText =>
	paths.shared?.subscriptions ??
	editedFile(paths.subscriptions, {run: paths.run, lock: editLocks.subscriptions});

/** The jobs of a profile, for editing. */
export const editedJobs = (paths: Pick<HomePaths, 'cron' | 'run' | 'shared'>): EditedText =>
	paths.shared?.jobs ?? editedFile(jobsText(paths).name, {run: paths.run, lock: editLocks.jobs});

/** A file that is edited under a lock in `run/`. Its folder is created when missing. */
const editedFile = (
	path: string,
	{run, lock}: {readonly run: string; readonly lock: string},
): EditedText => ({
	...fileText(path),
	async edit(change, {clock}) {
		refusePlantedFolder(run);
		for (const folder of [run, dirname(path)]) {
			mkdirSync(folder, {recursive: true, mode: 0o700});
		}

		return withFileLock(
			join(run, lock),
			async () => {
				const {text, value} = change(readTextFile(path, maxEditedBytes) ?? '');
				if (text !== undefined) {
					refuseTooLarge(path, text, maxEditedBytes);
					await writePrivateFile(path, text);
				}

				return value;
			},
			{waitMs: editLockWaitMs, clock},
		);
	},
});
