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

/** What the servers of one profile said when they were last connected, between two starts of the program. */
export type SchemaCache = ReturnType<typeof openSchemaCache>;

const formatVersion = 1;

const maxServers = 200;

const maxFileBytes = 64 * 1024 * 1024;

const limits = {waitMs: 5000, makesFolder: true};

/**
 * Opens `cache/mcp_schema_cache.json`. Entries that are broken, and a file that is, are left out with a warning: the servers connect at the start then.
 * Other processes may write to the file, too: each entry is put in under a lock, into what the file holds at that moment.
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
		/** Whatever is known of a server, fresh or not. */
		get: (name: string): CachedServer | undefined => servers.get(name),
		/** Keeps what a server said, on disk too. Never rejects: what cannot be written is logged, and asked for again at the next start. */
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

/** What a server said when it was last connected. */
export type CachedServer = {
	/** @see catalogueFingerprint */
	readonly fingerprint: string;
	/** Milliseconds since 1970. */
	readonly savedAt: number;
	/** How long the server says that its list holds, milliseconds. */
	readonly ttlMs?: number | undefined;
	readonly facts: ServerFacts;
	readonly tools: readonly ListedTool[];
};

/** Lifetime of a list where the server names none, and the longest that a server may name. */
const usualTtlMs = 7 * 24 * 3_600_000;
const maxTtlMs = 30 * 24 * 3_600_000;

/**
 * Whether the tools of a server may be offered without asking it: what was saved is for exactly this configuration, and not older than the server said,
 * at most 30 days; 7 days when it said nothing.
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

/**
 * What a list of tools depends on: command, arguments, URL and transport as they are written, the tools policy, the protocol and what we declare.
 * Lower-case hex SHA-256.
 */
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

/** The parts that this program reads; the rest of a definition is kept as it is, the client and the planner judge it. */
const toolSchema = z.looseObject({
	name: z.string(),
	description: z.string().optional(),
	inputSchema: z.looseObject({type: z.literal('object')}),
});

/** As far as the client looks before it asks the server. */
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

/** An entry of the file; `undefined` when it is broken, or larger than a server may be. */
function parseCachedServer(value: unknown): CachedServer | undefined {
	const {data} = cachedSchema.safeParse(value);
	return data && Buffer.byteLength(JSON.stringify(data.tools)) <= maxListedBytes ? data : undefined;
}
