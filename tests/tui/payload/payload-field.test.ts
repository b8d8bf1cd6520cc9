import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import type {JsonValue} from '../../../source/core/json.ts';
import {
	filterJson,
	filterOf,
	filterYaml,
	passes,
	type FieldFilter,
} from '../../../source/tui/payload/payload-field.ts';
import {payloadTree} from '../../../source/tui/payload/payload-tree.ts';
import {compileFilters} from '../../../source/webhook/filter.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const push = '{"ref": "main", "n": 1}';

// "payload.<x>: a top-level payload object, else the root of a flat payload."
test.for([
	[['pull_request', 'draft'], 'true', '{"pull_request":{"draft":true}}', 'pull_request.draft'],
	[['items', '0', 'id'], '7', '{"items":[{"id":7}]}', 'items.0.id'],
	[['deleted_at'], 'null', '{"deleted_at":null}', 'deleted_at'],
	[['pull_request'], undefined, `{"pull_request":${push}}`, 'pull_request'],
	[['list'], undefined, '{"list":[]}', 'list'],
	// "Pseudo-fields: event and event_type (resolved event type), headers.<Name> (request header)."
	[['event'], '"push"', '{"event":"push"}', 'payload.event'],
	[['headers', 'x'], '1', '{"headers":{"x":1}}', 'payload.headers.x'],
	[['event', 'type'], '"push"', '{"payload":{"a":1},"event":{"type":"push"}}', 'event.type'],
	[['payload', 'a'], '1', '{"payload":{"a":1}}', 'payload.a'],
	[['payload', '0'], '"a"', '{"payload":["a"]}', 'payload.payload.0'],
	[['payload', 'payload'], '1', '{"payload":{"payload":1}}', 'payload.payload'],
	[['payload'], undefined, '{"payload":{"payload":1}}', 'payload'],
	[['payload'], undefined, '{"payload":["a"]}', 'payload'],
] as const)('the field %j with %s of %s is %s', ([path, json, body, field]) => {
	const filter = filterOf({path, ...(json !== undefined && {json})}, body);

	expect(filter).toEqual(
		json === undefined ? {field, exists: true} : {field, equals: JSON.parse(json)},
	);
});

test.for([
	[['a.b'], '{"a.b":1}'],
	[[''], '{"":1}'],
	[['a', ''], '{"a":{"":1}}'],
	[['event'], '{"payload":{"a":1},"event":1}'],
	[['headers', 'x'], '{"payload":{"a":1},"headers":{"x":1}}'],
	[['a'], '{"a":1,"a":2}'],
	[['a'], 'no json'],
	[['b'], '{"a":1}'],
] as const)('no path names the field %j of %s', ([path, body]) => {
	expect(filterOf({path, json: '1'}, body)).toBeUndefined();
});

test('a number that is too large for a filter has none', () => {
	expect(filterOf({path: ['a'], json: '1e400'}, '{"a":1e400}')).toBeUndefined();
});

test('a filter reads what it was made from, whatever the payload is', () => {
	const name = fc.oneof(
		fc.constantFrom('payload', 'event', 'event_type', 'headers', '0', 'a', 'a.b', '__proto__', ''),
		fc.string({maxLength: 3}),
	);
	const {payload} = fc.letrec<{payload: JsonValue; leaf: JsonValue}>(tie => ({
		leaf: fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string()),
		payload: fc.oneof(
			{maxDepth: 4},
			tie('leaf'),
			fc.array(tie('payload'), {maxLength: 3}),
			fc.dictionary(name, tie('payload'), {maxKeys: 4}),
		),
	}));
	let offered = 0;
	fc.assert(
		fc.property(payload, root => {
			const text = JSON.stringify(root);
			const {fields} = payloadTree(new TextEncoder().encode(text));
			const context = {payload: root, event: 'an event', headers: {}};
			const filters = fields.flatMap(field => (field && filterOf(field, text)) ?? []);
			offered += filters.length;
			expect(filters.filter(filter => !passes(filter, text))).toEqual([]);
			expect(
				filters
					.map(filter => compileFilters(parse(filterYaml(filter)), () => false)(context))
					.filter(mismatch => mismatch !== undefined),
			).toEqual([]);
		}),
		{numRuns: propertyRuns(500)},
	);
	expect(offered).toBeGreaterThan(propertyRuns(500) / 5);
});

test('the YAML says what the filter says, whatever a stranger wrote', () => {
	const hostile = 'x"\n- field: secret\n  exists: true # \u0085\u2028: {{';
	const filter = filterOf(
		{path: [hostile], json: JSON.stringify(hostile)},
		JSON.stringify({[hostile]: hostile}),
	);

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

test('what is copied holds no character that a clipboard would change', () => {
	const hostile = 'a\u202Eb\u2066c\u0085d\u007Fe\uFEFFf\u2028g\u200Bh';
	const filter: FieldFilter = {field: hostile, equals: hostile};
	for (const text of [filterYaml(filter), filterJson(filter)]) {
		expect(text).not.toMatch(/[^\n -~]/);
		expect(parse(text)).toEqual([filter]);
	}
});

test('readable letters stay readable', () => {
	expect(filterYaml({field: 'größe', equals: '日本 👍'})).toBe(
		'- field: "größe"\n  equals: "日本 👍"\n',
	);
});

test.for([
	['{"a":{"b":[1,{"c":"x"}]}}', true],
	['{"a":{"b":[1,{"c":"y"}]}}', false],
	['{"a":{"b":{"1":{"c":"x"}}}}', true],
	['{"payload":{"a":{"b":[1,{"c":"x"}]}}}', false],
	['{"a":{}}', false],
	['[1]', false],
	['no json', false],
] as const)('a.b.1.c equals "x" in %s: %s', ([text, expected]) => {
	expect(passes({field: 'a.b.1.c', equals: 'x'}, text)).toBe(expected);
});

test('names of every object are no fields', () => {
	expect(passes({field: 'constructor', exists: true}, '{}')).toBe(false);
	expect(passes({field: 'a.length', exists: true}, '{"a":[1]}')).toBe(false);
});
