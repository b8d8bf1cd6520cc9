import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import type {HomePaths} from '../config/config.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import {lockFile} from '../core/file-lock.ts';

/**
 * Takes the home for this process. The lock is the kernel's: it goes with the process, however that ends; the pid file beside it only
 * tells people who it is.
 *
 * @throws SvcError `gateway_running` naming the process that holds it; `home_unusable` when the pid file cannot be written, then nobody holds the home
 */
export function lockHome({lockFile: path, pidFile, home}: HomePaths): Disposable {
	const lock = lockFile(path);
	if (!lock) {
		const pid = runningPid({pidFile});
		throw new SvcError(
			'gateway_running',
			`Cannot start a second gateway for "${home}": process ${pid ?? '(unknown)'} runs one already; attach with "svc" or end it with "svc gateway stop"`,
		);
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

/** The number in the pid file. It may be stale: only the lock says whether a gateway runs. */
export function runningPid({pidFile}: Pick<HomePaths, 'pidFile'>): number | undefined {
	try {
		const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
		return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
	} catch {
		return undefined;
	}
}
