import {basename} from 'node:path';
import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ToolClaims} from '../../core/approval.ts';
import {jsonHash, isJsonObject, type JsonValue} from '../../core/json.ts';
import type {AskedTool, FromServer} from '../../core/tool.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';

const maxDescriptionLength = 4000;
const maxSchemaBytes = 16 * 1024;

/** Everything a person is shown about a tool before a call. */
export const askAbout = (
	server: ToolServerConfig,
	profile: string,
	tool: Pick<AskedTool, 'tool' | 'name' | 'definition' | 'changed' | 'changes' | 'claims'> & {
		readonly description: string;
		readonly inputSchema: unknown;
	},
): AskedTool & {readonly from: FromServer} => ({
	...tool,
	from: {
		kind: 'server',
		server: server.name,
		transport: server.endpoint.transport,
		host: endpointName(server),
		endpoint: endpointHash(server),
		trust: server.trust,
	},
	profile,
	description: escapeBlock(tool.description, {maxLength: maxDescriptionLength}),
	inputSchema: shownSchema(tool.inputSchema),
});

/** A tool's annotations; only `true` and `false` count. */
export function claimsOf({annotations = {}}: ListedTool): ToolClaims {
	const claims = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;
	return Object.fromEntries(
		claims.flatMap(claim => {
			const hint: unknown = annotations[`${claim}Hint`];
			return typeof hint === 'boolean' ? [[claim, hint]] : [];
		}),
	);
}

/** Host and port of a remote server, or the program's name; never credentials. */
export function endpointName({endpoint}: Pick<ToolServerConfig, 'endpoint'>): string {
	if (endpoint.transport === 'stdio') {
		return escapeLine(basename(endpoint.command), 100);
	}

	// The URL may still contain variable references.
	const authority = /^[^/?#]*\/\/([^/?#]*)/.exec(endpoint.url)?.[1] ?? '';
	return escapeLine(authority.slice(authority.lastIndexOf('@') + 1), 100);
}

/** Cached by endpoint: those are immutable, and a server has hundreds of tools. */
const hashes = new WeakMap<ToolServerConfig['endpoint'], string>();

/** Identifies the server behind a name, with references as written. @see diff-server.ts `isOther` */
function endpointHash({endpoint}: Pick<ToolServerConfig, 'endpoint'>): string {
	const known = hashes.get(endpoint);
	if (known !== undefined) {
		return known;
	}

	const hash = jsonHash(
		endpoint.transport === 'stdio'
			? [endpoint.transport, endpoint.command, endpoint.args]
			: [endpoint.transport, endpoint.url],
	);
	hashes.set(endpoint, hash);
	return hash;
}

function shownSchema(schema: unknown): JsonValue {
	return isJsonObject(schema) && Buffer.byteLength(JSON.stringify(schema)) <= maxSchemaBytes
		? schema
		: null;
}
