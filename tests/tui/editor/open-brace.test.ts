import {expect, test} from 'vitest';
import type {JsonValue} from '../../../source/core/json.ts';
import {openBraces} from '../../../source/tui/editor/route-rows.ts';

test.for<[JsonValue, readonly string[]]>([
	['Look at {repo', ['repo']],
	['Look at {repo and {number}', ['repo']],
	['{pull_request.title\nof {number}', ['pull_request.title']],
	['{a {a {b', ['a', 'b']],
	[{to: '#ops', text: '{repo is red'}, ['repo']],
	['Look at {repo}', []],
	['{repo.name} and {number}', []],
	['answer as {"a": 1} or { x', []],
	['if (a) {return 1}', []],
	[7, []],
])('of %j the keys without a closing brace are %j', ([template, names]) => {
	expect(openBraces(template)).toEqual(
		names.map(name => `{${name} has no closing }, and stays as it is written`),
	);
});

test('a long text of braces is looked through at once', () => {
	const text = '{a.'.repeat(50_000);
	expect(openBraces(text)).toHaveLength(1);
});
