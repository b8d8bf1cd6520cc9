import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

function read(file: string): unknown {
	return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

const tools = read('tools.json') as ReadonlyArray<{server: string; name: string}>;
const questions = read('questions.json') as ReadonlyArray<{query: string; wanted: string[]}>;
const names = new Set(tools.map(({server, name}) => `${server}/${name}`));

test('there are 1,000 tools, each with its own name on its server', () => {
	expect(tools).toHaveLength(1000);
	expect(names.size).toBe(1000);
});

test('there are 100 different questions, each with 1 to 6 tools that exist', () => {
	expect(questions).toHaveLength(100);
	expect(new Set(questions.map(({query}) => query)).size).toBe(100);
	expect(questions.filter(({wanted}) => wanted.length === 0 || wanted.length > 6)).toEqual([]);
	expect(questions.filter(({wanted}) => new Set(wanted).size < wanted.length)).toEqual([]);
	expect(questions.flatMap(({wanted}) => wanted).filter(name => !names.has(name))).toEqual([]);
});
