import type {ApiEndpoint, KeyFacts} from '../../core/api-key.ts';
import type {JsonObject} from '../../core/json.ts';
import type {KeyPermit, TokenNeed} from '../keys/desk.ts';
import {limitError} from './api-error.ts';
import type {EventStream} from './event-stream.ts';

/** One endpoint of the API. `endpoints.ts` lists them; `answer-request.ts` has the checks, their order, and the headers common to all. */
export type Endpoint<Prepared = unknown> = {
	readonly method: 'GET' | 'POST';
	/** A `{name}` at its end matches the rest of the path, decoded. */
	readonly path: string;
	/** The scope that a key needs; absent when no key is needed. */
	readonly scope?: ApiEndpoint;
	/** Checks the request before anything is spent. @throws ApiError 400, then 404 for a model */
	prepare(request: ApiRequest): Prepared;
	/** Checks whether the key may make this request; called once it may use the endpoint. @throws ApiError 403 */
	readonly permit?: (prepared: Prepared, key: KeyFacts) => void;
	/** What the request needs from the key's budget, as far as known. Absent: nothing, and it does not count towards the key's rate either. */
	readonly need?: (prepared: Prepared) => TokenNeed;
	/** Serves the request. @throws ApiError before anything was sent */
	serve(prepared: Prepared, call: ApiCall): Promise<ApiAnswer>;
};

/** A request with a valid key and a JSON body. */
export type ApiRequest = {
	/** Absent if no key is needed. */
	readonly key: KeyFacts | undefined;
	/** The part of the path matched by `{name}`; empty without one. */
	readonly rest: string;
	/** The body of a POST, which is always an object. */
	readonly body: JsonObject;
	/** Reads a header by its lower-case name. */
	readonly header: (name: string) => string | undefined;
};

/** A request's access to its key's budget. */
export type Spending = {
	/** The maximum tokens of the answer, by the request's need and the budget; `undefined` for no limit. */
	readonly bound: number | undefined;
	/** Replaces what the request holds of the budget; returns the maximum tokens of the answer, `undefined` for no limit. @throws ApiError 429 */
	readonly reserve: (need: TokenNeed) => number | undefined;
	/** Call before the request has used this many tokens in total. @throws ApiError 429 when that is more than is left */
	readonly grow: (tokens: number) => void;
	readonly settle: KeyPermit['settle'];
};

/** The spending of an admitted request. */
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

/** For a request that uses no model. */
export const spendsNothing: Spending = {
	bound: undefined,
	reserve: () => undefined,
	grow() {},
	settle() {},
};

/** The surroundings in which a request is served. */
export type ApiCall = Spending & {
	/** The value of `x-request-id`. */
	readonly requestId: string;
	readonly key: KeyFacts;
	/** Aborts when the client left, the key was revoked, or the gateway stops. */
	readonly signal: AbortSignal;
	readonly header: (name: string) => string | undefined;
	/** Begins a streamed answer; nothing else may be answered then. @param headers in addition to those of every answer */
	stream(headers?: Readonly<Record<string, string>>): EventStream;
};

export type ApiAnswer =
	| {
			readonly json?: unknown;
			/** Text instead of JSON. */
			readonly text?: string;
			readonly contentType?: string;
			readonly headers?: Readonly<Record<string, string>>;
	  }
	/** The answer was streamed. */
	| 'streamed';

/** Checks the types of an endpoint, and erases the type of what `prepare` returns. */
export const endpoint = <Prepared>(one: Endpoint<Prepared>): Endpoint =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `serve` and `need` are only called with what this endpoint's `prepare` returned
	one as Endpoint;
