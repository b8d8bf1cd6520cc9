import type {HomePaths} from '../../config/config.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ServerView} from '../../core/tool-server.ts';
import type {World} from '../../core/world.ts';
import {openPins} from '../catalogue/pins.ts';
import {planTools, type ToolsToPlan} from '../catalogue/plan-tools.ts';
import {catalogueFingerprint, openSchemaCache} from '../catalogue/schema-cache.ts';
import {viewTool} from '../catalogue/view-tool.ts';
import {unconfigured} from '../connection/step.ts';
import {clientCapabilities} from '../requests/client-handlers.ts';
import {viewServer} from './server-view.ts';

/** A server without a connection. Has no tools if it was never connected with its current configuration. */
export type KnownServer = Omit<ServerView, 'status' | 'since'> & {
	readonly enabled: boolean;
	/** When it last listed its tools, in milliseconds since 1970; absent: never. */
	readonly savedAt?: number;
};

/** The configured servers in file order. Enabled ones come with their cached lists, if the configuration still matches. Neither connects nor writes. */
export async function knownServers(
	servers: ReadonlyMap<string, ToolServerConfig>,
	world: Pick<World, 'clock' | 'log' | 'redact'> & {
		readonly profile: string;
		/** The profile's paths. */
		readonly paths: Pick<HomePaths, 'schemaCache' | 'toolPins'>;
	},
): Promise<readonly KnownServer[]> {
	const {profile, paths, clock, log, redact} = world;
	const cache = openSchemaCache({path: paths.schemaCache, log, clock});
	const pins = await openPins({path: paths.toolPins, log, clock});
	const known = [...servers.values()].map(server => {
		const saved = server.enabled ? cache.get(server.name) : undefined;
		const expected = catalogueFingerprint(server, clientCapabilities(server, {canSample: true}));
		const cached = saved?.fingerprint === expected ? saved : undefined;
		const toPlan: ToolsToPlan | undefined = cached && {
			server,
			profile,
			listed: cached.tools,
			capabilities: cached.facts.capabilities,
			known: pins.knownOf(profile, server.name),
			taken: new Set(),
		};
		return {server, cached, toPlan, reserved: toPlan && planTools(toPlan).reserved};
	});

	return known.map(({server, cached, toPlan}) => {
		const others = known.filter(other => other.server !== server);
		const taken = new Set(others.flatMap(({reserved = []}) => [...reserved]));
		const plan = toPlan && planTools({...toPlan, taken});
		const parts = {
			server,
			profile,
			state: unconfigured,
			facts: cached?.facts,
			tools: plan?.tools.map(tool => viewTool(tool, redact)) ?? [],
			offered: plan?.offered ?? 0,
			activeCalls: 0,
			warnings: plan?.warnings ?? [],
		};
		const {status: _, since: __, ...view} = viewServer(parts, {clock, redact});
		return {...view, enabled: server.enabled, ...(cached && {savedAt: cached.savedAt})};
	});
}
