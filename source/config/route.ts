import type {RouteView} from '../core/config-view.ts';
import type {JsonObject, JsonValue} from '../core/json.ts';

/**
 * One entry of `filters`: operators on `field` that must all hold, or a group. Already checked: the shapes are right and
 * every `regex` compiles on the linear engine.
 *
 * @see Interface 2.6
 */
export type FilterSpec = {
	readonly field?: string;
	readonly exists?: boolean;
	readonly missing?: boolean;
	readonly equals?: JsonValue;
	readonly not_equals?: JsonValue;
	readonly contains?: JsonValue;
	readonly in?: readonly JsonValue[];
	/** Path as written; relative ones resolve in the profile's home. */
	readonly in_file?: string;
	readonly regex?: string;
	readonly all?: readonly FilterSpec[];
	readonly any?: readonly FilterSpec[];
	readonly not?: FilterSpec | readonly FilterSpec[];
};

/**
 * A route as the receiver uses it: defaults filled in, secrets resolved, refusals already applied.
 *
 * @see Interface 2.5
 */
export type Route = {
	readonly name: string;
	/** `default`: the profile of this gateway, whatever its name. */
	readonly profile: string;
	readonly source: 'static' | 'dynamic';
	readonly description: string;
	/** Empty: every event. */
	readonly events: readonly string[];
	/** Any of them passes; never empty. Own ones, else the global one. */
	readonly secrets: readonly string[];
	/** The secret is the literal `INSECURE_NO_AUTH`: signatures are not looked at. */
	readonly insecure: boolean;
	/** Absent: the whole payload is dumped. */
	readonly prompt?: string;
	readonly filters: readonly FilterSpec[];
	/** As written; resolved and contained by the receiver when it runs. */
	readonly script?: string;
	readonly scriptTimeoutMs: number;
	readonly retryOnScriptFailure: boolean;
	readonly skills: readonly string[];
	readonly toolsets?: readonly string[];
	/** `log`, `forge_comment`, or a platform's name (aliases resolved). */
	readonly deliver: string;
	/** Strings are templates; rendered per event. */
	readonly deliverExtra: JsonObject;
	readonly deliverOnly: boolean;
	readonly mirrorToSession: boolean;
	/** Requests per minute. */
	readonly rateLimit: number;
	readonly maxBodyBytes: number;
	/** A byte-identical body within the hour is a duplicate too. */
	readonly dedupeBody: boolean;
};

/** An entry that is not served, and why. */
export type SkippedRoute = {
	readonly name: string;
	readonly source: 'static' | 'dynamic';
	/** Stable name of the reason. */
	readonly code: string;
	/** One sentence for a person; names the route, holds no secret. */
	readonly reason: string;
	/** What can be shown of it; `problem` is the reason. */
	readonly view: RouteView;
};
