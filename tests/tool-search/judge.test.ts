import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {toolSearch} from '../../source/agent/tool-search.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {serverTool} from '../agent/tool-world.ts';

function read(file: string): unknown {
	return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

const tools = read('tools.json') as ReadonlyArray<{
	server: string;
	name: string;
	description: string;
	inputSchema: JsonObject;
	readOnly: boolean;
}>;
const questions = read('questions.json') as ReadonlyArray<{query: string; wanted: string[]}>;

// The questions were written before the search, and not by those who wrote it. A model reads the tools that are found, with what they do, and the names of others.
test('what a model is shown names a right tool for at least 95 of 100 questions, and describes one for 83', async () => {
	const deferred = tools.map(({server, name, ...tool}) => serverTool(server, name, tool));
	const places = new Map(
		deferred.map((tool, index) => [tool.name, `${tools[index]?.server}/${tools[index]?.name}`]),
	);
	let found: readonly string[] = [];
	const search = toolSearch(deferred, names => {
		found = names;
		return names;
	});
	const unnamed: string[] = [];
	const undescribed: string[] = [];
	let longest = 0;
	for (const {query, wanted} of questions) {
		// oxlint-disable-next-line no-await-in-loop -- one search after the other
		const {text} = await search.execute({query}, {signal: new AbortController().signal});
		longest = Math.max(longest, text.length);
		const isWanted = (name: string) => wanted.includes(places.get(name) ?? '');
		if (!found.some(isWanted)) {
			undescribed.push(query);
			if (!namesIn(text).some(isWanted)) {
				unnamed.push(query);
			}
		}

		found = [];
	}

	expect(undescribed.slice(17)).toEqual([]);
	expect(unnamed.slice(5)).toEqual([]);
	expect(longest).toBeLessThan(6500);
});

/** `- mcp__crm__: find, list` */
const namesIn = (text: string): readonly string[] =>
	[...text.matchAll(/^- (mcp__\S+__): (.*)$/gm)].flatMap(([, prefix = '', names = '']) =>
		names.split(', ').map(name => prefix + name),
	);
