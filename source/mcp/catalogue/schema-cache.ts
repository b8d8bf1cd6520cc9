import {createHash} from 'node:crypto';
import type {
	ClientCapabilities,
	DiscoverResult,
	Tool as ListedTool,
} from '@modelcontextprotocol/client';
import {z} from 'zod';
import {readTextFile} from '../../config/text-files.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import type {Logger} from '../../core/log.ts';
import {createMutex} from '../../core/mutex.ts';
import type {World} from '../../core/world.ts';
import {replaceShared} from '../wire/shared-file.ts';
import {maxListedTools, maxListedBytes} from './list-tools.ts';
import type {ServerFacts} from './server-facts.ts';

/** What a profile's servers listed when last connected, kept across restarts. */
export type SchemaCache = ReturnType<typeof openSchemaCache>;

const formatVersion = 1;

const maxServers = 200;

const maxFileBytes = 64 * 1024 * 1024;

const limits = {waitMs: 5000, makesFolder: true};

/**
 * Opens `cache/mcp_schema_cache.json`. Broken entries, or a broken file, are dropped with a warning: those servers connect at start-up. Other processes may write
 * the file too, so each entry is merged into its current contents under a lock.
 *
 * @see manual/tool-servers.md#states
 */
export function openSchemaCache(world: Pick<World, 'clock' | 'log'> & {readonly path: string}) {
	const {path, log, clock} = world;
	const servers = new Map(read(path, log));
	const oneByOne = createMutex();
	const write = async (name: string, server: CachedServer) => {
		const withServer = () => {
			const others = read(path, log).filter(([other]) => other !== name);
			const kept = [...others, [name, server] as const].slice(-maxServers);
			return {version: formatVersion, servers: Object.fromEntries(kept)};
		};

		try {
			await replaceShared(path, withServer, {...limits, clock});
		} catch (error) {
			const facts = {server: name, error: messageOf(error)};
			log.warn('Cannot keep the list of tools of a server', facts);
		}
	};

	return {
		/** The entry of a server, fresh or not. */
		get: (name: string): CachedServer | undefined => servers.get(name),
		/** Saves a server's entry in memory and on disk. Never rejects: a failed write is logged, and the server is listed again at the next start. */
		async put(name: string, server: CachedServer): Promise<void> {
			servers.set(name, server);
			await oneByOne(async () => write(name, server));
		},
	};
}

function read(path: string, log: Logger): ReadonlyArray<readonly [string, CachedServer]> {
	const ignore = (error: string): readonly [] => {
		log.warn('The cache of tool servers is ignored', {file: path, error});
		return [];
	};

	let content: unknown;
	try {
		const text = readTextFile(path, maxFileBytes);
		if (text === undefined) {
			return [];
		}

		content = JSON.parse(text);
	} catch (error) {
		return ignore(error instanceof SyntaxError ? 'it is no JSON' : messageOf(error));
	}

	if (!isJsonObject(content) || content['version'] !== formatVersion) {
		return ignore('it has another format');
	}

	const servers = content['servers'];
	return isJsonObject(servers)
		? Object.entries(servers).flatMap(([name, value]) => {
				const server = parseCachedServer(value);
				return server ? [[name, server] as const] : ignore(`the entry "${name}" is broken`);
			})
		: ignore('it has another format');
}

/** What a server listed when last connected. */
export type CachedServer = {
	/** @see catalogueFingerprint */
	readonly fingerprint: string;
	/** Milliseconds since 1970. */
	readonly savedAt: number;
	/** How long the server says that its list is valid, in milliseconds. */
	readonly ttlMs?: number | undefined;
	readonly facts: ServerFacts;
	readonly tools: readonly ListedTool[];
};

/** The lifetime of a list if the server gives none, and the longest that a server may give. */
const usualTtlMs = 7 * 24 * 3_600_000;
const maxTtlMs = 30 * 24 * 3_600_000;

/**
 * Whether a server's cached tools may be offered without connecting: the entry must be for exactly this configuration, and within the lifetime that the server
 * gave, at most 30 days; 7 days by default.
 *
 * @see manual/tool-servers.md#settings, manual/tool-servers.md#states
 */
export function isFresh(
	{fingerprint, savedAt, ttlMs}: CachedServer,
	{now, expected}: {readonly now: number; readonly expected: string},
): boolean {
	const age = now - savedAt;
	return fingerprint === expected && age >= 0 && age <= Math.min(ttlMs ?? usualTtlMs, maxTtlMs);
}

/** Everything that a tool list depends on: command, arguments, URL and transport as written, the tools policy, the protocol and our capabilities. Lower-case hex SHA-256. */
export function catalogueFingerprint(
	server: ToolServerConfig,
	capabilities: ClientCapabilities,
): string {
	const {endpoint, protocol, tools} = server;
	const where =
		endpoint.transport === 'stdio'
			? {command: endpoint.command, args: endpoint.args}
			: {url: endpoint.url};
	const {include = null, exclude, resources, prompts} = tools;
	const policy = {include, exclude, resources, prompts};
	return createHash('sha256')
		.update(JSON.stringify([where, endpoint.transport, policy, protocol, capabilities]))
		.digest('hex');
}

const text = z.string().max(1000);

/** Checks only what this program reads; the rest of a definition is kept, and checked by client and planner. */
const toolSchema = z.looseObject({
	name: z.string(),
	description: z.string().optional(),
	inputSchema: z.looseObject({type: z.literal('object')}),
});

/** Checks only what the client reads before it contacts the server. */
const isDiscoverResult = (value: unknown): boolean =>
	isJsonObject(value) &&
	Array.isArray(value['supportedVersions']) &&
	isJsonObject(value['capabilities']);

const cachedSchema = z.object({
	fingerprint: text,
	savedAt: z.number(),
	ttlMs: z.number().optional(),
	facts: z.object({
		era: z.enum(['legacy', 'modern']),
		version: text,
		serverInfo: text.exactOptional(),
		capabilities: z.object({resources: z.boolean(), prompts: z.boolean()}),
		discover: z.custom<DiscoverResult>(isDiscoverResult).exactOptional(),
	}),
	tools: z.array(toolSchema).max(maxListedTools),
});

/** A parsed entry; `undefined` if it is broken, or larger than allowed for a server. */
function parseCachedServer(value: unknown): CachedServer | undefined {
	const {data} = cachedSchema.safeParse(value);
	return data && Buffer.byteLength(JSON.stringify(data.tools)) <= maxListedBytes ? data : undefined;
}
