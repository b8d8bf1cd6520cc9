import {isDeepStrictEqual} from 'node:util';
import type {Diagnostic} from '../core/config-view.ts';
import {mayServeInsecure} from '../core/hosts.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {WebhookConfig} from './config.ts';
import {variable, type Environment} from './environment.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {portIn, switchIn, type VariableProblem} from './references.ts';
import {type ReadRoute, resolveRoute} from './resolve-route.ts';
import {insecureSecret, writtenSecrets, type RouteContext} from './route-refusals.ts';
import type {Route, SkippedRoute} from './route.ts';
import {receiverSettings, type RawWebhook} from './schema.ts';

/** The context of the receiver's settings. */
export type ReceiverSurroundings = Pick<
	RouteContext,
	'profile' | 'multiplexProfiles' | 'profiles'
> & {
	readonly environment: Environment;
	/** Unreadable static routes, by name: `resolveRoute` explains them. */
	readonly unread: ReadonlyMap<string, ReadRoute>;
	/** Gives a finding within the static route `name` its position. */
	readonly place: (name: string, finding: UnplacedDiagnostic) => Diagnostic;
	/** Unreadable settings, as in `SortedErrors.receiver`. */
	readonly unreadSettings: ReadonlySet<string>;
	/** The receiver in use. */
	readonly before: WebhookConfig | undefined;
};

const maxNameLength = 128;

/**
 * The receiver's settings by precedence: under `extra`, directly under `platforms.webhook`, in `WEBHOOK_ENABLED`, `WEBHOOK_PORT` and `WEBHOOK_SECRET`, then the defaults.
 * An unreadable setting keeps its value of `before`, if it has one. `problems` are about the variables.
 *
 * @see manual/receiver.md#settings
 */
export function resolveWebhook(
	written: RawWebhook | null | undefined,
	{environment, unread, unreadSettings, before, place, ...serving}: ReceiverSurroundings,
): {
	readonly webhook: WebhookConfig;
	/** Whether all unreadable settings have their last good values in `webhook`, so that it is usable. */
	readonly hasLastValues: boolean;
	/** The last good versions of invalid routes that are still served; not yet in `webhook`. */
	readonly lastRoutes: ReadonlyMap<string, Route>;
	readonly problems: readonly VariableProblem[];
} {
	const {extra, ...direct} = written ?? {};
	const settings = {...direct, ...withoutNothing(extra ?? {})};
	const port = settings.port ?? portIn(environment, 'WEBHOOK_PORT');
	const enabled = settings.enabled ?? switchIn(environment, 'WEBHOOK_ENABLED');
	const problems = [enabled, port].filter(value => typeof value === 'object');
	const last = lastValuesOf(before, [...unreadSettings, ...problems.map(({key}) => key)]);
	const values = {
		...receiverSettings.read({
			...settings,
			enabled: typeof enabled === 'boolean' ? enabled : undefined,
			port: typeof port === 'number' ? port : undefined,
		}),
		switchedOff: enabled === false,
		secrets:
			settings.secret === undefined
				? writtenSecrets(variable(environment, 'WEBHOOK_SECRET'))
				: writtenSecrets(settings.secret),
		...last,
	};
	const {lastRoutes, ...routes} = resolveRoutes(settings.routes, {
		unread,
		place,
		last: before?.routes,
		isServing: servesAlready(before),
		context: {...serving, ...values},
	});
	return {
		lastRoutes,
		webhook: {
			...values,
			...routes,
			...last,
			...(last?.routes && before && {routes: withSecretsOf(values, last.routes, before)}),
		},
		hasLastValues: last !== undefined,
		problems,
	};
}

const servesAlready = (webhook: WebhookConfig | undefined): boolean =>
	webhook?.enabled === true && webhook.refusals.length === 0 && webhook.broken === undefined;

/** The replacement for each unreadable setting, from the receiver in use. */
const lastValues: Readonly<
	Record<keyof typeof receiverSettings.fields, (last: WebhookConfig) => Partial<WebhookConfig>>
> = {
	enabled: ({enabled, switchedOff}) => ({enabled, switchedOff}),
	host: ({host}) => ({host}),
	port: ({port}) => ({port}),
	// The current secret is unreadable: an old one might have been revoked.
	secret: () => ({secrets: []}),
	rate_limit: ({rateLimit}) => ({rateLimit}),
	max_body_bytes: ({maxBodyBytes}) => ({maxBodyBytes}),
	routes: ({routes, refusals, invalid, skipped}) => ({routes, refusals, invalid, skipped}),
};

