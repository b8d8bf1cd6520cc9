import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {jsonHash} from '../../core/canonical-json.ts';
import type {JsonValue} from '../../core/json.ts';

/**
 * What a person agrees to when a tool is allowed: lower-case hex SHA-256 of the canonical JSON of everything the server says of the tool that people and models
 * read. The order of keys does not matter, anything else does.
 *
 * @see Decisions 6
 */
export const definitionOf = (tool: ListedTool): string =>
	jsonHash(plainJson(definitionParts(tool)));

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
