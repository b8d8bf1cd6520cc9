import {execFileSync} from 'node:child_process';
import {mkdir, symlink, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {FilterSpec} from '../../source/config/route.ts';
import type {JsonValue} from '../../source/core/json.ts';
import {createLogger} from '../../source/core/log.ts';
import {createFilterFiles} from '../../source/webhook/filter-files.ts';
import {compileFilters, explainMismatch} from '../../source/webhook/filter.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

const headers = {'x-forge-event': 'push', 'user-agent': 'Hook/1', authorization: 'Bearer t'};

const explain = (filters: FilterSpec | readonly FilterSpec[], payload: JsonValue) => {
	const list = 'length' in filters ? filters : [filters];
	const mismatch = compileFilters(list, () => false)({payload, event: 'push', headers});
	return mismatch && explainMismatch(mismatch);
};

const matches = (filters: FilterSpec | readonly FilterSpec[], payload: JsonValue) =>
	explain(filters, payload) === undefined;

const payload = {
	action: 'opened',
	n: 7,
	zero: 0,
	yes: true,
	nothing: null,
	labels: ['bug', 'urgent', {id: 1}],
	user: {login: 'ada', roles: {admin: 1}},
	items: [{id: 'a'}, {id: 'b'}],
} satisfies JsonValue;

const table: ReadonlyArray<readonly [rule: string, spec: FilterSpec, expected: boolean]> = [
	['`exists` true: field presence', {field: 'action', exists: true}, true],
	['`exists` true', {field: 'nope', exists: true}, false],
	['`exists` false', {field: 'nope', exists: false}, true],
	['`exists` false', {field: 'action', exists: false}, false],
	['null is present', {field: 'nothing', exists: true}, true],
	['`missing` true: field absence', {field: 'nope', missing: true}, true],
	['`missing` true', {field: 'user.login', missing: true}, false],
	['`equals`', {field: 'action', equals: 'opened'}, true],
	['`equals`', {field: 'action', equals: 'closed'}, false],
	['equality is strict by type', {field: 'n', equals: '7'}, false],
	['equality is strict by type', {field: 'zero', equals: false}, false],
	['equality is strict by type', {field: 'nothing', equals: ''}, false],
	['equality is deep', {field: 'user', equals: {roles: {admin: 1}, login: 'ada'}}, true],
	['equality is deep', {field: 'user', equals: {login: 'ada'}}, false],
	['equality is deep', {field: 'items', equals: [{id: 'a'}, {id: 'b'}]}, true],
	['equality is deep', {field: 'items', equals: [{id: 'b'}, {id: 'a'}]}, false],
	['`not_equals`', {field: 'action', not_equals: 'closed'}, true],
	['`not_equals`', {field: 'action', not_equals: 'opened'}, false],
	['`contains`: substring for strings', {field: 'action', contains: 'pen'}, true],
	['`contains`: substring for strings', {field: 'action', contains: 'x'}, false],
	['`contains`: membership for lists', {field: 'labels', contains: 'bug'}, true],
	['`contains`: membership for lists', {field: 'labels', contains: 'bu'}, false],
	['`contains`: membership for lists', {field: 'labels', contains: {id: 1}}, true],
	['`contains`: key membership for mappings', {field: 'user', contains: 'login'}, true],
	['`contains`: key membership for mappings', {field: 'user', contains: 'ada'}, false],
	['`contains`: own keys only', {field: 'user', contains: 'constructor'}, false],
	['`contains` of a number', {field: 'n', contains: 7}, false],
	['`in`: value is in an inline list', {field: 'n', in: [1, 7]}, true],
	['`in`', {field: 'n', in: ['7']}, false],
	['`in`', {field: 'user', in: [{login: 'ada', roles: {admin: 1}}]}, true],
	['`regex` is unanchored', {field: 'user.login', regex: 'd'}, true],
	['`regex`', {field: 'user.login', regex: '^(?i)ADA$'}, true],
	['`regex`', {field: 'user.login', regex: '^d'}, false],
	['`regex` on a number', {field: 'n', regex: '^7$'}, true],
	['`regex` on a list', {field: 'labels', regex: 'bug'}, false],
	['several operators in one object must all hold', {field: 'n', exists: true, equals: 7}, true],
	['several operators in one object must all hold', {field: 'n', exists: true, equals: 8}, false],
	[
		'`all`',
		{
			all: [
				{field: 'n', equals: 7},
				{field: 'yes', equals: true},
			],
		},
		true,
	],
	[
		'`all`',
		{
			all: [
				{field: 'n', equals: 7},
				{field: 'yes', equals: false},
			],
		},
		false,
	],
	[
		'`any`',
		{
			any: [
				{field: 'n', equals: 8},
				{field: 'yes', equals: true},
			],
		},
		true,
	],
	[
		'`any`',
		{
			any: [
				{field: 'n', equals: 8},
				{field: 'yes', equals: false},
			],
		},
		false,
	],
	['`any` of nothing', {any: []}, false],
	['`not`', {not: {field: 'n', equals: 8}}, true],
	['`not`', {not: {field: 'n', equals: 7}}, false],
	[
		'`not` of a list: not all of them',
		{
			not: [
				{field: 'n', equals: 7},
				{field: 'n', equals: 8},
			],
		},
		true,
	],
	['groups hold nested groups', {not: {any: [{all: [{field: 'n', equals: 7}]}]}}, false],
	['a group beside a field: both', {field: 'n', equals: 7, any: [{field: 'n', equals: 8}]}, false],
	['field paths use dot notation', {field: 'user.roles.admin', equals: 1}, true],
	['list indexes allowed (`items.0.id`)', {field: 'items.1.id', equals: 'b'}, true],
	['list indexes are plain', {field: 'items.01.id', exists: true}, false],
	['list indexes are plain', {field: 'items.-1.id', exists: true}, false],
	['own properties only', {field: 'items.length', exists: true}, false],
	['own properties only', {field: 'constructor', exists: true}, false],
	['own properties only', {field: 'user.__proto__', exists: true}, false],
	['pseudo-field `event`', {field: 'event', equals: 'push'}, true],
	['pseudo-field `event_type`', {field: 'event_type', equals: 'push'}, true],
	['`headers.<Name>` is case-insensitive', {field: 'headers.User-AGENT', contains: 'Hook'}, true],
	['`headers.<Name>` missing', {field: 'headers.X-None', missing: true}, true],
	['`headers.<Name>` own only', {field: 'headers.constructor', missing: true}, true],
	[
		'`payload.<x>` reads the root of a flat payload',
		{field: 'payload.action', equals: 'opened'},
		true,
	],
	['an entry without an operator fails closed', {field: 'action'}, false],
	['an empty entry fails closed', {}, false],
];

test.for(table)('%s: %j → %s', ([, spec, expected]) => {
	expect(matches(spec, payload)).toBe(expected);
});

test('a missing field satisfies only `missing: true`, `exists: false` and `not_equals`', () => {
	const field = 'nope';
	expect(matches({field, missing: true}, {})).toBe(true);
	expect(matches({field, exists: false}, {})).toBe(true);
	expect(matches({field, not_equals: 1}, {})).toBe(true);
	for (const spec of [
		{field, missing: false},
		{field, exists: true},
		{field, equals: null},
		{field, contains: ''},
		{field, in: [null]},
		{field, in_file: 'list'},
		{field, regex: ''},
	]) {
		expect([spec, matches(spec, {})]).toEqual([spec, false]);
	}
});

test('`payload.<x>` reads from a top-level `payload` object when one exists', () => {
	expect(matches({field: 'payload.a', equals: 1}, {payload: {a: 1}, a: 2})).toBe(true);
	expect(matches({field: 'payload.a', missing: true}, {payload: {}, a: 2})).toBe(true);
	expect(matches({field: 'payload.a', equals: 2}, {payload: 'text', a: 2})).toBe(true);
	expect(matches({field: 'payload.a', equals: 2}, {payload: [1], a: 2})).toBe(true);
	expect(matches({field: 'payload', equals: 'text'}, {payload: 'text'})).toBe(true);
});

test('an event passes only when every entry matches; the first that does not is named', () => {
	const filters = [
		{field: 'n', equals: 7},
		{
			all: [
				{field: 'yes', equals: true},
				{field: 'user.login', regex: '^bob$'},
			],
		},
	];
	expect(explain(filters, payload)).toBe('filters[1].all[1] user.login regex "^bob$": got "ada"');
	expect(explain({any: [{field: 'n', equals: 1}]}, payload)).toBe(
		'filters[0] any of 1: got no match',
	);
	expect(explain({not: {field: 'n', exists: true}}, payload)).toBe(
		'filters[0] not to match: got a match',
	);
	expect(explain({field: 'x', equals: 1}, payload)).toBe('filters[0] x equals 1: got nothing');
	expect(explain({field: 'labels', equals: 'y'.repeat(100)}, payload)).toBe(
		`filters[0] labels equals "${'y'.repeat(80)}"… (100 characters): got a list of 3`,
	);
	expect(explain({field: 'headers.Authorization', equals: ''}, payload)).toContain('not shown');
});

test('no pattern and no payload can stall: an evil pattern on 60,000 characters', () => {
	expect(matches({field: 'a', regex: '^(a+)+$'}, {a: `${'a'.repeat(60_000)}!`})).toBe(false);
});

test('depth of a payload does not matter', () => {
	const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as JsonValue;
	expect(matches({field: 'a', contains: deep}, {a: [deep]})).toBe(true);
	const other = JSON.parse(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`) as JsonValue;
	expect(matches({field: 'a', equals: deep}, {a: other})).toBe(false);
	expect(matches({field: '0.0.0', exists: true}, deep)).toBe(true);
});

test('equality agrees with the canonical text of both values', () => {
	const canonical = (value: JsonValue): string =>
		JSON.stringify(value, (_, member: unknown) =>
			typeof member === 'object' && member !== null && !Array.isArray(member)
				? {sorted: Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1))}
				: member,
		);
	const value = fc
		.jsonValue({maxDepth: 3})
		.map(made => JSON.parse(JSON.stringify(made)) as JsonValue);
	fc.assert(
		fc.property(value, value, (left, right) => {
			expect(matches({field: 'v', equals: left}, {v: left})).toBe(true);
			expect(matches({field: 'v', equals: left}, {v: right})).toBe(
				canonical(left) === canonical(right),
			);
		}),
		{examples: [[[], {}]]},
	);
});

test('no field path and no payload make it throw', () => {
	fc.assert(
		fc.property(fc.string(), fc.jsonValue(), (field, value) => {
			const json = JSON.parse(JSON.stringify(value)) as JsonValue;
			expect(typeof matches({field, exists: true}, json)).toBe('boolean');
		}),
		{numRuns: propertyRuns(2000)},
	);
});

const logOf = (lines: string[]) =>
	createLogger({
		clock: createFakeClock(),
		redact: text => text,
		write: ({message}) => {
			lines.push(message);
		},
	});

test('`in_file`: JSON array, JSON object (keys are used) or newline-delimited text', async () => {
	await using home = await temporaryHome({
		'array.json': '["a", 7, {"x": 1}]',
		'object.json': '{"a": 0, "7": 1, "": 2}',
		'lines.txt': '  a \r\n\n7\ntrue\n[bot]\n',
		'bracket.txt': '[bot]\na',
	});
	const holds = createFilterFiles({clock: createFakeClock(), log: logOf([])})(home.path);
	const held = (file: string) =>
		(['a', 'b', 7, '7', true, {x: 1}, '', null, '[bot]'] as const).filter(value =>
			holds(file, value),
		);
	expect(held('array.json')).toEqual(['a', 7, {x: 1}]);
	expect(held('object.json')).toEqual(['a', 7, '7']);
	expect(held('lines.txt')).toEqual(['a', 7, '7', true, '[bot]']);
	expect(held('bracket.txt')).toEqual(['a', '[bot]']);
});

test('a filter file is read again when it changed', async () => {
	await using home = await temporaryHome({list: 'a'});
	const holds = createFilterFiles({clock: createFakeClock(), log: logOf([])})(home.path);
	expect([holds('list', 'a'), holds('list', 'b')]).toEqual([true, false]);
	await home.write('list', 'b');
	await utimes(home.file('list'), 1, 1);
	expect([holds('list', 'a'), holds('list', 'b')]).toEqual([false, true]);
});

test('a filter file that is written twice in one tick of its time stamp, at one size, is read again', async () => {
	await using home = await temporaryHome();
	const clock = createFakeClock(1_750_000_000_000);
	const holds = createFilterFiles({clock, log: logOf([])})(home.path);
	const write = async (text: string, seconds: number) => {
		await home.write('list', text);
		await utimes(home.file('list'), seconds, seconds);
	};

	await write('a', 1_750_000_000);
	expect(holds('list', 'a')).toBe(true);
	clock.advance(100);
	await write('b', 1_750_000_000);
	expect([holds('list', 'a'), holds('list', 'b')]).toEqual([false, true]);
	clock.advance(1);
	expect(holds('list', 'b')).toBe(true);

	// From now on a look at the stamp is enough.
	await write('c', 1_750_000_000);
	expect([holds('list', 'b'), holds('list', 'c')]).toEqual([true, false]);
	await write('d', 1_750_000_000.001);
	expect(holds('list', 'd')).toBe(true);
});

test('a filter file with a time stamp in the future is not read for each event', async () => {
	await using home = await temporaryHome({list: 'a'});
	await utimes(home.file('list'), 1_750_003_600, 1_750_003_600);
	const clock = createFakeClock(1_750_000_000_000);
	const holds = createFilterFiles({clock, log: logOf([])})(home.path);
	holds('list', 'a');
	clock.advance(101);
	holds('list', 'a');
	await home.write('list', 'b');
	await utimes(home.file('list'), 1_750_003_600, 1_750_003_600);
	expect(holds('list', 'a')).toBe(true);
});

test('`in_file` resolves in the profile home and stays inside, links followed; the log says so once', async () => {
	await using outside = await temporaryHome({secret: 'a'});
	await using home = await temporaryHome({inside: 'a'});
	await symlink(outside.file('secret'), home.file('link'));
	await symlink(home.file('inside'), home.file('good-link'));
	await mkdir(home.file('folder'));
	execFileSync('mkfifo', [home.file('pipe')]);
	await writeFile(home.file('huge'), 'a\n'.repeat(3 * 1024 * 1024));
	const lines: string[] = [];
	const holds = createFilterFiles({clock: createFakeClock(), log: logOf(lines)})(home.path);
	for (const path of [
		'link',
		'../x',
		join(outside.path, 'secret'),
		'none',
		'folder',
		'pipe',
		'huge',
		'',
		'.',
		'a\u0000b',
	]) {
		lines.length = 0;
		expect([path, holds(path, 'a'), holds(path, 'a')]).toEqual([path, false, false]);
		expect(lines).toHaveLength(1);
	}

	expect(holds('good-link', 'a')).toBe(true);
	expect(holds(home.file('inside'), 'a')).toBe(true);
});
