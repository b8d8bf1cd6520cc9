import {isJsonObject} from '../core/json.ts';
import {didYouMean, nearestName} from '../core/names.ts';
import {everyServer, serverPrefix} from '../core/toolsets.ts';
import {escapeLine} from '../core/untrusted.ts';
import {problemWithPrefetch} from './code-host-events.ts';
import type {Config, HomePaths, Profiles, WebhookConfig} from './config.ts';
import {defaultProfile} from './home-paths.ts';
import {serverItem} from './invalid-server.ts';
import {itemAt} from './item-errors.ts';
import {below, warningsAt, type UnplacedDiagnostic} from './place-diagnostic.ts';
import {valueAt, type KeyPath} from './plain-data.ts';
import {missingProfile, routesPlace} from './profiles.ts';
import type {Route} from './route.ts';
import type {RawToolServer} from './tool-server-schema.ts';
import {toolsetNames} from './toolset-settings.ts';

const multiplexKey: KeyPath = ['gateway', 'multiplex_profiles'];

/**
 * Whether `value` (all of `config.yaml`) asks to serve several profiles and this home can do so: only the default profile can. If the setting is unreadable, the value of
 * `before` (the configuration in use) counts, else none is served.
 */
export function multiplexes(
	value: unknown,
	options: {
		readonly paths: HomePaths;
		/** See `findLostKeys`. */
		readonly lost?: readonly UnplacedDiagnostic[];
		readonly before?: Config | undefined;
	},
): boolean {
	const {paths, lost = [], before} = options;
	const written = valueAt(value, multiplexKey) ?? false;
	const section = valueAt(value, ['gateway']) ?? {};
	const isLost = lost.some(({path}) => itemAt(path)[0] === multiplexKey[0]);
	const isRead = typeof written === 'boolean' && isJsonObject(section) && !isLost;
	const wanted = isRead ? written : before?.multiplexProfiles;
	return wanted === true && paths.profile === defaultProfile;
}

/** Warnings about the profiles that `value` names: a key without effect, routes that are not served, profiles without a folder. */
export function diagnoseProfiles(
	value: unknown,
	options: {
		readonly paths: HomePaths;
		readonly webhook: WebhookConfig;
		readonly profiles: Profiles;
	},
): readonly UnplacedDiagnostic[] {
	const {paths, webhook, profiles} = options;
	const placeOf = (route: string): KeyPath => [...routesPlace(value), route, 'profile'];
	const isIdle = valueAt(value, multiplexKey) === true && !multiplexes(value, {paths});
	return [
		...warningsAt(
			multiplexKey,
			isIdle ? 'has no effect in a profile: only a gateway without -p serves several' : undefined,
		),
		...webhook.skipped.flatMap(({name, reason}) => warningsAt(placeOf(name), reason)),
		...[...webhook.routes.values()].flatMap(({name, profile}) =>
			warningsAt(placeOf(name), missingProfile(profile, {profiles})),
		),
	];
}

/** A warning about a model that no run can reach as it is written. @see manual/model.md#settings */
export const diagnoseModel = ({
	provider,
	baseUrl,
}: Pick<Config['model'], 'baseUrl' | 'provider'>): readonly UnplacedDiagnostic[] =>
	warningsAt(
		['model', 'provider'],
		provider === 'openai-compatible' && baseUrl === undefined
			? 'needs "base_url" beside it: runs fail without'
			: undefined,
	);

type Known = Pick<Config, 'toolServers' | 'toolsets'> & {
	/** Items with errors, by `itemKey`. These errors are reported elsewhere. */
	readonly itemErrors: {has(key: string): boolean};
};

/** Why toolsets of a route offer no tools: a predicate. `undefined`: there is no such problem, or the route starts no agent. */
export function problemWithToolsets(
	{toolsets = [], deliverOnly, cronJob}: Pick<Route, 'toolsets' | 'deliverOnly' | 'cronJob'>,
	known: Known,
): string | undefined {
	if (deliverOnly || cronJob !== undefined) {
		return undefined;
	}

	const problems = [...new Set(toolsets)].flatMap(name => problemWithToolset(name, known) ?? []);
	return problems.length === 0 ? undefined : problems.join(', and ');
}

function problemWithToolset(
	name: string,
	{toolServers, toolsets, itemErrors}: Known,
): string | undefined {
	if (everyServer.has(name)) {
		return undefined;
	}

	const own = toolsetNames.find(one => one === name);
	if (own !== undefined) {
		return toolsets[own].broken === undefined
			? undefined
			: `names toolset "${own}", which cannot be used: see toolsets.${own}`;
	}

	if (name.startsWith(serverPrefix)) {
		const server = name.slice(serverPrefix.length);
		return toolServers.has(server) || itemErrors.has(serverItem(server))
			? undefined
			: `names a tool server that is not configured: "${server}"`;
	}

	const meant = nearestName(name, [...everyServer, ...toolsetNames]);
	return `names a toolset that does not exist: "${name}"${meant === undefined ? '' : ` (did you mean "${meant}"?)`}`;
}

