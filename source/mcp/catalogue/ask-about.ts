import {basename} from 'node:path';
import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {ToolClaims} from '../../core/approval.ts';
import {jsonHash, isJsonObject, type JsonValue} from '../../core/json.ts';
import type {AskedTool, FromServer} from '../../core/tool.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';

const maxDescriptionLength = 4000;
const maxSchemaBytes = 16 * 1024;

/** Everything a person is shown of a tool before a call. */
export const askAbout = (
	server: ToolServerConfig,
	profile: string,
	tool: Pick<AskedTool, 'tool' | 'name' | 'definition' | 'changed'> & {
		readonly listed?: ListedTool;
		readonly description: string;
		readonly inputSchema: unknown;
		readonly claims: ToolClaims;
		readonly changes?: readonly string[] | undefined;
	},
): AskedTool & {readonly from: FromServer} => ({
	from: {
		kind: 'server',
		server: server.name,
		transport: server.endpoint.transport,
		host: endpointName(server),
		endpoint: endpointHash(server),
		trust: server.trust,
	},
	profile,
	tool: tool.tool,
	name: tool.name,
	claims: tool.claims,
	description: escapeBlock(tool.description, {maxLength: maxDescriptionLength}),
	inputSchema: shownSchema(tool.inputSchema),
	definition: tool.definition,
	changed: tool.changed,
	...(tool.changes && {changes: tool.changes}),
});

/** The annotations of a tool. Only `true` and `false` count. */
export function claimsOf({annotations = {}}: ListedTool): ToolClaims {
	const {readOnlyHint, destructiveHint, idempotentHint, openWorldHint} = annotations;
	return {
		...(typeof readOnlyHint === 'boolean' ? {readOnly: readOnlyHint} : {}),
		...(typeof destructiveHint === 'boolean' ? {destructive: destructiveHint} : {}),
		...(typeof idempotentHint === 'boolean' ? {idempotent: idempotentHint} : {}),
		...(typeof openWorldHint === 'boolean' ? {openWorld: openWorldHint} : {}),
	};
}

/** Host and port of a remote server, the name of the program of another; never credentials. */
export function endpointName({endpoint}: Pick<ToolServerConfig, 'endpoint'>): string {
	if (endpoint.transport === 'stdio') {
		return escapeLine(basename(endpoint.command), 100);
	}

	// A URL may still hold references.
	const authority = /^[^/?#]*\/\/([^/?#]*)/.exec(endpoint.url)?.[1] ?? '';
	return escapeLine(authority.slice(authority.lastIndexOf('@') + 1), 100);
}

/** Endpoints are immutable, and a server has hundreds of tools. */
const hashes = new WeakMap<ToolServerConfig['endpoint'], string>();

/** What makes a server another one under the same name; references count as they are written. @see diff-server.ts `isOther` */
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
