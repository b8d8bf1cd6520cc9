import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {nameTools} from '../../../source/mcp/catalogue/tool-names.ts';

const toNames = (names: readonly string[]) => names.map(tool => ({key: `native ${tool}`, tool}));

const namesOf = (server: string, tools: readonly string[], taken: readonly string[] = []) =>
	Object.fromEntries(
		[...nameTools(server, toNames(tools), new Set(taken)).names].map(([key, name]) => [
			key.slice('native '.length),
			name,
		]),
	);

test('server-native tools become mcp__<server>__<tool>', () => {
	expect(namesOf('github', ['create_issue'])).toEqual({
		create_issue: 'mcp__github__create_issue',
	});
});

test('every character other than letter, digit, underscore in server and tool names is replaced by an underscore', () => {
	expect(namesOf('my-server.v2', ['get-all.Items', 'größe😀'])).toEqual({
		'get-all.Items': 'mcp__my_server_v2__get_all_Items',
		'größe😀': 'mcp__my_server_v2__gr__e_',
	});
});

test('names longer than 64 characters are cut and suffixed by a hash', () => {
	const names = namesOf('s', [`${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`]);
	const [first = '', second = ''] = Object.values(names);

	expect(first).toMatch(/^mcp__s__x{47}_[0-9a-f]{8}$/);
	expect(first).toHaveLength(64);
	expect(second).toHaveLength(64);
	expect(first).not.toBe(second);
});

test('two tools that sanitise to one name: both get a hash suffix', () => {
	const {names, collided} = nameTools('s', toNames(['a-b', 'a_b', 'c']), new Set());

	expect([...names.values()]).toEqual([
		expect.stringMatching(/^mcp__s__a_b_[0-9a-f]{8}$/),
		expect.stringMatching(/^mcp__s__a_b_[0-9a-f]{8}$/),
		'mcp__s__c',
	]);
	expect(new Set(names.values()).size).toBe(3);
	expect(collided).toEqual(['a-b', 'a_b']);
});

test('tools of two servers that sanitise to one name both get a suffix, whoever is planned first', () => {
	const plan = (server: string, tool: string, taken: ReadonlySet<string>) =>
		nameTools(server, toNames([tool]), taken);
	const settle = (order: ReadonlyArray<readonly [string, string]>) => {
		const plans = new Map<string, ReturnType<typeof plan>>();
		for (const [server, tool] of [...order, ...order]) {
			const others = plans.entries().filter(([name]) => name !== server);
			const taken = new Set(others.flatMap(([, {reserved}]) => [...reserved]).toArray());
			plans.set(server, plan(server, tool, taken));
		}

		return Object.fromEntries(
			plans.entries().map(([name, {names}]) => [name, [...names.values()]]),
		);
	};

	const one = settle([
		['x', 'y__z'],
		['x__y', 'z'],
	]);
	const other = settle([
		['x__y', 'z'],
		['x', 'y__z'],
	]);

	expect(one).toEqual(other);
	expect(one['x']).not.toEqual(one['x__y']);
	expect(JSON.stringify(one)).toMatch(/"mcp__x__y__z_[0-9a-f]{8}".*"mcp__x__y__z_[0-9a-f]{8}"/);
});

const awkward = fc.string({
	unit: fc.constantFrom('a', 'b', '_', '-', '.', ' ', 'é', '😀', '\n'),
	maxLength: 70,
});

test('no outcome holds a name twice, one that is taken, or one that models refuse', () => {
	fc.assert(
		fc.property(
			awkward,
			fc.uniqueArray(awkward, {maxLength: 30}),
			fc.array(fc.nat(29), {maxLength: 10}),
			(server, tools, takenAt) => {
				const before = nameTools(server, toNames(tools), new Set());
				const taken = new Set(takenAt.flatMap(index => [...before.names.values()].at(index) ?? []));
				const names = [...nameTools(server, toNames(tools), taken).names.values()];

				expect(new Set(names).size).toBe(tools.length);
				expect(names.filter(name => taken.has(name))).toEqual([]);
				expect(names.filter(name => !/^\w{1,64}$/.test(name))).toEqual([]);
			},
		),
	);
});

test('the order of the list does not matter', () => {
	fc.assert(
		fc.property(awkward, fc.uniqueArray(awkward, {maxLength: 20}), (server, tools) => {
			expect(namesOf(server, tools.toReversed())).toEqual(namesOf(server, tools));
		}),
	);
});

test('a name that was made to be another one’s suffixed name does not get in its way', () => {
	const suffixed = namesOf('s', ['a-b', 'a_b'])['a-b'] ?? '';
	const copy = suffixed.slice('mcp__s__'.length);
	const names = Object.values(namesOf('s', ['a-b', 'a_b', copy]));

	expect(new Set(names).size).toBe(3);
});
