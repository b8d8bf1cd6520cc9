import {isDeepStrictEqual} from 'node:util';
import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {canonicalJson, jsonHash, parsedJson, type JsonValue} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';

/**
 * What a person approves when allowing a tool: lower-case hex SHA-256 of the canonical JSON of everything the server says about it that people and models read.
 * Independent of key order only.
 *
 * @see manual/tool-servers.md#states
 */
export const definitionOf = (tool: ListedTool): string =>
	jsonHash(plainJson(definitionParts(tool)));

/** The text hashed by `definitionOf`. */
export const definitionText = (tool: ListedTool): string =>
	canonicalJson(plainJson(definitionParts(tool)));

/** The parts of a tool's definition. Without icons and `_meta`, which models do not see. */
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

/** Drops members that are `undefined`. */
const plainJson = (value: object): JsonValue => parsedJson(JSON.stringify(value)) ?? null;

const maxNames = 10;
const maxNameLength = 64;

/**
 * The difference of a server's new list as one line: `tools changed: added a, b; removed c; changed d`. `undefined` if there is none. Names at most ten tools of
 * each kind.
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
