import {type Clock, sleep} from '../../core/clock.ts';
import {orElse} from '../../core/or-else.ts';

/** How long each step of the ladder is given. */
export const endGraceMs = 1000;
const lookMs = 20;

/** What a killed group may still need until the kernel has buried it. */
const burialMs = 500;

/**
 * Ends a process group: waits for it to go by itself, SIGTERM, another second, SIGKILL, which nothing escapes: afterwards its number may be forgotten. Takes
 * 1.5 s and `patienceMs` at most.
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

/** `false` when the group is gone, or not ours to signal. */
const signalGroup = (pgid: number, signal: NodeJS.Signals | 0): boolean =>
	orElse(() => process.kill(-pgid, signal), false);
