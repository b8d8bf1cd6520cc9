import type {WebhookConfig} from './config.ts';
import {variable, type Environment} from './environment.ts';
import {profileNotServed, resolveRoute} from './resolve-route.ts';
import {secretsIn, type RouteContext} from './route-refusals.ts';
import type {Route, SkippedRoute} from './route.ts';
import type {RawWebhook} from './schema.ts';

/** A variable that says nothing useful. */
export type VariableProblem = {readonly name: string; readonly message: string};

/** What the receiver's settings are read in. */
export type ReceiverSurroundings = Pick<
	RouteContext,
	'profile' | 'multiplexProfiles' | 'profiles'
> & {
	readonly environment: Environment;
};

const defaults = {
	host: '0.0.0.0',
	port: 8644,
	rateLimit: 30,
	maxBodyBytes: 1024 * 1024,
} as const;

/**
 * The receiver's settings: what stands under `extra`, then directly under `platforms.webhook`, then in `WEBHOOK_ENABLED`, `WEBHOOK_PORT` and
 * `WEBHOOK_SECRET`, then the defaults. `problems` are about the variables.
 *
 * @see Interface 2.4
 */
export function resolveWebhook(
	written: RawWebhook | null | undefined,
	{environment, ...serving}: ReceiverSurroundings,
): {readonly webhook: WebhookConfig; readonly problems: readonly VariableProblem[]} {
	const {extra, ...direct} = written ?? {};
	const settings = {...direct, ...withoutNothing(extra ?? {})};
	const port = settings.port ?? portOf(environment);
	const enabled = settings.enabled ?? switchOf(environment);
	const context: RouteContext = {
		...serving,
		host: settings.host ?? defaults.host,
		secrets:
			settings.secret === undefined
				? secretsIn(variable(environment, 'WEBHOOK_SECRET'))
				: secretsIn(settings.secret),
		rateLimit: settings.rate_limit ?? defaults.rateLimit,
		maxBodyBytes: settings.max_body_bytes ?? defaults.maxBodyBytes,
	};
	return {
		webhook: {
			enabled: enabled === true,
			switchedOff: enabled === false,
			host: context.host,
			port: typeof port === 'number' ? port : defaults.port,
			rateLimit: context.rateLimit,
			maxBodyBytes: context.maxBodyBytes,
			secrets: context.secrets,
			...resolveRoutes(settings.routes, context),
		},
		problems: [enabled, port].filter(value => typeof value === 'object'),
	};
}

/** A key without a value under `extra` says nothing; a secret without one is an empty secret. */
const withoutNothing = (extra: NonNullable<RawWebhook['extra']>): typeof extra =>
	Object.fromEntries(
		Object.entries(extra).filter(([key, value]) => key === 'secret' || value !== null),
	);

function resolveRoutes(
	written: RawWebhook['routes'],
	context: RouteContext,
): Pick<WebhookConfig, 'routes' | 'refusals' | 'skipped'> {
	const routes = new Map<string, Route>();
	const failures: SkippedRoute[] = [];
	for (const [name, raw] of Object.entries(written ?? {})) {
		const resolved = resolveRoute({name, source: 'static', raw}, context);
		if (resolved.ok) {
			routes.set(name, resolved.route);
		} else {
			failures.push(...resolved.refusals);
		}
	}

	return {
		routes,
		refusals: failures.filter(({code}) => code !== profileNotServed),
		skipped: failures.filter(({code}) => code === profileNotServed),
	};
}

const switches: Readonly<Record<string, boolean>> = {
	true: true,
	yes: true,
	on: true,
	'1': true,
	false: false,
	no: false,
	off: false,
	'0': false,
};

function switchOf(environment: Environment): boolean | VariableProblem | undefined {
	const name = 'WEBHOOK_ENABLED';
	const written = variable(environment, name)?.trim().toLowerCase();
	if (!written) {
		return undefined;
	}

	return Object.hasOwn(switches, written)
		? switches[written]
		: {name, message: 'must be true or false'};
}

const largestPort = 65_535;

function portOf(environment: Environment): number | VariableProblem | undefined {
	const name = 'WEBHOOK_PORT';
	const written = variable(environment, name)?.trim();
	if (!written) {
		return undefined;
	}

	const port = /^\d{1,5}$/.test(written) ? Number(written) : Number.NaN;
	return port <= largestPort
		? port
		: {name, message: `must be a whole number from 0 to ${largestPort}`};
}
