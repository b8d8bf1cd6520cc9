import {isDeepStrictEqual} from 'node:util';
import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {canonicalJson, jsonHash, type JsonValue} from '../../core/json.ts';
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
export const definitionParts = ({
	name,
	title,
	description,
	inputSchema,
	outputSchema,
	annotations,
}: ListedTool): Partial<ListedTool> => ({
	name,
	...(title !== undefined && {title}),
	...(description !== undefined && {description}),
	inputSchema,
	...(outputSchema !== undefined && {outputSchema}),
	...(annotations !== undefined && {annotations}),
});

/** The value without members that are `undefined`. */
const plainJson = (value: unknown): JsonValue => {
	const json: JsonValue = JSON.parse(JSON.stringify(value));
	return json;
};

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
	const parts = [
		part(
			'added',
			[...names].filter(name => !old.has(name)),
		),
		part(
			'removed',
			[...old.keys()].filter(name => !names.has(name)),
		),
		part(
			'changed',
			after.filter(tool => isOther(tool, old.get(tool.name))).map(({name}) => name),
		),
	].filter(text => text !== '');
	return parts.length > 0 ? `tools changed: ${parts.join('; ')}` : undefined;
}

const isOther = (tool: ListedTool, old: ListedTool | undefined): boolean =>
	old !== undefined && !isDeepStrictEqual(definitionParts(tool), definitionParts(old));

function part(what: string, names: readonly string[]): string {
	if (names.length === 0) {
		return '';
	}

	const shown = names.slice(0, maxNames).map(name => escapeLine(name, maxNameLength));
	const more = names.length - shown.length;
	return `${what} ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
