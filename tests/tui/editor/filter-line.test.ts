import {assert, constantFrom, jsonValue, property, record, string} from 'fast-check';
import {expect, test} from 'vitest';
import type {JsonValue} from '../../../source/core/json.ts';
import {payloadOperators} from '../../../source/core/payload.ts';
import {filterLine, parsedFilter, withMember} from '../../../source/tui/editor/list-setting.ts';

test.for([
	[{field: 'action', in: ['opened', 'synchronize']}, 'action in opened, synchronize'],
	[{field: 'draft', missing: true}, 'draft missing'],
	[{field: 'draft', exists: false}, 'draft exists false'],
	[{field: 'draft', equals: false}, 'draft equals false'],
	[{field: 'assignee', equals: null}, 'assignee equals null'],
	[{field: 'number', equals: '7'}, 'number equals "7"'],
	[{field: 'title', regex: '^\\[x, "y"'}, 'title regex ^\\[x, "y"'],
	[{any: [{field: 'a', exists: true}]}, '{"any":[{"field":"a","exists":true}]}'],
	[{field: 'a', exists: true, not_equals: 1}, '{"field":"a","exists":true,"not_equals":1}'],
	[{field: 'two words', exists: true}, '{"field":"two words","exists":true}'],
] as const)('%j is typed as %s', ([filter, line]) => {
	expect(filterLine(filter as JsonValue)).toBe(line);
	expect(parsedFilter(line)).toEqual({ok: true, value: filter});
});

test('null in a list is null', () => {
	expect(parsedFilter('assignee in null, ann')).toEqual({
		ok: true,
		value: {field: 'assignee', in: [null, 'ann']},
	});
});

test.for(['action', 'action is x', 'action equals', '{"field"', '[1]'])(
	'%s is no filter, and says what one is',
	line => {
		expect(parsedFilter(line)).toMatchObject({ok: false});
	},
);

test('what a line shows is what it is read back as', () => {
	assert(
		property(
			record({field: string(), operator: constantFrom(...payloadOperators), value: jsonValue()}),
			({field, operator, value}) => {
				const filter = JSON.parse(JSON.stringify({field, [operator]: value})) as JsonValue;
				expect(parsedFilter(filterLine(filter))).toEqual({ok: true, value: filter});
			},
		),
	);
});

test.for([
	[undefined, '+', 'a', 'a'],
	['a', '+', 'b', ['a', 'b']],
	['a', '0', 'b', 'b'],
	['a', '0', undefined, undefined],
	[['a', 'b'], '0', undefined, 'b'],
	[[{field: 'x'}, {field: 'y'}], '0', undefined, [{field: 'y'}]],
	[['a'], '0', undefined, undefined],
	[undefined, '+', {field: 'x'}, [{field: 'x'}]],
	[{field: 'x'}, '0', {field: 'y'}, {field: 'y'}],
] as const)('%j with %s as %j is %j', ([list, at, value, after]) => {
	expect(withMember(list as JsonValue, at, value as JsonValue)).toEqual(after);
});
