import {type Clock, sleep} from '../../core/clock.ts';
import {orElse} from '../../core/or-else.ts';

/** How long to wait at each step. */
export const endGraceMs = 1000;
const lookMs = 20;

/** How long the kernel may need to remove a killed group. */
const burialMs = 500;

/**
 * Ends a process group: waits for it to exit, SIGTERM, waits another second, SIGKILL. Nothing survives, so its number may be forgotten then. Takes at most 1.5 s
 * plus `patienceMs`.
 */
export async function endGroup(
	pgid: number,
	{clock, patienceMs}: {readonly clock: Clock; readonly patienceMs: number},
): Promise<void> {
	if (await isGoneWithin(pgid, patienceMs, clock)) {
		return;
	}

	signalGroup(pgid, 'SIGTERM');
	if (await isGoneWithin(pgid, endGraceMs, clock)) {
		return;
	}

	signalGroup(pgid, 'SIGKILL');
	await isGoneWithin(pgid, burialMs, clock);
}

async function isGoneWithin(pgid: number, waitMs: number, clock: Clock): Promise<boolean> {
	const deadline = clock.monotonic() + waitMs;
	while (signalGroup(pgid, 0)) {
		if (clock.monotonic() >= deadline) {
			return false;
		}

		// oxlint-disable-next-line no-await-in-loop -- a pause between two looks
		await sleep(clock, lookMs);
	}

	return true;
}

/** `false` if the group is gone, or belongs to somebody else. */
const signalGroup = (pgid: number, signal: NodeJS.Signals | 0): boolean =>
	orElse(() => process.kill(-pgid, signal), false);
