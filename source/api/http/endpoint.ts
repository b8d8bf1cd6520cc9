import type {ApiEndpoint, KeyFacts} from '../../core/api-key.ts';
import type {JsonObject} from '../../core/json.ts';
import type {KeyPermit, TokenNeed} from '../keys/desk.ts';
import {limitError} from './api-error.ts';
import type {EventStream} from './event-stream.ts';

/** One thing that the API does. They are listed in `endpoints.ts`; order, checks and headers of all of them are in `answer-request.ts`. */
export type Endpoint<Prepared = unknown> = {
	readonly method: 'GET' | 'POST';
	/** `{name}` at its end takes all that is left of the path, decoded. */
	readonly path: string;
	/** What a key must be for; absent: no key is needed. */
	readonly scope?: ApiEndpoint;
	/** Checks what is asked for. Nothing was spent yet. @throws ApiError 400, then 404 for a model */
	prepare(request: ApiRequest): Prepared;
	/** Whether the key may do just that; asked when it may use the endpoint. @throws ApiError 403 */
	readonly permit?: (prepared: Prepared, key: KeyFacts) => void;
	/** What it needs of the key's budget, as far as one can tell. Absent: nothing, and no request of the key's minute either. */
	readonly need?: (prepared: Prepared) => TokenNeed;
	/** Does it. @throws ApiError before anything was sent */
	serve(prepared: Prepared, call: ApiCall): Promise<ApiAnswer>;
};

/** A request whose key passes, and whose body is JSON. */
export type ApiRequest = {
	/** Absent where no key is needed. */
	readonly key: KeyFacts | undefined;
	/** What stands for `{name}`; empty without. */
	readonly rest: string;
	/** Of a POST; an object: nothing else gets here. */
	readonly body: JsonObject;
	/** By their names in small letters. */
	readonly header: (name: string) => string | undefined;
};

/** What a request takes from the budget of its key. */
export type Spending = {
	/** How many tokens the answer may be by what the request needs and the budget; `undefined` without a bound. */
	readonly bound: number | undefined;
	/** Holds this of the budget instead of what it held: how many tokens the answer may be, `undefined` without a bound. @throws ApiError 429 */
	readonly reserve: (need: TokenNeed) => number | undefined;
	/** It is about to have used so many tokens in all. @throws ApiError 429 when that is more than is left */
	readonly grow: (tokens: number) => void;
	readonly settle: KeyPermit['settle'];
};

/** Of a request that was admitted. */
export const spendingOf = (permit: KeyPermit): Spending => ({
	bound: permit.bound,
	reserve(need) {
		const reserved = permit.reserve(need);
		if ('refusal' in reserved) {
			throw limitError(reserved.refusal);
		}

		return reserved.bound;
	},
	grow(tokens) {
		const refusal = permit.grow(tokens);
		if (refusal) {
			throw limitError(refusal);
		}
	},
	settle: used => permit.settle(used),
});

/** Of a request that asks no model. */
export const spendsNothing: Spending = {
	bound: undefined,
	reserve: () => undefined,
	grow() {},
	settle() {},
};

/** What a request is served with. */
export type ApiCall = Spending & {
	/** `x-request-id`. */
	readonly requestId: string;
	readonly key: KeyFacts;
	/** Aborts when the client left, the key was revoked, or the gateway stops. */
	readonly signal: AbortSignal;
	readonly header: (name: string) => string | undefined;
	/** Begins an answer that is sent as it comes; nothing else may be answered then. @param headers beside those of every answer */
	stream(headers?: Readonly<Record<string, string>>): EventStream;
};

export type ApiAnswer =
	| {
			readonly json?: unknown;
			/** Instead of JSON. */
			readonly text?: string;
			readonly contentType?: string;
			readonly headers?: Readonly<Record<string, string>>;
	  }
	/** It was sent as it came. */
	| 'streamed';

/** Keeps the type of what `prepare` makes. */
export const endpoint = <Prepared>(one: Endpoint<Prepared>): Endpoint =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `serve` and `need` are given what this one's `prepare` made
	one as Endpoint;
