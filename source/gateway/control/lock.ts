import {closeSync, constants, openSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import type {HomePaths} from '../../config/config.ts';
import {basePaths} from '../../config/home-paths.ts';
import {every} from '../../core/clock.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {createLockWatch, lockFile} from '../../core/file-lock.ts';
import {isJsonObject} from '../../core/json.ts';
import {lockHolder} from '../../core/lock-holder.ts';
import {orElse} from '../../core/or-else.ts';
import {ownFileFlags} from '../../core/own-files.ts';
import type {World} from '../../core/world.ts';
import {callControl} from './control-client.ts';
import {isAnswered} from './control-socket.ts';

/** How often the lock file and the control socket are checked at their paths, milliseconds. */
const lookMs = 5000;

/** How long the process behind the control socket may take to identify itself, milliseconds. */
const sayMs = 2000;

/**
 * Locks the home for this process. The kernel releases the lock however the process ends; the pid file beside it only informs people. `watch` writes that file, so that a
 * gateway refused later in its start does not overwrite another gateway's.
 *
 * @throws SvcError `gateway_running` naming the process that holds it
 */
export function lockHome(paths: HomePaths) {
	const {home, pidFile, lockFile: path} = paths;
	const lock = lockFile(path, {within: home});
	if (!lock) {
		throw isRunning(paths, holderOf(paths));
	}

	let isWritten = false;
	return {
		/**
		 * Writes the pid file. Every five seconds restores it and the lock file if they were removed, and logs that. `whileHeld` is called at each check that finds the home still
		 * locked; it must not reject.
		 *
		 * @throws SvcError `home_unusable` when the pid file cannot be written
		 */
		watch({
			clock,
			log,
			whileHeld,
		}: Pick<World, 'clock' | 'log'> & {readonly whileHeld?: () => Promise<void>}): Disposable {
			writePid(pidFile);
			isWritten = true;
			const watchLock = createLockWatch(lock, {path, within: home, log});
			const stop = every(clock, lookMs, async () => {
				if (watchLock()) {
					keepPid(pidFile);
					await whileHeld?.();
				}
			});
			return {[Symbol.dispose]: stop};
		},
		[Symbol.dispose]() {
			if (isWritten && runningPid(paths) === process.pid) {
				rmSync(pidFile, {force: true});
			}

			lock[Symbol.dispose]();
		},
	};
}

/** @throws SvcError `home_unusable` */
function writePid(pidFile: string): void {
	try {
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
		const file = openSync(pidFile, flags | ownFileFlags(pidFile), 0o600);
		try {
			writeFileSync(file, `${process.pid}\n`);
		} finally {
			closeSync(file);
		}
	} catch (error) {
		if (error instanceof SvcError) {
			throw error;
		}

		throw new SvcError(
			'home_unusable',
			`Cannot write "${pidFile}" (${messageOf(error)}): make room on the disk, or the file writable for this user`,
			{cause: error},
		);
	}
}

function keepPid(pidFile: string): void {
	if (runningPid({pidFile}) !== process.pid) {
		try {
			writePid(pidFile);
		} catch {
			// The pid file only informs people; the lock does not need it.
		}
	}
}

/**
 * Makes sure that no process answers on the control socket: it would be serving this home, even if its lock is gone.
 *
 * @throws SvcError `gateway_running`
 */
export async function refuseAnswered(paths: HomePaths): Promise<void> {
	if (await isAnswered(paths.socket)) {
		throw isRunning(paths, await pidOnSocket(paths));
	}
}

/** The pid of the process behind the socket; `undefined` when it does not answer. */
async function pidOnSocket({socket}: HomePaths): Promise<number | undefined> {
	try {
		const status = await callControl(socket, '/v1/status', {silenceMs: sayMs});
		const pid = isJsonObject(status) ? status['pid'] : undefined;
		return typeof pid === 'number' ? pid : undefined;
	} catch {
		return undefined;
	}
}

/** Says which process holds the home, and what to do. A gateway of the home above serves its profiles, and should not be ended for one of them. */
function isRunning(paths: HomePaths, pid: number | undefined): SvcError {
	const {home, profile} = paths;
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

/** The process that holds the lock: the number in the pid file may be stale, that of the lock is not. */
const holderOf = (paths: HomePaths): number | undefined =>
	lockHolder(paths.lockFile) ?? runningPid(paths);

/** The number in the pid file. It may be stale: only the lock says whether a gateway runs. */
export function runningPid({pidFile}: Pick<HomePaths, 'pidFile'>): number | undefined {
	const pid = orElse(() => Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 0);
	return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}
