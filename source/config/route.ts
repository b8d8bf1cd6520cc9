import type {Diagnostic, RouteView} from '../core/config-view.ts';
import type {JsonValue} from '../core/json.ts';
import type {routeSettings} from './route-schema.ts';
import type {SignatureForm} from './senders/sender.ts';
import type {SenderName} from './senders/senders.ts';

/**
 * One entry of `filters`: operators on `field` that must all hold, or a group. Already checked: its form is valid and every `regex` compiles on the linear engine.
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
 * The signature of a sender that its headers do not identify: a preset for a known sender, or a custom scheme.
 *
 * @see manual/signatures.md#the-signature-of-a-route
 */
export type SignatureSpec =
	/** `header`: replaces the header of the preset. */
	| {readonly kind: SenderName; readonly header?: string}
	| ({readonly kind: 'custom'} & SignatureForm);

/** A secret that a rotation replaced. @see manual/routes.md#rotate-a-secret */
export type RetiredSecret = {
	readonly secret: string;
	/** The secret passes until then, milliseconds since 1970; afterwards it only explains refusals. */
	readonly until: number;
};

/**
 * A checked route as the receiver uses it: settings with defaults, secrets with references resolved.
 *
 * @see manual/routes.md#keys
 */
export type Route = ReturnType<typeof routeSettings.read> & {
	readonly name: string;
	/** `default` for the profile of this gateway, even if that is a named one. Routes of other profiles are reached only below `/p/<profile>/`. */
	readonly profile: string;
	readonly source: 'static' | 'dynamic';
	/** Secrets, each of which passes; never empty. Those of the route, else the global ones. */
	readonly secrets: readonly string[];
	/** Secrets that a rotation replaced, including ended ones. */
	readonly retiredSecrets: readonly RetiredSecret[];
	/** The secret is `INSECURE_NO_AUTH`: signatures are not checked. */
	readonly insecure: boolean;
};

/**
 * Why an entry is not served. `refused`: the contract refuses the whole receiver because of it. `invalid`: another error; it answers 503 unless its last good version is
 * served. `not-served`: it is bound to a profile that this gateway does not serve. `shadowed`: a static route has its name.
 *
 * @see manual/routes.md#keys
 */
export type SkipKind = 'refused' | 'invalid' | 'not-served' | 'shadowed';

/** An entry that is not served as written, with one reason. */
export type SkippedRoute = {
	readonly name: string;
	readonly source: 'static' | 'dynamic';
	readonly kind: SkipKind;
	/** The profile to which it is bound; absent if that is unreadable. */
	readonly profile?: string;
	/** Stable name of the reason. */
	readonly code: string;
	/** One sentence for a person; names the route, holds no secret. */
	readonly reason: string;
	/** The reason with its position. */
	readonly problem: Diagnostic;
	/** The readable part of the entry for faces; `problem` is the reason with its position. */
	readonly view: RouteView;
};
