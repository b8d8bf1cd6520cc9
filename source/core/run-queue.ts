import {grouped} from './names.ts';

/** The runs that are `queued`, by what they wait for: each is counted once. */
export type RunWaits = {
	/** A worker, or that their route or their job has room. */
	readonly worker: number;
	/** The start that they were promised: their events came above the rate limit of their route. */
	readonly rateLimit: number;
	/** A person who logs in to a tool server. */
	readonly login: number;
	/** The time of their next try. */
	readonly retry: number;
};

/** Places of runs that are at work: turns of chats, and runs that ask a person, take none. */
export type RunPlaces = {readonly taken: number; readonly all: number};

/** The queue of runs at one moment. */
export type RunQueue = {
	readonly waits: RunWaits;
	/** When the run that has waited for a worker for longest was due, milliseconds since 1970; absent: none waits for one. */
	readonly oldestDueAt?: number;
	readonly places: RunPlaces;
};

/** Runs that wait, from which on a person should know: a few do whenever events come together. */
export const longQueue = 10;

const waitText: ReadonlyArray<readonly [keyof RunWaits, string]> = [
	['worker', 'for a worker'],
	['rateLimit', 'for the rate limit'],
	['login', 'for a login'],
	['retry', 'for the next try'],
];

/** How many runs are queued. */
export const queuedOf = (waits: RunWaits): number =>
	waitText.reduce((sum, [key]) => sum + waits[key], 0);

/** `81 for a worker (the oldest for 0:50), 62 for the rate limit`; empty where none waits. `age`: that of the oldest run which waits for a worker. */
export const waitWords = (waits: RunWaits, age?: string): string =>
	waitText
		.flatMap(([key, text]) => {
			const oldest = key === 'worker' && age !== undefined ? ` (the oldest for ${age})` : '';
			return waits[key] > 0 ? [`${grouped(waits[key])} ${text}${oldest}`] : [];
		})
		.join(', ');

/** How long the oldest run has waited for a worker, milliseconds; `undefined` where none waits for one. A clock that was set back counts as no time. */
export const oldestWaitMs = (
	{oldestDueAt}: Pick<RunQueue, 'oldestDueAt'>,
	now: number,
): number | undefined => (oldestDueAt === undefined ? undefined : Math.max(0, now - oldestDueAt));
