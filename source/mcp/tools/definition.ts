import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {jsonHash} from '../../core/canonical-json.ts';
import type {JsonValue} from '../../core/json.ts';

/**
 * What a person agrees to when a tool is allowed: lower-case hex SHA-256 of the canonical JSON of everything the server says of the tool that people and models
 * read. The order of keys does not matter, anything else does.
 *
 * @see Decisions 6
 */
export const definitionOf = ({
	name,
	title,
	description,
	inputSchema,
	outputSchema,
	annotations,
}: ListedTool): string =>
	jsonHash(plainJson({name, title, description, inputSchema, outputSchema, annotations}));

/** The value without members that are `undefined`. */
const plainJson = (value: unknown): JsonValue => {
	const json: JsonValue = JSON.parse(JSON.stringify(value));
	return json;
};
