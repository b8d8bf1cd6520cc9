import {cell} from '../core/untrusted.ts';
import {unsetVariable} from './config-references.ts';
import type {Config} from './config.ts';
import {defaultProfile, namePattern} from './home-paths.ts';
import {asPlainData, type KeyPath} from './plain-data.ts';
import {servedProfile} from './profile-binding.ts';
import {resolveReferences} from './references.ts';
import {profileNotServed, resolveRoute, type ResolvedRoute} from './resolve-route.ts';
import {isSet, type Refusal, type RouteContext} from './route-refusals.ts';
import {problemWithRouteName, routeSchema, type RawRoute} from './route-schema.ts';
import type {SkippedRoute} from './route.ts';
import {describeIssues} from './schema-issues.ts';

const longestName = 128;

/** What routes take from `config`. */
export const routeContextOf = ({
	webhook,
	paths,
	multiplexProfiles,
	profiles,
}: Config): RouteContext => ({
	profile: paths.profile,
	multiplexProfiles,
	profiles,
	host: webhook.host,
	secrets: webhook.secrets,
	rateLimit: webhook.rateLimit,
	maxBodyBytes: webhook.maxBodyBytes,
});

/**
 * Why the receiver would refuse the subscription `name` with `entry`; empty when it would not. The same rules as for a route of `config.yaml`, and the
 * stricter ones for names that are chosen at a prompt. What is only not served (see `adviceOnSubscription`) is not refused.
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
	return resolved.ok
		? []
		: resolved.refusals
				.filter(({code}) => code !== profileNotServed)
				.map(({code, reason}) => ({code, reason}));
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
		return broken(name, noRoute(data));
	}

	const parsed = routeSchema.safeParse(data.value);
	if (!parsed.success) {
		const [first] = describeIssues(parsed.error.issues, data.value);
		return broken(name, noRoute(first));
	}

	const {raw, unset} = withSecretsResolved(parsed.data, context);
	return unset === undefined
		? resolveRoute({name, source: 'dynamic', raw}, context)
		: broken(name, `has a secret that cannot be read: ${unset}`);
}

/** The path is empty when it is the entry itself that is wrong. */
const noRoute = (problem: {readonly path: KeyPath; readonly message: string} | undefined): string =>
	['is not a route:', problem?.path.join('.'), problem?.message].filter(Boolean).join(' ');

/** References are resolved with the variables of the profile that the route is bound to; a route that is not served keeps them. */
function withSecretsResolved(
	raw: RawRoute,
	context: RouteContext,
): {readonly raw: RawRoute; readonly unset?: string | undefined} {
	const profile = servedProfile(raw.profile, context);
	if (profile === undefined) {
		return {raw};
	}

	const {environment} = context.profiles.of(profile);
	const missing: string[] = [];
	const resolve = (secret: string) => {
		const {text, unset} = resolveReferences(secret, environment);
		missing.push(...unset);
		return text;
	};

	const {secret, retired_secrets: retired} = raw;
	const resolved: RawRoute = {
		...raw,
		...(isSet(secret) && {secret: [secret].flat().map(resolve)}),
		...(retired && {
			retired_secrets: retired.map(entry => ({...entry, secret: resolve(entry.secret)})),
		}),
	};
	const [first] = missing;
	return {raw: resolved, unset: first && unsetVariable(first, profile)};
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
			profile: defaultProfile,
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