/** The warnings about toolsets and `prefetch` of every static route, each at its key in `value` (all of `config.yaml`). */
export const diagnoseToolsets = (
	value: unknown,
	routes: ReadonlyMap<string, Route>,
	known: Known,
): readonly UnplacedDiagnostic[] =>
	[...routes.values()].flatMap(route => {
		const place = [...routesPlace(value), route.name];
		return [
			...warningsAt([...place, 'toolsets'], problemWithToolsets(route, known)),
			...warningsAt([...place, 'prefetch'], problemWithPrefetch(route)),
		];
	});

/** Warnings about settings of tool servers without the effect that they seem to have. `servers` is `mcp_servers` as written. */
export const diagnoseServers = (
	servers: Readonly<Record<string, RawToolServer>> | null | undefined,
): readonly UnplacedDiagnostic[] =>
	Object.entries(servers ?? {}).flatMap(([name, server]) =>
		warningsOf(server).map(warning => below(['mcp_servers', name], warning)),
	);

const ofStdio = [
	'args',
	'env',
	'idle_timeout_seconds',
	'max_lifetime_seconds',
	'lifecycle',
] as const;

const ofRemote = [
	'headers',
	'ssl_verify',
	'client_cert',
	'client_key',
	'skip_preflight',
	'oauth',
] as const;

const warningsOf = (server: RawToolServer): readonly UnplacedDiagnostic[] => [
	...warningOfWord(server.protocol, {
		key: 'protocol',
		known: ['auto', 'stateless', 'legacy'],
		instead: 'auto',
	}),
	...warningOfWord(server.trust, {
		key: 'trust',
		known: ['full', 'untrusted'],
		instead: 'untrusted',
	}),
	...warningsOfPlace(server),
	...warningsOfValues(server),
];

type Word = {
	readonly key: string;
	readonly known: readonly string[];
	/** The meaning of an unknown word. */
	readonly instead: string;
};

const maxShownLength = 40;

function warningOfWord(
	written: unknown,
	{key, known, instead}: Word,
): readonly UnplacedDiagnostic[] {
	const word = typeof written === 'string' ? written.trim() : '';
	if (written === undefined || written === null || known.includes(word.toLowerCase())) {
		return [];
	}

	const shown = word === '' ? 'this' : `"${escapeLine(word, maxShownLength)}"`;
	// The message already gives this word as the meaning.
	const others = known.filter(one => one !== instead);
	return warningsAt(
		[key],
		`${shown} is not known and means "${instead}": must be one of ${known.join(', ')}${didYouMean(word, others)}`,
	);
}

/** Warnings about keys that apply only to the other kind of server: programs or remote ones. */
function warningsOfPlace(server: RawToolServer): readonly UnplacedDiagnostic[] {
	const [keys, beside] = server.url
		? ([ofStdio, 'url'] as const)
		: ([ofRemote, 'command'] as const);
	return [
		...keys
			.filter(key => server[key] !== undefined && server[key] !== null)
			.flatMap(key => warningsAt([key], `has no effect beside "${beside}"`, 'key')),
		...(server.url && server.oauth && !server.auth
			? warningsAt(['oauth'], 'has no effect without "auth: oauth"', 'key')
			: []),
	];
}

function warningsOfValues(server: RawToolServer): readonly UnplacedDiagnostic[] {
	const {tools, keepalive_interval: keepalive, lifecycle} = server;
	return [
		...(server.url && server.ssl_verify === false
			? warningsAt(
					['ssl_verify'],
					'the certificate of the server is not checked: whoever is on the way can read and change everything',
				)
			: []),
		...(typeof keepalive === 'number' && keepalive < 5
			? warningsAt(['keepalive_interval'], 'is less than 5 seconds: 5 is used')
			: []),
		...(tools?.include && tools.exclude && tools.exclude.length > 0
			? warningsAt(['tools', 'exclude'], 'has no effect beside "include"', 'key')
			: []),
		...(['idle_timeout_seconds', 'max_lifetime_seconds'] as const).flatMap(key => {
			const [direct, inside] = [server[key], lifecycle?.[key]];
			return typeof direct === 'number' && typeof inside === 'number' && direct !== inside
				? warningsAt(
						['lifecycle', key],
						`has no effect: "${key}" stands beside "lifecycle" too`,
						'key',
					)
				: [];
		}),
	];
}
