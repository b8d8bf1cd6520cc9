import {createHash} from 'node:crypto';
import type {
	ClientCapabilities,
	DiscoverResult,
	Tool as ListedTool,
} from '@modelcontextprotocol/client';
import {z} from 'zod';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {isJsonObject} from '../../core/json.ts';
import {maxListed, maxListedBytes} from './list-tools.ts';
import type {ServerFacts} from './server-facts.ts';

/** What a server said when it was last connected. */
export type CachedServer = {
	/** @see fingerprintOf */
	readonly fingerprint: string;
	/** Milliseconds since 1970. */
	readonly savedAt: number;
	/** How long the server says that its list holds, milliseconds. */
	readonly ttlMs?: number | undefined;
	readonly facts: ServerFacts;
	readonly tools: readonly ListedTool[];
};

/** How long a list holds of which the server does not say it, and the longest that it may say. */
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
export function fingerprintOf(server: ToolServerConfig, capabilities: ClientCapabilities): string {
	const {endpoint, protocol, tools} = server;
	const where =
		endpoint.transport === 'stdio'
			? {command: endpoint.command, args: endpoint.args}
			: {url: endpoint.url};
	const policy = {
		include: tools.include ?? null,
		exclude: tools.exclude,
		resources: tools.resources,
		prompts: tools.prompts,
	};
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
		serverInfo: text.optional(),
		capabilities: z.object({resources: z.boolean(), prompts: z.boolean()}),
		discover: z.custom<DiscoverResult>(isDiscoverResult).optional(),
	}),
	tools: z.array(toolSchema).max(maxListed),
});

/** An entry of the file; `undefined` when it is broken, or larger than a server may be. */
export function parseCachedServer(value: unknown): CachedServer | undefined {
	const parsed = cachedSchema.safeParse(value);
	if (!parsed.success || Buffer.byteLength(JSON.stringify(parsed.data.tools)) > maxListedBytes) {
		return undefined;
	}

	const {facts, tools, ...rest} = parsed.data;
	const {discover, serverInfo, ...known} = facts;
	return {
		...rest,
		facts: {
			...known,
			...(serverInfo === undefined ? {} : {serverInfo}),
			...(discover ? {discover} : {}),
		},
		tools,
	};
}
