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

/** The context of dynamic routes in `config`. `place` gives findings their position; by default they have none. */
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

/** Resolves an entry of the file of dynamic routes to a route, or to the reasons why it is none. Never throws. Ignores unknown keys. */
export function resolveSubscription(
	name: string,
	entry: unknown,
	context: RouteContext & {
		/** Gives a finding its position in the file; its path starts with the name. */
		readonly place: (finding: UnplacedDiagnostic) => Diagnostic;
		/** The route in use with this name. */
		readonly last?: Route | undefined;
		/** Known findings about the entry; paths start at the entry. */
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
					// Data that is nested too deeply, or contains itself, is not searched.
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

/** Findings about secrets of a row that `gateway.store_key` does not decrypt: in encrypted form they match no sender. */
const sealedSecrets = (entry: unknown): readonly UnplacedDiagnostic[] =>
	placedSecrets(isJsonObject(entry) ? entry : undefined)
		.filter(({value}) => isSealed(value))
		.map(({path}) => ({
			path,
			message:
				'is encrypted with another gateway.store_key than the one that is set here: set the key that the other gateways have',
		}));

/** Resolves references with the variables of the profile to which the route is bound; a route that is not served keeps them. */
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
