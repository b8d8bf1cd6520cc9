import {expect, test} from 'vitest';
import type {FormField} from '../../../source/core/approval.ts';
import {contentProblem} from '../../../source/core/approvals/content-problem.ts';
import type {JsonValue} from '../../../source/core/json.ts';

const field = (overrides: Partial<FormField>): FormField => ({
	key: 'it',
	title: 'It',
	description: '',
	kind: 'text',
	required: false,
	masked: false,
	...overrides,
});

const options = [
	{value: 'a', title: 'A'},
	{value: 'b', title: 'B'},
];

test.for<{what: Partial<FormField>; value: JsonValue; problem?: string}>([
	{what: {}, value: 'text'},
	{what: {}, value: 7, problem: 'must be a text'},
	{what: {required: true}, value: '', problem: 'must be filled in'},
	{what: {least: 2, most: 3}, value: '🙂🙂🙂'},
	{what: {least: 2, most: 3}, value: 'x', problem: 'must have 2 to 3 characters'},
	{what: {}, value: 'x'.repeat(10_001), problem: 'must have 0 to 10000 characters'},
	{what: {format: 'email'}, value: 'a@example.com'},
	{what: {format: 'email'}, value: 'a@', problem: 'must be a email'},
	{what: {format: 'uri'}, value: 'https://example.com/x'},
	{what: {format: 'uri'}, value: 'example', problem: 'must be a uri'},
	{what: {format: 'date'}, value: '2026-02-28'},
	{what: {format: 'date'}, value: '2026-02-31', problem: 'must be a date'},
	{what: {format: 'date'}, value: '28.2.2026', problem: 'must be a date'},
	{what: {format: 'date-time'}, value: '2026-02-28T10:00:00Z'},
	{what: {format: 'date-time'}, value: '2026-02-28', problem: 'must be a date-time'},
	{what: {format: 'unknown'}, value: 'anything'},
	{what: {format: 'constructor'}, value: 'anything'},
	{what: {kind: 'number', least: 1, most: 2}, value: 1.5},
	{what: {kind: 'number', least: 1}, value: 0, problem: 'must be at least 1'},
	{what: {kind: 'number', most: 2}, value: 3, problem: 'must be at most 2'},
	{what: {kind: 'number'}, value: '1', problem: 'must be a number'},
	{what: {kind: 'integer'}, value: 1.5, problem: 'must be a whole number'},
	{what: {kind: 'boolean'}, value: false},
	{what: {kind: 'boolean'}, value: 'yes', problem: 'must be true or false'},
	{what: {kind: 'choice', options}, value: 'a'},
	{what: {kind: 'choice', options}, value: 'c', problem: 'must be one of its options'},
	{what: {kind: 'choices', options}, value: ['a', 'b']},
	{what: {kind: 'choices', options}, value: []},
	{what: {kind: 'choices', options}, value: ['c'], problem: 'must be a list of its options'},
	{what: {kind: 'choices', options}, value: ['a', 'a'], problem: 'must name no option twice'},
	{
		what: {kind: 'choices', options, least: 2},
		value: ['a'],
		problem: 'must have 2 to 2 of its options',
	},
])('a field that is $what takes $value: $problem', ({what, value, problem}) => {
	expect(contentProblem([field(what)], {it: value})).toBe(problem && `field "It" ${problem}`);
});

test('what may be left out may be absent, what is required not', () => {
	expect(contentProblem([field({})], {})).toBeUndefined();
	expect(contentProblem([field({required: true, title: ''})], {})).toBe(
		'field "it" must be filled in',
	);
	// An inherited name is no content.
	expect(contentProblem([field({key: 'toString', required: true})], {})).toContain('filled in');
});