/** Routes that stay in use, with the present global secrets if they inherit them: a revoked secret must not pass. */
const withSecretsOf = (
	{secrets, host}: Pick<WebhookConfig, 'secrets' | 'host'>,
	routes: WebhookConfig['routes'],
	before: WebhookConfig,
): WebhookConfig['routes'] => {
	const isOpen = secrets.length === 1 && secrets[0] === insecureSecret;
	const access = {
		secrets: isOpen && !mayServeInsecure(host) ? [] : secrets,
		insecure: isOpen && mayServeInsecure(host),
	};
	return secrets === before.secrets || isDeepStrictEqual(secrets, before.secrets)
		? routes
		: new Map(
				[...routes].map(([name, route]) => [
					name,
					// An inheriting route has the same list object.
					route.secrets === before.secrets ? {...route, ...access} : route,
				]),
			);
};

/**
 * The last good values of these settings; absent if there is no usable receiver before, or if the settings are unreadable as a whole or under `extra`, so that it is
 * unknown which are meant.
 */
function lastValuesOf(
	before: WebhookConfig | undefined,
	keys: readonly string[],
): Partial<WebhookConfig> | undefined {
	const known = keys.flatMap(key =>
		isReceiverSetting(key) && before && before.broken === undefined
			? [lastValues[key](before)]
			: [],
	);
	return known.length < keys.length ? undefined : Object.assign({}, ...known);
}

const isReceiverSetting = (key: string): key is keyof typeof receiverSettings.fields =>
	Object.hasOwn(receiverSettings.fields, key);

/** `extra` without keys that have no value; a secret without a value stays, as an empty secret. */
const withoutNothing = (extra: NonNullable<RawWebhook['extra']>): typeof extra =>
	Object.fromEntries(
		Object.entries(extra).filter(([key, value]) => key === 'secret' || value !== null),
	);

function resolveRoutes(
	written: RawWebhook['routes'],
	options: Pick<ReceiverSurroundings, 'unread' | 'place'> & {
		/** The static routes in use. */
		readonly last: ReadonlyMap<string, Route> | undefined;
		/** Whether a receiver serves already: then a refusal of the contract concerns only its route. */
		readonly isServing: boolean;
		readonly context: RouteContext;
	},
): Pick<WebhookConfig, 'routes' | 'refusals' | 'invalid' | 'skipped'> & {
	readonly lastRoutes: ReadonlyMap<string, Route>;
} {
	const {unread, place, last, isServing, context} = options;
	const routes = new Map<string, Route>();
	const lastRoutes = new Map<string, Route>();
	const failures: SkippedRoute[] = [];
	const read = Object.entries(written ?? {}).map(
		([name, raw]) => [name, {raw, findings: []}] as const,
	);
	for (const [name, entry] of [...read, ...unread]) {
		const resolved = resolveRoute(
			{
				name: escapeLine(name, maxNameLength),
				source: 'static',
				...entry,
				place: finding => place(name, finding),
				last: last?.get(name),
			},
			context,
		);
		if (resolved.ok) {
			routes.set(name, resolved.route);
		} else {
			// Otherwise one route would hold back the rest of an edit, which may close what is open.
			failures.push(
				...resolved.refusals.map(refusal =>
					isServing && refusal.kind === 'refused'
						? {...refusal, kind: 'invalid' as const}
						: refusal,
				),
			);
			if (resolved.last) {
				lastRoutes.set(name, resolved.last);
			}
		}
	}

	const ofKind = (wanted: SkippedRoute['kind']) => failures.filter(({kind}) => kind === wanted);
	return {
		routes,
		lastRoutes,
		refusals: ofKind('refused'),
		invalid: ofKind('invalid'),
		skipped: ofKind('not-served'),
	};
}

/** A receiver with unreadable settings, which is refused whatever the defaults are. */
export const brokenWebhook = (broken: string): WebhookConfig => ({
	...receiverSettings.read({}),
	switchedOff: false,
	secrets: [],
	routes: new Map(),
	refusals: [],
	invalid: [],
	skipped: [],
	broken,
});
