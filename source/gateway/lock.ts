import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import type {HomePaths} from '../config/config.ts';
import {basePaths} from '../config/home-paths.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import {lockFile} from '../core/file-lock.ts';

/**
 * Takes the home for this process. The lock is the kernel's: it goes with the process, however that ends; the pid file beside it only
 * tells people who it is.
 *
 * @throws SvcError `gateway_running` naming the process that holds it; `home_unusable` when the pid file cannot be written, then nobody holds the home
 */
export function lockHome(paths: HomePaths): Disposable {
	const {pidFile} = paths;
	const lock = lockFile(paths.lockFile);
	if (!lock) {
		throw isRunning(paths);
	}

	try {
		writeFileSync(pidFile, `${process.pid}\n`, {mode: 0o600});
	} catch (error) {
		lock[Symbol.dispose]();
		throw new SvcError(
			'home_unusable',
			`Cannot write "${pidFile}" (${messageOf(error)}): make room on the disk, or the file writable for this user`,
			{cause: error},
		);
	}

	return {
		[Symbol.dispose]() {
			rmSync(pidFile, {force: true});
			lock[Symbol.dispose]();
		},
	};
}

/** Who holds the home, and what to do: a gateway of the home above serves its profiles, and is not to be ended for one of them. */
function isRunning(paths: HomePaths): SvcError {
	const {home, profile} = paths;
	const pid = runningPid(paths);
	const base = basePaths(paths);
	const advice =
		base && pid !== undefined && runningPid(base) === pid
			? `, that of "${base.home}", which serves profile "${profile}" too; leave out "-p ${profile}"`
			: '; attach with "svc" or end it with "svc gateway stop"';
	return new SvcError(
		'gateway_running',
		`Cannot start a second gateway for "${home}": process ${pid ?? '(unknown)'} runs one already${advice}`,
	);
}

/** The number in the pid file. It may be stale: only the lock says whether a gateway runs. */
export function runningPid({pidFile}: Pick<HomePaths, 'pidFile'>): number | undefined {
	try {
		const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
		return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
	} catch {
		return undefined;
	}
}
