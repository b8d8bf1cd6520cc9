import {createHash} from 'node:crypto';
import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {canonicalJson} from './canonical-json.ts';

/** Lower-case hex SHA-256. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

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
	sha256(canonicalJson({name, title, description, inputSchema, outputSchema, annotations}));
