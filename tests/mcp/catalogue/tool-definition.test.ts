import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {canonicalJson} from '../../../source/core/json.ts';
import {definitionOf} from '../../../source/mcp/catalogue/tool-definition.ts';
import {listed} from './samples.ts';

const shuffled = (value: unknown): unknown => {
	if (Array.isArray(value)) {
		return value.map(shuffled);
	}

	return typeof value === 'object' && value !== null
		? Object.fromEntries(
				Object.entries(value)
					.toReversed()
					.map(([key, item]) => [key, shuffled(item)]),
			)
		: value;
};

test('the example of RFC 8785 is written as the RFC has it', () => {
	const value = {
		numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
		string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
		literals: [null, true, false],
	};

	expect(canonicalJson(value)).toBe(
		String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
	);
});

test('keys are sorted by UTF-16 units, as in the example of RFC 8785 §3.2.3', () => {
	const value = {
		'\u20ac': 'Euro Sign',
		'\r': 'Carriage Return',
		'\ufb33': 'Hebrew Letter Dalet With Dagesh',
		'1': 'One',
		'\ud83d\ude00': 'Emoji: Grinning Face',
		'\u0080': 'Control',
		'\u00f6': 'Latin Small Letter O With Diaeresis',
	};

	expect(Object.values(JSON.parse(canonicalJson(value)))).toEqual([
		'One',
		'Carriage Return',
		'Control',
		'Latin Small Letter O With Diaeresis',
		'Euro Sign',
		'Emoji: Grinning Face',
		'Hebrew Letter Dalet With Dagesh',
	]);
});

test('the order of keys does not change a definition', () => {
	fc.assert(
		fc.property(fc.jsonValue(), value => {
			const tool = listed('a', {inputSchema: {type: 'object', properties: {x: value as never}}});

			expect(definitionOf(shuffled(tool) as typeof tool)).toBe(definitionOf(tool));
			expect(JSON.parse(canonicalJson(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
		}),
	);
});

test.for([
	{title: 'T'},
	{description: 'Does something else'},
	{inputSchema: {type: 'object', properties: {a: {type: 'string'}}}},
	{outputSchema: {type: 'object'}},
	{annotations: {readOnlyHint: true}},
] as const)('another %j is another definition', more => {
	expect(definitionOf(listed('a', more))).not.toBe(definitionOf(listed('a')));
});

test('what people and models do not read is not part of a definition', () => {
	expect(definitionOf(listed('a', {_meta: {version: 2}}))).toBe(definitionOf(listed('a')));
	expect(definitionOf(listed('a'))).toMatch(/^[0-9a-f]{64}$/);
});
