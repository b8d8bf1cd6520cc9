import type {Diagnostic, RouteView} from '../core/config-view.ts';
import type {JsonValue} from '../core/json.ts';
import type {routeSettings} from './route-schema.ts';
import type {SignatureForm} from './senders/sender.ts';
import type {SenderName} from './senders/senders.ts';

/**
 * One entry of `filters`: operators on `field` that must all hold, or a group. Already checked: the shapes are right and
 * every `regex` compiles on the linear engine.
 *
 * @see manual/filters-and-templates.md#filters
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
 * How a sender signs, when its headers do not say: a preset of the contract's neighbours, or a scheme of one's own.
 *
 * @see manual/signatures.md#the-signature-of-a-route
 */
export type SignatureSpec =
	/** `header`: in place of the sender's own. */
	| {readonly kind: SenderName; readonly header?: string}
	| ({readonly kind: 'custom'} & SignatureForm);

/** A secret that a rotation replaced. @see manual/routes.md#rotate-a-secret */
export type RetiredSecret = {
	readonly secret: string;
	/** It passes until then, milliseconds since 1970; afterwards it only explains refusals. */
	readonly until: number;
};

/**
 * A route as the receiver uses it: what its settings say, defaults filled in, secrets resolved, refusals already applied.
 *
 * @see manual/routes.md#keys
 */
export type Route = ReturnType<typeof routeSettings.read> & {
	readonly name: string;
	/** `default`: the profile of this gateway, whatever its name. Another one is reached only below `/p/<profile>/`. */
	readonly profile: string;
	readonly source: 'static' | 'dynamic';
	/** Any of them passes; never empty. Own ones, else the global one. */
	readonly secrets: readonly string[];
	/** Secrets that a rotation replaced, also those whose time is over. */
	readonly retiredSecrets: readonly RetiredSecret[];
	/** The secret is the literal `INSECURE_NO_AUTH`: signatures are not looked at. */
	readonly insecure: boolean;
};

/**
 * Why an entry is not served. `refused`: the contract refuses the whole receiver for it. `invalid`: something else is wrong with it; it answers 503 unless its last good version still
 * serves. `not-served`: it is bound to a profile that this gateway does not serve. `shadowed`: a static route has its name.
 *
 * @see manual/routes.md#keys
 */
export type SkipKind = 'refused' | 'invalid' | 'not-served' | 'shadowed';

/** An entry that is not served as it is written, and one reason why. */
export type SkippedRoute = {
	readonly name: string;
	readonly source: 'static' | 'dynamic';
	readonly kind: SkipKind;
	/** The profile that it is bound to; absent where that cannot be read. */
	readonly profile?: string;
	/** Stable name of the reason. */
	readonly code: string;
	/** One sentence for a person; names the route, holds no secret. */
	readonly reason: string;
	/** The same, with the place. */
	readonly problem: Diagnostic;
	/** What can be shown of it; `problem` is the reason with its place. */
	readonly view: RouteView;
};
