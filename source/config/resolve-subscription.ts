import type {Diagnostic} from '../core/config-view.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {isSealed} from '../core/seal.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {Config} from './config.ts';
import {below, placelessIn, type UnplacedDiagnostic} from './place-diagnostic.ts';
import {problemsWithData} from './plain-data.ts';
import {servedProfile} from './profiles.ts';
import {isRouteSecret, resolveTexts} from './references.ts';
import {readRoute, type ReadRoute, resolveRoute, type ResolvedRoute} from './resolve-route.ts';
import {placedSecrets} from './route-edit/kept-secrets.ts';
import type {RouteContext} from './route-refusals.ts';
import {problemWithRouteName, type RawRoute} from './route-schema.ts';
import type {Route} from './route.ts';
import {subscriptionsText} from './text-files.ts';

const maxNameLength = 128;

/** What dynamic routes take from `config`. `place` gives findings their place; without it they have none. */
export const routeContextOf = (
	{webhook, paths, multiplexProfiles, profiles}: Config,
	place: (finding: UnplacedDiagnostic) => Diagnostic = placelessIn(subscriptionsText(paths).name),
): RouteContext & {readonly place: (finding: UnplacedDiagnostic) => Diagnostic} => ({
	place,
	profile: paths.profile,
	multiplexProfiles,
	profiles,
	host: webhook.host,
	secrets: webhook.secrets,
	rateLimit: webhook.rateLimit,
	maxBodyBytes: webhook.maxBodyBytes,
});

/** The route behind an entry of the file of dynamic routes, or why there is none. Never throws. Unknown keys are ignored. */
export function resolveSubscription(
	name: string,
	entry: unknown,
	context: RouteContext & {
		/** Gives a finding its place in the file; its path begins with the name. */
		readonly place: (finding: UnplacedDiagnostic) => Diagnostic;
		/** The route of this name that is in use. */
		readonly last?: Route | undefined;
		/** What is known to be wrong with the entry; paths begin at the entry. */
		readonly known?: readonly UnplacedDiagnostic[];
	},
): ResolvedRoute {
	const shown = escapeLine(name, maxNameLength);
	const written = {
		name: shown,
		source: 'dynamic' as const,
		place: (finding: UnplacedDiagnostic) => context.place(below([name], finding)),
		last: context.last?.source === 'dynamic' ? context.last : undefined,
	};
	const nameProblem = problemWithRouteName(name);
	const unreadable = problemsWithData(entry);
	const known: readonly UnplacedDiagnostic[] =
		nameProblem === undefined
			? [
					...(context.known ?? []),
					...unreadable,
					// Endless nesting is not searched.
					...(unreadable.length === 0 ? sealedSecrets(entry) : []),
				]
			: [{path: [], message: nameProblem, at: 'key'}];
	const read = readRoute(entry, known);
	const {raw, findings: unset} = withSecretsResolved(read.raw, context);
	return resolveRoute(
		{
			...written,
			...(unset.length > 0
				? readRoute(entry, [...known, ...unset])
				: {raw, findings: read.findings}),
		},
		context,
	);
}

/** Secrets of a row that `gateway.store_key` does not decrypt. As they stand they would be secrets that no sender has. */
const sealedSecrets = (entry: unknown): readonly UnplacedDiagnostic[] =>
	placedSecrets(isJsonObject(entry) ? entry : undefined)
		.filter(({value}) => isSealed(value))
		.map(({path}) => ({
			path,
			message:
				'is encrypted with another gateway.store_key than the one that is set here: set the key that the other gateways have',
		}));

/** References are resolved with the variables of the profile that the route is bound to; a route that is not served keeps them. */
function withSecretsResolved(raw: RawRoute, context: RouteContext): ReadRoute {
	const profile = servedProfile(raw.profile, context);
	if (profile === undefined) {
		return {raw, findings: []};
	}

	const {environment} = context.profiles.of(profile);
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked keys of plain data
	const {value, findings} = resolveTexts(raw as unknown as JsonValue, path =>
		isRouteSecret(path) ? {profile, environment} : undefined,
	);
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts became other texts
	return {raw: value as unknown as RawRoute, findings};
}
