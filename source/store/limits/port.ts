import type {ApiKey} from '../../core/api-key.ts';
import type {RouteKey} from '../port.ts';

/**
 * Rates and concurrency limits, counted over all gateways on one store. The limit of a route's concurrent runs is instead a parameter of `Runs.lease`. None of it is stored
 * durably: an adapter for one process keeps it in memory. What must survive is derived from durable rows: promised starts from the waiting runs, usage of keys from
 * `StoredKeys.add`.
 */
export type Limits = {
	readonly windows: RateWindows;
	readonly paces: Paces;
	readonly keys: KeyLimits;
};

export type RateVerdict = {
	readonly ok: boolean;
	/** Requests in this window, including this one. */
	readonly count: number;
	/** Whole seconds until the next window, at least 1. */
	readonly retryAfterSeconds: number;
};

/** How much of a rate is used. Times are milliseconds from now. */
export type RateUse = {
	readonly used: number;
	/** When the window ends; 0 when nothing is used. */
	readonly endsInMs: number;
	/** The latest promised start; absent when a new event would start at once. */
	readonly promisedInMs?: number;
};

/** Fixed windows of one minute per route. A window starts with the first request after the last window ended. @see manual/receiver.md#above-the-rate */
export type RateWindows = {
	/** Counts one request to `route`; allows `limit` per minute. */
	take(route: RouteKey, limit: number): Promise<RateVerdict>;
	/** The use of the current window; counts nothing. */
	used(route: RouteKey): Promise<RateUse>;
};

/** A start promised to one event: call `keep` when the event was accepted, `giveBack` when it was not. */
export type Promised = {
	/** Milliseconds from now; 0 for at once. */
	readonly inMs: number;
	keep(): Promise<void>;
	giveBack(): Promise<void>;
};

/**
 * Start times of events on routes with `overflow: queue`. A promise given back is reused unless a later one was kept; in that case its place stays empty, so that no event
 * overtakes another. Starts promised before the store was opened still count: new events start after them.
 *
 * @see manual/receiver.md#above-the-rate
 */
export type Paces = {
	/** Takes a start now. Resolves with its number in this minute; `undefined` when the next start is later. */
	enter(route: RouteKey, limit: number): Promise<number | undefined>;
	/** The use of the current minute; takes nothing. */
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
 * Requests of chat API keys, by `KeyRecord.id`. A request waits once, before it begins; afterwards all calls are synchronous: a stream's next piece must not leave before
 * its tokens are held, and a promise would cost more than the piece. What other gateways have under way and hold is exact while a request is admitted, and up to a second
 * old afterwards.
 */
export type KeyLimits = {
	/**
	 * Takes one place and one request of the minute, and holds the tokens that `claim` returns; or says after how many milliseconds to retry. `claim` is called once `held` is
	 * exact, perhaps several times, and its last result counts; `undefined` denies, and nothing is taken.
	 *
	 * @throws SvcError `journal_unavailable`
	 */
	take(
		id: string,
		key: Pick<ApiKey, 'rpm' | 'parallel'>,
		claim?: () => number | undefined,
	): Promise<{readonly kind: 'taken' | 'denied'} | KeyLimited>;
	/** Frees the place of a request. Other gateways count its `used` tokens as held until they can read them in `StoredKeys`. */
	release(id: string, used: number): void;
	/** The requests left in the minute, and the milliseconds until all are available again, as far as known here. */
	left(id: string, rpm: number): {readonly requests: number; readonly resetMs: number};
	/** Tokens of the key's budget held by requests under way at all gateways. */
	held(id: string): number;
	/** Holds `tokens` more for an admitted request; negative to hold fewer. Not checked here: the caller knows the budget and the usage. */
	hold(id: string, tokens: number): void;
	/** The key no longer exists. */
	forget(id: string): void;
};
