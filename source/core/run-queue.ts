import {grouped} from './names.ts';

/** Numbers of `queued` runs by the reason why they wait; each run is counted once. */
export type RunWaits = {
	/** Runs that wait for a worker, or for room in their route or job. */
	readonly worker: number;
	/** Runs that wait for their promised start, since their events exceeded the rate limit of the route. */
	readonly rateLimit: number;
	/** Runs that wait for a login to a tool server. */
	readonly login: number;
	/** Runs that wait for their next try. */
	readonly retry: number;
};

/** Worker slots. Turns of chats, and runs that wait for an approval, take none. */
export type RunPlaces = {readonly taken: number; readonly all: number};

/** The queue of runs at one moment. */
export type RunQueue = {
	readonly waits: RunWaits;
	/** Due time of the run that has waited longest for a worker, milliseconds since 1970; absent: no run waits. */
	readonly oldestDueAt?: number;
	readonly places: RunPlaces;
};

/** Number of waiting runs from which a notice is shown; a few wait whenever events arrive together. */
export const longQueue = 10;

const waitText: ReadonlyArray<readonly [keyof RunWaits, string]> = [
	['worker', 'for a worker'],
	['rateLimit', 'for the rate limit'],
	['login', 'for a login'],
	['retry', 'for the next try'],
];

/** The number of queued runs. */
export const queuedOf = (waits: RunWaits): number =>
	waitText.reduce((sum, [key]) => sum + waits[key], 0);

/** `81 for a worker (the oldest for 0:50), 62 for the rate limit`; empty without waiting runs. `age`: the wait of the oldest run that waits for a worker. */
export const waitWords = (waits: RunWaits, age?: string): string =>
	waitText
		.flatMap(([key, text]) => {
			const oldest = key === 'worker' && age !== undefined ? ` (the oldest for ${age})` : '';
			return waits[key] > 0 ? [`${grouped(waits[key])} ${text}${oldest}`] : [];
		})
		.join(', ');

/** Longest wait for a worker, milliseconds; `undefined`: no run waits. Never negative, even if the clock was set back. */
export const oldestWaitMs = (
	{oldestDueAt}: Pick<RunQueue, 'oldestDueAt'>,
	now: number,
): number | undefined => (oldestDueAt === undefined ? undefined : Math.max(0, now - oldestDueAt));
