import {cell} from '../core/untrusted.ts';
import {unsetVariable} from './config-references.ts';
import type {Config} from './config.ts';
import {namePattern} from './home-paths.ts';
import {asPlainData} from './plain-data.ts';
import {resolveReferences} from './references.ts';
import {resolveRoute, type ResolvedRoute} from './resolve-route.ts';
import type {Refusal, RouteContext} from './route-refusals.ts';
import {problemWithRouteName, routeSchema, type RawRoute} from './route-schema.ts';
import type {SkippedRoute} from './route.ts';
import {describeIssues} from './schema-issues.ts';

const longestName = 128;

/** What routes take from `config`. */
export const routeContextOf = ({webhook, paths, environment}: Config): RouteContext => ({
	profile: paths.profile,
	host: webhook.host,
	secrets: webhook.secrets,
	rateLimit: webhook.rateLimit,
	maxBodyBytes: webhook.maxBodyBytes,
	environment,
});

/**
 * Why the subscription `name` with `entry` would not be served; empty when it would. The same rules as for a route of `config.yaml`, and the
 * stricter ones for names that are chosen at a prompt.
 *
 * @see Decisions 2 ("What the receiver would refuse at start is refused at creation")
 */
export function checkSubscription(
	name: string,
	entry: unknown,
	config: Config,
): readonly Refusal[] {
	if (!namePattern.test(name)) {
		return [
			{
				code: 'name_invalid',
				reason: `Cannot call a subscription "${cell(name, longestName).text}": a name has 1 to 64 characters of a-z, 0-9, "_" and "-", and starts with a letter or digit`,
			},
		];
	}

	const resolved = resolveSubscription(name, entry, routeContextOf(config));
	return resolved.ok ? [] : resolved.refusals.map(({code, reason}) => ({code, reason}));
}

/** The route behind an entry of the subscriptions file, or why there is none. Never throws. Unknown keys are ignored. */
export function resolveSubscription(
	name: string,
	entry: unknown,
	context: RouteContext,
): ResolvedRoute {
	const nameProblem = problemWithRouteName(name);
	if (nameProblem !== undefined) {
		return broken(name, nameProblem);
	}

	const data = asPlainData(entry);
	if (!data.ok) {
		return broken(name, `: ${data.path.join('.')} ${data.message}`);
	}

	const parsed = routeSchema.safeParse(data.value);
	if (!parsed.success) {
		const [first] = describeIssues(parsed.error.issues, data.value);
		return broken(name, `is not a route: ${first?.path.join('.') ?? ''} ${first?.message ?? ''}`);
	}

	const {raw, unset} = withSecretsResolved(parsed.data, context);
	return unset === undefined
		? resolveRoute({name, source: 'dynamic', raw}, context)
		: broken(name, `has a secret that cannot be read: ${unsetVariable(unset)}`);
}

function withSecretsResolved(
	raw: RawRoute,
	{environment}: RouteContext,
): {readonly raw: RawRoute; readonly unset: string | undefined} {
	if (raw.secret === undefined || raw.secret === null) {
		return {raw, unset: undefined};
	}

	const results = [raw.secret].flat().map(secret => resolveReferences(secret, environment));
	return {
		raw: {...raw, secret: results.map(({text}) => text)},
		unset: results.flatMap(({unset}) => unset)[0],
	};
}

function broken(name: string, complaint: string): ResolvedRoute {
	const shown = cell(name, longestName).text;
	const reason = cell(`Route "${shown}" ${complaint}`).text;
	const skipped: SkippedRoute = {
		name: shown,
		source: 'dynamic',
		code: 'entry_invalid',
		reason,
		view: {
			name: shown,
			profile: 'default',
			source: 'dynamic',
			description: '',
			events: [],
			deliver: 'log',
			mode: 'agent',
			problem: reason,
			insecure: false,
		},
	};
	return {ok: false, refusals: [skipped]};
}
