import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {
	filterJson,
	filterOf,
	filterYaml,
	hasSame,
} from '../../../source/tui/traffic/payload-field.ts';

test.for([
	[['pull_request', 'draft'], 'true', {field: 'pull_request.draft', equals: true}],
	[['items', '0', 'id'], '7', {field: 'items.0.id', equals: 7}],
	[['deleted_at'], 'null', {field: 'deleted_at', equals: null}],
	[['pull_request'], undefined, {field: 'pull_request', exists: true}],
	// "Pseudo-fields: event and event_type (resolved event type), headers.<Name> (request header)."
	[['event'], '"push"', {field: 'payload.event', equals: 'push'}],
	[['headers', 'x'], '1', {field: 'payload.headers.x', equals: 1}],
] as const)('the field %j with %s becomes %j', ([path, json, expected]) => {
	expect(filterOf({path, ...(json !== undefined && {json})})).toEqual(expected);
});

test.for([[['a.b']], [['']], [['a', '']]] as const)('no path names the field %j', ([path]) => {
	expect(filterOf({path, json: '1'})).toBeUndefined();
});

test('the YAML says what the filter says, whatever a stranger wrote', () => {
	const hostile = 'x"\n- field: secret\n  exists: true # \u0085\u2028: {{';
	const filter = filterOf({path: [hostile.replaceAll('.', '')], json: JSON.stringify(hostile)});

	expect(filter).toBeDefined();
	expect(parse(filter ? filterYaml(filter) : '')).toEqual([filter]);
	expect(JSON.parse(filter ? filterJson(filter) : '')).toEqual([filter]);
});

test('the opposite of a value is another value, of presence absence', () => {
	expect(parse(filterYaml({field: 'a', equals: 1}, true))).toEqual([{field: 'a', not_equals: 1}]);
	expect(parse(filterYaml({field: 'a', exists: true}, true))).toEqual([
		{field: 'a', exists: false},
	]);
});

test.for([
	['{"a":{"b":[1,{"c":"x"}]}}', true],
	['{"a":{"b":[1,{"c":"y"}]}}', false],
	['{"a":{"b":{"1":{"c":"x"}}}}', true],
	['{"a":{}}', false],
	['[1]', false],
	['no json', false],
] as const)('a.b.1.c is "x" in %s: %s', ([text, expected]) => {
	expect(hasSame({path: ['a', 'b', '1', 'c'], json: '"x"'}, text)).toBe(expected);
});

test('names of every object are no fields', () => {
	expect(hasSame({path: ['constructor']}, '{}')).toBe(false);
	expect(hasSame({path: ['a', 'length']}, '{"a":[1]}')).toBe(false);
});
