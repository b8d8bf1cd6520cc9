import {expect, test} from 'vitest';
import {connected, tableServer, utilityTool} from '../calls/connected.ts';

const resourceServer = () =>
	tableServer({}, {capabilities: {tools: {}, resources: {}, prompts: {}}});

const resource = (index: number) => ({uri: `note://${index}`, name: `Note ${index}`});

/** Pages of 100 resources each. */
function withPages(pages: number, templates = true) {
	const server = resourceServer();
	const asked: Array<string | undefined> = [];
	server.setRequestHandler('resources/list', ({params}) => {
		const page = Number(params?.cursor ?? 0);
		asked.push(params?.cursor);
		return {
			resources: Array.from({length: 100}, (_, index) => resource(page * 100 + index)),
			...(page + 1 < pages ? {nextCursor: String(page + 1)} : {}),
		};
	});
	if (templates) {
		server.setRequestHandler('resources/templates/list', () => ({
			resourceTemplates: [{uriTemplate: 'note://{id}', name: 'A note', _meta: {x: 1}}],
		}));
	}

	return {server, asked};
}

test('list_resources lists resources and templates, and says where the next page begins', async () => {
	const {server, asked} = withPages(5);
	await using world = await connected(server);
	const first = JSON.parse(await world.read(utilityTool('list_resources')));

	expect(first.resources).toHaveLength(200);
	expect(first.resource_templates).toEqual([{uriTemplate: 'note://{id}', name: 'A note'}]);
	expect(first.next_cursor).toBe('2');

	const last = JSON.parse(await world.read(utilityTool('list_resources'), {cursor: '4'}));
	expect(last.resources[0]).toEqual(resource(400));
	expect(last).not.toHaveProperty('next_cursor');
	expect(last).not.toHaveProperty('resource_templates');
	expect(asked).toEqual([undefined, '1', '4']);
});

test('a server without templates has resources all the same', async () => {
	const {server} = withPages(1, false);
	await using world = await connected(server);

	expect(JSON.parse(await world.read(utilityTool('list_resources'))).resources).toHaveLength(100);
});

test('a cursor that never ends is followed for 10 pages, one that does not move for two', async () => {
	const server = resourceServer();
	let asked = 0;
	server.setRequestHandler('prompts/list', () => {
		asked += 1;
		return {prompts: [], nextCursor: String(asked)};
	});
	server.setRequestHandler('resources/list', () => {
		asked += 1;
		return {resources: [], nextCursor: 'same'};
	});
	await using world = await connected(server);

	expect(JSON.parse(await world.read(utilityTool('list_prompts')))).toEqual({
		prompts: [],
		next_cursor: '10',
	});
	expect(asked).toBe(10);
	await world.read(utilityTool('list_resources'));
	expect(asked).toBe(12);
});

test('read_resource reads by URI and saves what is no text', async () => {
	const server = resourceServer();
	server.setRequestHandler('resources/read', ({params: {uri}}) => ({
		contents: [
			{uri, text: 'hello'},
			{uri: `${uri}/raw`, blob: Buffer.from('raw').toString('base64'), mimeType: 'application/pdf'},
		],
	}));
	await using world = await connected(server);
	const answer = await world.read(utilityTool('read_resource'), {uri: 'note://1'});

	expect(answer).toMatch(
		/^\[resource note:\/\/1\]\nhello\n\[resource note:\/\/1\/raw, application\/pdf, 3 bytes, saved as .*\.pdf\]$/,
	);
});

test('list_prompts and get_prompt', async () => {
	const server = resourceServer();
	server.setRequestHandler('prompts/list', () => ({
		prompts: [{name: 'review', description: 'Reviews', arguments: [{name: 'pr', required: true}]}],
	}));
	server.setRequestHandler('prompts/get', ({params}) => ({
		description: 'A review',
		messages: [
			{role: 'user', content: {type: 'text', text: JSON.stringify(params.arguments)}},
			{role: 'assistant', content: {type: 'text', text: 'Fine'}},
		],
	}));
	await using world = await connected(server);

	expect(JSON.parse(await world.read(utilityTool('list_prompts')))).toEqual({
		prompts: [{name: 'review', description: 'Reviews', arguments: [{name: 'pr', required: true}]}],
	});
	expect(
		await world.read(utilityTool('get_prompt'), {name: 'review', arguments: {pr: 5, by: 'me'}}),
	).toBe('A review\nuser:\n{"pr":"5","by":"me"}\nassistant:\nFine');
});

test.for([
	['read_resource', {}, 'uri'],
	['read_resource', {uri: 5}, 'uri'],
	['get_prompt', {name: ''}, 'name'],
	['get_prompt', {name: 'x', arguments: []}, 'arguments'],
	['list_resources', {cursor: 7}, 'cursor'],
] as const)('%s with %j is refused, and the argument is named', async ([kind, args, named]) => {
	await using world = await connected(resourceServer());
	const outcome = await world.call(utilityTool(kind), args);

	expect(outcome).toMatchObject({kind: 'result', result: {isError: true}});
	expect(JSON.stringify(outcome)).toContain(`The argument \\\\\\"${named}\\\\\\"`);
});
