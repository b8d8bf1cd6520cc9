import {slippedServers, viewOfSlippedServer} from '../../config/slipped-server.ts';
import {SvcError} from '../../core/errors.ts';
import {silentLogger} from '../../core/log.ts';
import {createRedact} from '../../core/redact.ts';
import type {ServerView} from '../../core/tool-server.ts';
import {selectTools, serverToolset} from '../../core/toolsets.ts';
import {askingIn, type ListedServer, serverNoun} from '../../nouns/server/server.ts';
import type {Context} from '../console/context.ts';
import {printJson, tell} from '../console/print.ts';
import {findServingGateway} from '../home/gateway-access.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {printList} from '../nouns/noun-commands.ts';

/** The gateway that keeps the connections of the context's profile. */
export const findServerGateway = async (context: Context) =>
	findServingGateway(context, async gateway => gateway.listServers());

/**
 * The tool servers of the context's profile; of the home without a profile, those of every profile that its gateway has servers for.
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

/** The refusal for a name that no tool server has. */
export const serverNotFound = (context: Context, name: string): SvcError =>
	new SvcError(
		'server_not_found',
		`Cannot find tool server "${name}" in "${context.paths().config}": see "svc mcp list"`,
	);

/** The tool servers that runs of `profile` have, by the running gateway, else by the file and the cache. Never asks for more than is known. @throws SvcError `config_invalid` */
export async function serversOf(
	context: Context,
	profile: string,
): Promise<readonly ListedServer[]> {
	const found = await findServerGateway(context).catch(() => undefined);
	const live = (await found?.gateway.listServers())?.filter(server => server.profile === profile);
	// A gateway knows nothing of the servers of a profile that no run was for.
	return live && live.length > 0 ? live : serversOnDisk(context, profile);
}

/** Servers as they stand in the file; by name where it cannot be read, or does not have them. */
export function inFileOrder(
	context: Context,
	servers: readonly ListedServer[],
): readonly ListedServer[] {
	const ranks = new Map(namesInFile(context).map((name, rank) => [name, rank]));
	const rankOf = ({name}: ListedServer): number => ranks.get(name) ?? ranks.size;
	return servers.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function namesInFile(context: Context): readonly string[] {
	try {
		return [...readConfig(context).toolServers.keys()];
	} catch {
		return [];
	}
}

const switchedOff = 'enabled: false in config.yaml';

/** A gateway has nothing to say of a server that it leaves alone. */
const withReason = (server: ServerView): ServerView =>
	server.status === 'skipped' ? {reason: switchedOff, ...server} : server;

async function serversOnDisk(context: Context, profile: string): Promise<readonly ListedServer[]> {
	const {toolServers, slips, secretValues, profiles} = readConfig(context);
	const slipped = [...slippedServers({slips})].map(([name, slip]) => ({
		...viewOfSlippedServer(name, slip),
		profile,
	}));
	if (toolServers.size === 0) {
		return slipped;
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
		...slipped,
	];
}

/** Lists the tool servers: where each stands, and how many tools it gives. @see manual/commands.md */
export async function listServers(
	context: Context,
	{json}: {readonly json: boolean},
): Promise<void> {
	const servers = await findServers(context);
	if (json) {
		printJson(context, servers.map(rowOf));
		return;
	}

	await printList(context, serverNoun, {items: servers, known: {now: context.clock.now()}});
	for (const profile of new Set(servers.map(server => server.profile))) {
		for (const warning of tooMany(
			context,
			servers.filter(server => server.profile === profile),
		)) {
			tell(context, profile === 'default' ? warning : `Profile "${profile}": ${warning}`);
		}
	}
}

/** What runs that have the tools of every server go without. */
const tooMany = (context: Context, servers: readonly ListedServer[]): readonly string[] =>
	selectTools(
		undefined,
		inFileOrder(context, servers).map(({name, tools}) => serverToolset([name, tools])),
	).warnings;

const rowOf = (server: ListedServer) => ({
	...server,
	tools: server.tools.length,
	asks: askingIn(server),
	reason: server.reason ?? null,
});
