import type {ApiKey} from '../../core/api-key.ts';
import type {RouteKey} from '../port.ts';

/**
 * Rates and concurrency limits, counted over all gateways on one store. The limit of concurrent runs of a route is not here: it is a parameter of `Runs.lease`.
 * Nothing of it is durable: an adapter for one process keeps it in memory. The rest is derived from durable rows: promised starts from the runs that wait for them, what keys
 * have used from `StoredKeys.add`.
 */
export type Limits = {
	readonly windows: RateWindows;
	readonly paces: Paces;
	readonly keys: KeyLimits;
};

export type RateVerdict = {
	readonly ok: boolean;
	/** Requests of this window, this one included. */
	readonly count: number;
	/** Whole seconds until the next window, at least 1. */
	readonly retryAfterSeconds: number;
};

/** How much of a rate is used now. Milliseconds from now. */
export type RateUse = {
	readonly used: number;
	/** When it begins anew; 0: nothing is used. */
	readonly endsInMs: number;
	/** The latest promised start; absent: a new event starts at once. */
	readonly promisedInMs?: number;
};

/** Fixed windows of one minute per route. A window starts with the first request after the last one ended. @see manual/receiver.md#above-the-rate */
export type RateWindows = {
	/** Counts one request to `route`; at most `limit` pass in a minute. */
	take(route: RouteKey, limit: number): Promise<RateVerdict>;
	/** What was used of the window that runs now; counts nothing. */
	used(route: RouteKey): Promise<RateUse>;
};

/** A start that was promised to one event: kept when the event was accepted, given back when it was not. */
export type Promised = {
	/** Milliseconds from now; 0: at once. */
	readonly inMs: number;
	keep(): Promise<void>;
	giveBack(): Promise<void>;
};

/**
 * When events of `overflow: queue` routes start. A promise that is given back is used again unless a later one was kept; then its place stays empty, so that no event overtakes another. A start that was
 * promised before the store was opened, and has not come yet, counts: new events start behind it.
 *
 * @see manual/receiver.md#above-the-rate
 */
export type Paces = {
	/** Takes a start now. Its number in this minute; `undefined` when the next one is later. */
	enter(route: RouteKey, limit: number): Promise<number | undefined>;
	/** What was used of the minute that runs now; takes nothing. */
	used(route: RouteKey, limit: number): Promise<RateUse>;
	/** Promises the next start. */
	promise(route: RouteKey, limit: number): Promise<Promised>;
};

export type KeyLimited = {
	readonly kind: 'rpm' | 'parallel';
	readonly most: number;
	readonly retryMs: number;
};

/**
 * Requests of the keys of the chat API, by `KeyRecord.id`. A request waits once, before it begins; from then on everything is answered synchronously: the next piece of a stream must not leave
 * before its tokens are held, and a promise for each piece would cost more than the piece. What other gateways have under way and hold is known exactly while a request is let in, and as it was a second ago afterwards.
 */
export type KeyLimits = {
	/**
	 * Takes one place and one request of the minute, and holds the tokens that `claim` returns; or says after how many milliseconds to try again. `claim` is called once `held` is exact, perhaps several times, and the last result counts; `undefined` denies, and nothing is taken.
	 * @throws SvcError `journal_unavailable`
	 */
	take(
		id: string,
		key: Pick<ApiKey, 'rpm' | 'parallel'>,
		claim?: () => number | undefined,
	): Promise<{readonly kind: 'taken' | 'denied'} | KeyLimited>;
	/** Gives the place of a request back. Other gateways count the `used` tokens as held until they can read them in `StoredKeys`. */
	release(id: string, used: number): void;
	/** Requests that are left in the minute, and the milliseconds until all are, as far as is known here. */
	left(id: string, rpm: number): {readonly requests: number; readonly resetMs: number};
	/** Tokens of its budget that requests under way hold, at all gateways. */
	held(id: string): number;
	/** Holds `tokens` more for a request that has a place; fewer when negative. Not bounded here: the caller knows the budget and the usage. */
	hold(id: string, tokens: number): void;
	/** There is no such key any more. */
	forget(id: string): void;
};
