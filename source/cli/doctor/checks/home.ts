import {accessSync, constants, existsSync, readdirSync, statSync} from 'node:fs';
import {statfs} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {HomePaths} from '../../../config/config.ts';
import {loosePaths} from '../../../config/loose-files.ts';
import {codeOf, messageOf} from '../../../core/errors.ts';
import {refusePlantedFolder} from '../../../core/own-files.ts';
import {asWord} from '../../../core/shell-words.ts';
import {type Check, failed, type CheckResult, ok, warning} from './check.ts';

const maxShown = 20;

/** The data directory: it exists, belongs to the user, and is closed to others, with all files that may contain secrets. */
export const home: Check = {
	subject: 'home',
	look: ({paths}) => {
		const problem = problemWithHome(paths.home);
		if (problem) {
			return problem;
		}

		const loose = loosePaths({folders: folders.map(name => paths[name]), files: filesOf(paths)});
		return loose.length === 0
			? [ok(`${paths.home}, and only its owner can read its secrets`)]
			: loose
					.slice(0, maxShown)
					.map(({path, mode}) =>
						failed(`other users can get at "${path}"`, `chmod ${mode} ${asWord(path)}`),
					);
	},
};

/** Why the folder is unusable, or does not exist yet. */
function problemWithHome(path: string): CheckResult | undefined {
	try {
		const {uid} = statSync(path);
		refusePlantedFolder(path);
		accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
		const own = process.getuid?.();
		return own === undefined || uid === own
			? undefined
			: failed(
					`"${path}" belongs to another user (${uid})`,
					`chown ${own} ${asWord(path)}, or set SVC_HOME to a folder of your own`,
				);
	} catch (error) {
		return codeOf(error) === 'ENOENT'
			? ok(`${path} is not there yet: the first start makes it`)
			: failed(
					`"${path}" cannot be used: ${messageOf(error)}`,
					'make it a folder that you may read and write, or set SVC_HOME to one',
				);
	}
}

const folders = ['home', 'scripts', 'skills', 'cron', 'run', 'cache', 'logs', 'mcpTokens'] as const;

/** Files that contain secrets, payloads or answers. */
const filesOf = ({cron, cache, logs, mcpTokens, ...paths}: HomePaths): readonly string[] => [
	paths.config,
	paths.env,
	paths.subscriptions,
	paths.markKey,
	...['', '-wal', '-shm'].map(ending => `${paths.stateDb}${ending}`),
	paths.socket,
	...[cron, cache, logs, mcpTokens].flatMap(filesIn),
];

function filesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder, {withFileTypes: true})
			.filter(entry => entry.isFile())
			.map(({name}) => join(folder, name));
	} catch {
		return [];
	}
}

const mib = 1024 ** 2;

/** Free space for the journal. */
export const disk: Check = {
	subject: 'disk',
	async look({paths}) {
		// The folder is created at the first start.
		let folder = paths.home;
		while (!existsSync(folder) && dirname(folder) !== folder) {
			folder = dirname(folder);
		}

		const {bavail, bsize, files, ffree} = await statfs(folder);
		return healthOfDisk({freeBytes: bavail * bsize, files, freeFiles: ffree}, paths.home);
	},
};

/** Pure. */
export function healthOfDisk(
	{
		freeBytes,
		files,
		freeFiles,
	}: {readonly freeBytes: number; readonly files: number; readonly freeFiles: number},
	path: string,
): CheckResult {
	const free =
		freeBytes >= 1024 * mib
			? `${Math.floor(freeBytes / mib / 1024)} GiB`
			: `${Math.floor(freeBytes / mib)} MiB`;
	const found = `${free} free for ${path}`;
	const mend = 'free some, or remove what is old: retention in config.yaml, svc help guarantees';
	// File systems without inode counts report 0 of 0.
	if (freeBytes < 50 * mib || (files > 0 && freeFiles < 100)) {
		return failed(
			files > 0 && freeFiles < 100 ? `no more files fit on the disk of ${path}` : found,
			mend,
		);
	}

	return freeBytes < 512 * mib ? warning(found, mend) : ok(found);
}
