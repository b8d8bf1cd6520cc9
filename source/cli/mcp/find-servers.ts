import type {Config} from '../../config/config.ts';
import {invalidServers, viewOfInvalidServer} from '../../config/invalid-server.ts';
import {loadConfig} from '../../config/load-config.ts';
import {deferralOf} from '../../core/deferral.ts';
import {SvcError} from '../../core/errors.ts';
import {silentLogger} from '../../core/log.ts';
import {countOf} from '../../core/names.ts';
import {createRedact} from '../../core/redact.ts';
import type {ServerView} from '../../core/tool-server.ts';
import {
	askingIn,
	type ListedServer,
	mayChange,
	serverName,
	serverNoun,
} from '../../nouns/server/server.ts';
import type {Context} from '../console/context.ts';
import {printJson, tell} from '../console/print.ts';
import {findServingGateway} from '../home/gateway-access.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {printList} from '../nouns/noun-commands.ts';

/** The gateway that holds the connections of the context's profile. */
export const findServerGateway = async (context: Context) =>
	findServingGateway(context, async gateway => gateway.listServers());

/**
 * The tool servers of the context's profile; for the home without a profile, those of all profiles that its gateway has servers for.
 *
 * @throws SvcError `config_invalid`, `gateway_silent`
 */
export async function findServers(context: Context): Promise<readonly ListedServer[]> {
	const found = await findServerGateway(context);
	if (found) {
		const servers = (await found.gateway.listServers()).map(withReason);
		return context.paths().profile === 'default'
			? servers
			: servers.filter(({profile}) => profile === found.profile);
	}

	return serversOnDisk(context, 'default');
}

/** The error for an unknown tool server. */
export const serverNotFound = (context: Context, name: string): SvcError =>
	new SvcError(
		'server_not_found',
		`Cannot find tool server "${name}" in "${context.paths().config}": see "svc mcp list"`,
	);

/** The tool servers that runs of `profile` have, by the running gateway, else by the file and the cache. Connects to none. @throws SvcError `config_invalid` */
export async function serversOf(
	context: Context,
	profile: string,
): Promise<readonly ListedServer[]> {
	const found = await findServerGateway(context).catch(() => undefined);
	const live = (await found?.gateway.listServers())?.filter(server => server.profile === profile);
	// A gateway does not know a profile's servers until a run needs them.
	return live && live.length > 0 ? live : serversOnDisk(context, profile);
}

/** Sorts servers as in the file; by name if that is unreadable, or does not contain them. */
export function serversInFileOrder(
	context: Context,
	servers: readonly ListedServer[],
): readonly ListedServer[] {
	const names = [...(configInUse(context)?.toolServers.keys() ?? [])];
	const ranks = new Map(names.map((name, rank) => [name, rank]));
	const rankOf = ({name}: ListedServer): number => ranks.get(name) ?? ranks.size;
	return servers.toSorted((a, b) => rankOf(a) - rankOf(b));
}

const switchedOff = 'enabled: false in config.yaml';

/** Adds a reason for a server that the gateway does not use, for which it reports none. */
const withReason = (server: ServerView): ServerView =>
	server.status === 'skipped' ? {reason: switchedOff, ...server} : server;

async function serversOnDisk(context: Context, profile: string): Promise<readonly ListedServer[]> {
	const {toolServers, itemErrors, secretValues, profiles} = readConfig(context);
	const invalid = [...invalidServers({itemErrors})].map(([name, itemError]) => ({
		...viewOfInvalidServer(name, itemError),
		profile,
	}));
	if (toolServers.size === 0) {
		return invalid;
	}

	const {knownServers} = await import('../../mcp/manager/known-servers.ts');
	const servers = await knownServers(toolServers, {
		profile,
		paths: profiles.of(profile).paths,
		clock: context.clock,
		log: silentLogger,
		redact: createRedact(() => secretValues),
	});
	return [
		...servers.map(({enabled, ...server}): ListedServer =>
			enabled
				? {...server, status: 'not running', reason: 'no gateway runs'}
				: {...server, status: 'skipped', reason: switchedOff},
		),
		...invalid,
	];
}

/** Lists the tool servers with their states and numbers of tools. @see manual/commands.md */
export async function listServers(
	context: Context,
	{json}: {readonly json?: boolean},
): Promise<void> {
	const servers = await findServers(context);
	if (json) {
		printJson(context, servers.map(rowOf));
		return;
	}

	await printList(context, serverNoun, {items: servers});
	for (const server of servers) {
		const tools = changingIn(server);
		if (tools.length > 0) {
			const count = countOf(tools.length, 'tool');
			tell(context, `${serverName(server)}: ${count} may change things: ${tools.join(', ')}`);
		}
	}

	for (const [profile, own] of Map.groupBy(servers, server => server.profile)) {
		const deferred = deferralIn(context, own);
		if (deferred !== undefined) {
			tell(context, profile === 'default' ? deferred : `Profile "${profile}": ${deferred}`);
		}
	}
}

const changingIn = ({tools}: ListedServer): readonly string[] =>
	tools.filter(mayChange).map(({name}) => name);

/** Says whether tools are deferred, for runs that have the tools of all servers. */
const deferralIn = (context: Context, servers: readonly ListedServer[]): string | undefined =>
	deferralOf(
		servers
			.filter(({status}) => status !== 'skipped')
			.flatMap(({tools}) => tools.map(({tokens = 0}) => ({isOfServer: true, tokens}))),
		configInUse(context)?.tools.maxSchemaTokens ?? Infinity,
	);

/** The configuration; `undefined` if unreadable, in which case a gateway keeps using the one it read before. */
function configInUse({environment, ...context}: Context): Config | undefined {
	const loaded = loadConfig({paths: context.paths(), environment});
	return loaded.ok ? loaded.config : undefined;
}

const rowOf = (server: ListedServer) => ({
	...server,
	tools: server.tools.length,
	asks: askingIn(server),
	/** Names of the tools that may change something. */
	changes: changingIn(server),
	reason: server.reason ?? null,
});
