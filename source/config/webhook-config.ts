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

/** What the receiver's settings are read in. */
export type ReceiverSurroundings = Pick<
	RouteContext,
	'profile' | 'multiplexProfiles' | 'profiles'
> & {
	readonly environment: Environment;
	/** Static routes that could not be read, by name: `resolveRoute` says what that means. */
	readonly unread: ReadonlyMap<string, ReadRoute>;
	/** Gives a finding inside the static route `name` its place. */
	readonly place: (name: string, finding: UnplacedDiagnostic) => Diagnostic;
	/** Settings that cannot be read, as `SortedErrors.receiver` has them. */
	readonly unreadSettings: ReadonlySet<string>;
	/** The receiver in use. */
	readonly before: WebhookConfig | undefined;
};

const maxNameLength = 128;

/**
 * The receiver's settings: what stands under `extra`, then directly under `platforms.webhook`, then in `WEBHOOK_ENABLED`, `WEBHOOK_PORT` and
 * `WEBHOOK_SECRET`, then the defaults. A setting that cannot be read has the value that it has in `before`, if that can be known. `problems` are about the variables.
 *
 * @see manual/receiver.md#settings
 */
export function resolveWebhook(
	written: RawWebhook | null | undefined,
	{environment, unread, unreadSettings, before, place, ...serving}: ReceiverSurroundings,
): {
	readonly webhook: WebhookConfig;
	/** Whether each setting that cannot be read has its last good value in `webhook`, which can be used then. */
	readonly hasLastValues: boolean;
	/** The last good versions that are served of invalid routes; not in `webhook` yet. */
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

/** What stands in for a setting that cannot be read, from the receiver in use. */
const lastValues: Readonly<
	Record<keyof typeof receiverSettings.fields, (last: WebhookConfig) => Partial<WebhookConfig>>
> = {
	enabled: ({enabled, switchedOff}) => ({enabled, switchedOff}),
	host: ({host}) => ({host}),
	port: ({port}) => ({port}),
	// The current secret cannot be read: a revoked one must not pass.
	secret: () => ({secrets: []}),
	rate_limit: ({rateLimit}) => ({rateLimit}),
	max_body_bytes: ({maxBodyBytes}) => ({maxBodyBytes}),
	routes: ({routes, refusals, invalid, skipped}) => ({routes, refusals, invalid, skipped}),
};

/** Routes that stay, with the global secrets of now where they had none of their own: one that was taken back must not pass. */
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
					// What a route inherits is the very list.
					route.secrets === before.secrets ? {...route, ...access} : route,
				]),
			);
};

/** Absent where there is no receiver to take them from, or where it is unknown which settings are meant: they cannot be read as a whole, or `extra` cannot. */
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

/** A key without a value under `extra` says nothing; a secret without one is an empty secret. */
const withoutNothing = (extra: NonNullable<RawWebhook['extra']>): typeof extra =>
	Object.fromEntries(
		Object.entries(extra).filter(([key, value]) => key === 'secret' || value !== null),
	);

function resolveRoutes(
	written: RawWebhook['routes'],
	options: Pick<ReceiverSurroundings, 'unread' | 'place'> & {
		/** The static routes in use. */
		readonly last: ReadonlyMap<string, Route> | undefined;
		/** Whether a receiver serves already: then what the contract refuses the start for concerns its route alone. */
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
			// Held back for one route, the rest of an edit would leave open what it closes.
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

/** A receiver whose settings cannot be read: it is refused, whatever the defaults are. */
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
