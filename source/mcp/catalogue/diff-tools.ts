import {isDeepStrictEqual} from 'node:util';
import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {cell} from '../../core/untrusted.ts';
import {definitionParts} from './definition.ts';

const mostNames = 10;
const longestName = 64;

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

	const shown = names.slice(0, mostNames).map(name => cell(name, longestName).text);
	const more = names.length - shown.length;
	return `${what} ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
