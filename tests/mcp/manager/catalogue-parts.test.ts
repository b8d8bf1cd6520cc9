import {expect, test} from 'vitest';
import {boundTools} from '../../../source/mcp/catalogue/list-tools.ts';
import {describeToolChanges} from '../../../source/mcp/catalogue/tool-definition.ts';
import {createChangeBatch} from '../../../source/mcp/manager/server-manager.ts';
import {createToolNameReservations} from '../../../source/mcp/manager/tool-name-reservations.ts';

const tool = (name: string, description = 'does it') => ({
	name,
	description,
	inputSchema: {type: 'object' as const},
});

test('what is different in a list is said in one line', () => {
	expect(
		describeToolChanges(
			[tool('a'), tool('b'), tool('c')],
			[tool('a'), tool('c', 'does another thing'), tool('d')],
		),
	).toBe('tools changed: added d; removed b; changed c');
});

test('another order of tools and of keys is no change', () => {
	const {name, description, inputSchema} = tool('a');

	expect(
		describeToolChanges([tool('b'), tool('a')], [{inputSchema, description, name}, tool('b')]),
	).toBeUndefined();
});

test('at most ten names are named, cleaned', () => {
	const many = Array.from({length: 12}, (_, index) => tool(`t${index}`));

	expect(describeToolChanges([], many)).toMatch(/^tools changed: added t0, .*, t9 and 2 more$/);
	expect(describeToolChanges([], [tool('\u001B[2J\nx')])).toBe('tools changed: added ␛[2J␊x');
});

test('at most 5,000 tools and 8 MB of a server’s list are looked at, and that is said', () => {
	const many = boundTools(Array.from({length: 5001}, (_, index) => tool(`t${index}`)));
	expect(many.tools).toHaveLength(5000);
	expect(many.warnings).toEqual(['offers 5001 tools, more than 5000; not used: 1']);

	const large = boundTools([tool('a', 'x'.repeat(5_000_000)), tool('b', 'x'.repeat(5_000_000))]);
	expect(large.tools.map(({name}) => name)).toEqual(['a']);
	expect(large.warnings).toEqual(['offers 2 tools, more than 8 MB of definitions; not used: 1']);
});

test('servers whose names meet are told of each other, whoever came first', () => {
	const told: string[] = [];
	const reservations = createToolNameReservations(name => told.push(name));
	reservations.reserve('a-b', new Set(['mcp__a_b__x', 'mcp__a_b__y']));
	expect(told).toEqual([]);
	reservations.reserve('a_b', new Set(['mcp__a_b__x']));
	expect(told).toEqual(['a-b']);
	reservations.reserve('a_b', new Set(['mcp__a_b__x']));
	expect(told).toEqual(['a-b']);
	reservations.reserve('other', new Set(['mcp__other__x']));
	expect(told).toEqual(['a-b']);
	reservations.reserve('a_b', new Set());

	expect(told).toEqual(['a-b', 'a-b']);
	expect([...reservations.takenFor('a-b')]).toEqual(['mcp__other__x']);
});

test('changes are told once a turn, and not after the end', async () => {
	const told: string[] = [];
	const turn = async () =>
		new Promise(resolve => {
			setImmediate(resolve);
		});
	const changes = createChangeBatch(name => told.push(name));
	changes.mark('a');
	changes.mark('a');
	changes.mark('b');
	await turn();
	expect(told).toEqual(['a', 'b']);
	changes.mark('a');
	changes[Symbol.dispose]();
	changes.mark('a');
	await turn();

	expect(told).toEqual(['a', 'b']);
});
