import {isDeepStrictEqual} from 'node:util';
import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {canonicalJson, jsonHash, parsedJson, type JsonValue} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';

/**
 * What a person agrees to when a tool is allowed: lower-case hex SHA-256 of the canonical JSON of everything the server says of the tool that people and models
 * read. The order of keys does not matter, anything else does.
 *
 * @see manual/tool-servers.md#states
 */
export const definitionOf = (tool: ListedTool): string =>
	jsonHash(plainJson(definitionParts(tool)));

/** What `definitionOf` hashes. */
export const definitionText = (tool: ListedTool): string =>
	canonicalJson(plainJson(definitionParts(tool)));

/** What the definition of a tool is made of. Icons and `_meta` are not shown to a model. */
const definitionParts = (tool: ListedTool): object =>
	Object.fromEntries(definedBy.filter(key => tool[key] !== undefined).map(key => [key, tool[key]]));

const definedBy = [
	'name',
	'title',
	'description',
	'inputSchema',
	'outputSchema',
	'annotations',
] as const;

/** The value without members that are `undefined`. */
const plainJson = (value: object): JsonValue => parsedJson(JSON.stringify(value)) ?? null;

const maxNames = 10;
const maxNameLength = 64;

/**
 * What is different in a server's new list, as one line: `tools changed: added a, b; removed c; changed d`. `undefined`: nothing. At most ten names
 * of each kind are named.
 */
export function describeToolChanges(
	before: readonly ListedTool[],
	after: readonly ListedTool[],
): string | undefined {
	const old = new Map(before.map(tool => [tool.name, tool]));
	const names = new Set(after.map(({name}) => name));
	const added = [...names].filter(name => !old.has(name));
	const removed = [...old.keys()].filter(name => !names.has(name));
	const changed = after.filter(tool => isOther(tool, old.get(tool.name))).map(({name}) => name);
	const parts = Object.entries({added, removed, changed}).flatMap(part);
	return parts.length > 0 ? `tools changed: ${parts.join('; ')}` : undefined;
}

const isOther = (tool: ListedTool, old: ListedTool | undefined): boolean =>
	old !== undefined && !isDeepStrictEqual(definitionParts(tool), definitionParts(old));

function part([what, names]: readonly [string, readonly string[]]): readonly string[] {
	const shown = names.slice(0, maxNames).map(name => escapeLine(name, maxNameLength));
	const more = names.length - shown.length;
	const text = `${what} ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
	return names.length === 0 ? [] : [text];
}
