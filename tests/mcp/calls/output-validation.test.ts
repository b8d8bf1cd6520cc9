import type {Tool as ListedTool} from '@modelcontextprotocol/client';
import {Server} from '@modelcontextprotocol/server';
import {expect, test} from 'vitest';
import {listed, serverConfig} from '../catalogue/samples.ts';
import {openManager} from '../manager/open-manager.ts';
import {createMemoryTransports, type Serve} from '../servers/memory-transports.ts';

type Schema = NonNullable<ListedTool['outputSchema']>;

/** A server with one tool for each schema, which answers what it is told to. */
const answering =
	(schemas: Readonly<Record<string, Schema>>): Serve =>
	async transport => {
		const server = new Server({name: 'sample', version: '1'}, {capabilities: {tools: {}}});
		server.setRequestHandler('tools/list', () => ({
			tools: Object.entries(schemas).map(([name, outputSchema]) => listed(name, {outputSchema})),
		}));
		server.setRequestHandler('tools/call', ({params}) => ({
			content: [],
			structuredContent: {...params.arguments},
		}));
		await server.connect(transport);
	};

async function setUp(schemas: Readonly<Record<string, Schema>>) {
	const opened = await openManager({
		transports: createMemoryTransports(answering(schemas)).transports,
	});
	await opened.use(serverConfig());
	return opened;
}

const having = (property: string, more: object = {}): Schema => ({
	type: 'object',
	required: [property],
	...more,
});

test('an outputSchema that cannot be compiled leaves its tool usable, and is logged once', async () => {
	await using world = await setUp({
		odd: {type: 'object', properties: {a: {type: 'nonsense'}}},
		lost: {type: 'object', properties: {a: {type: ['string', 'nothing']}}},
	});
	for (const tool of ['odd', 'odd', 'lost']) {
		// oxlint-disable-next-line no-await-in-loop -- one call after the other
		expect(await world.call('crm', tool, {a: 'b'})).toEqual({
			text: 'structured content:\n{"a":"b"}',
		});
	}

	const warnings = world.records.filter(({level}) => level === 'warn');
	expect(warnings.map(({message}) => message)).toEqual([
		'An outputSchema cannot be used: what its tool answers is not checked',
		'An outputSchema cannot be used: what its tool answers is not checked',
	]);
	expect(warnings.map(({fields}) => fields)).toEqual([
		{server: 'crm', error: expect.stringContaining('nonsense')},
		{server: 'crm', error: expect.stringContaining('nothing')},
	]);
});

test('schemas of one id are told apart', async () => {
	const $id = 'https://example.com/answer';
	await using world = await setUp({a: having('a', {$id}), b: having('b', {$id}), c: having('c')});

	expect((await world.call('crm', 'a', {a: 1})).isError).toBeUndefined();
	expect((await world.call('crm', 'b', {b: 1})).isError).toBeUndefined();
	expect((await world.call('crm', 'b', {a: 1})).text).toContain('is not of its outputSchema');
	expect((await world.call('crm', 'c', {a: 1})).text).toContain('is not of its outputSchema');
});

test.for<[string, Schema, object]>([
	['a pattern', {type: 'object', properties: {a: {pattern: '^(a+)+$'}}}, {a: `${'a'.repeat(60)}!`}],
	[
		'references that branch',
		{
			type: 'object',
			$defs: Object.fromEntries(
				Array.from({length: 60}, (_, index) => [
					`d${index}`,
					{anyOf: [{$ref: `#/$defs/d${index + 1}`}, {$ref: `#/$defs/d${index + 1}`}]},
				]),
			),
			properties: {a: {$ref: '#/$defs/d0'}},
		},
		{a: 1},
	],
	[
		'a comparison of each with each',
		{type: 'object', properties: {a: {uniqueItems: true}}},
		{a: []},
	],
	['a large answer', having('b'), {a: 'x'.repeat(300_000)}],
])('%s cannot stall the program: the answer is taken as it is', async ([, schema, answer]) => {
	await using world = await setUp({odd: schema});
	const {isError} = await world.call('crm', 'odd', {...answer});

	expect(isError).toBeUndefined();
	expect(world.records.filter(({level}) => level === 'warn')).toEqual([]);
});
