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

// The questions were written before the search, and not by those who wrote it. 95 are wanted, and not reached yet: this keeps what is.
test('what a model is shown holds a right tool for at least 83 of 100 questions', async () => {
	const deferred = tools.map(({server, name, ...tool}) => serverTool(server, name, tool));
	const places = new Map(
		deferred.map((tool, index) => [tool.name, `${tools[index]?.server}/${tools[index]?.name}`]),
	);
	let shown: readonly string[] = [];
	const search = toolSearch(deferred, names => {
		shown = names;
		return names;
	});
	const missed: string[] = [];
	for (const {query, wanted} of questions) {
		// oxlint-disable-next-line no-await-in-loop -- one search after the other
		await search.execute({query}, {signal: new AbortController().signal});
		if (!shown.some(name => wanted.includes(places.get(name) ?? ''))) {
			missed.push(query);
		}

		shown = [];
	}

	expect(missed.slice(17)).toEqual([]);
});
