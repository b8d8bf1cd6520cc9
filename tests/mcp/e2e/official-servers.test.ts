// @module-tag slow
import {readFile, stat} from 'node:fs/promises';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import type {FormAnswer} from '../../../source/core/approval.ts';
import type {Sampled} from '../../../source/core/bounds.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {startEverything} from '../servers/everything-server.ts';
import {remoteServer} from '../servers/http-server.ts';
import {everythingServer, officialServer} from '../servers/stdio-server.ts';
import {openManager} from './open-manager.ts';

type Started = AsyncDisposable & {readonly server: ToolServerConfig};

const starts = {
	stdio: async (): Promise<Started> => ({
		server: everythingServer(),
		async [Symbol.asyncDispose]() {},
	}),
	async http(): Promise<Started> {
		const everything = await startEverything('streamableHttp');
		return {...everything, server: remoteServer(everything.url)};
	},
	async sse(): Promise<Started> {
		const everything = await startEverything('sse');
		return {...everything, server: remoteServer(everything.url, {transport: 'sse'})};
	},
} as const;

/** What the person and the model of the next requests say, first come, first served; a person cancels without one, and a model fails. */
type Said = {
	readonly person: FormAnswer[];
	readonly model: Sampled[];
};

/** A manager with the server that shows every feature, over one transport, and all tools it has for us. */
async function openEverything(transport: keyof typeof starts) {
	const said: Said = {person: [], model: []};
	const stack = new AsyncDisposableStack();
	const {server} = stack.use(await starts[transport]());
	const managed = stack.use(
		await openManager({
			elicit: async () => said.person.shift() ?? {action: 'cancel'},
			async sample() {
				const answer = said.model.shift();
				if (!answer) {
					throw new Error('the model is away');
				}

				return answer;
			},
		}),
	);
	await managed.apply(server);
	// Some of them it registers when it knows what we can do, and says so.
	await managed.until(({tools}) =>
		['trigger-elicitation-request', 'trigger-sampling-request'].every(name =>
			tools.some(({tool}) => tool === name),
		),
	);
	return {...managed, said, [Symbol.asyncDispose]: async () => stack.disposeAsync()};
}

const someone = {name: 'Ada', check: true, integer: 7, email: 'ada@example.org'};

describe.for(['stdio', 'http', 'sse'] as const)('everything over %s', transport => {
	let managed: Awaited<ReturnType<typeof openEverything>>;
	beforeAll(async () => {
		managed = await openEverything(transport);
	});
	afterAll(async () => {
		await managed[Symbol.asyncDispose]();
	});

	test('lists, and answers with text, structured content, binaries as files, and links that are not followed', async () => {
		const {tools, offered, protocol, serverInfo} = managed.view();

		expect({protocol, serverInfo}).toEqual({
			protocol: 'legacy 2025-11-25',
			serverInfo: 'mcp-servers/everything 2.0.0',
		});
		expect(tools.map(({name}) => name)).toEqual(
			expect.arrayContaining(['mcp__crm__echo', 'mcp__crm__get_sum', 'mcp__crm__read_resource']),
		);
		expect(tools).toHaveLength(offered + 4);
		expect(await managed.call('echo', {message: 'hello'})).toEqual({text: 'Echo: hello'});
		expect((await managed.call('get_sum', {a: 2, b: 3})).text).toContain('is 5');

		const weather = await managed.call('get_structured_content', {location: 'Chicago'});
		expect(JSON.parse(weather.text)).toMatchObject({temperature: 36, humidity: 82});

		const image = await managed.call('get_tiny_image', {}, {runId: 7});
		const [, path = ''] = /\[image, image\/png, \d+ bytes, saved as (.+)\]/.exec(image.text) ?? [];
		expect(path.startsWith(managed.paths.cache)).toBe(true);
		expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
		expect((await stat(path)).mode & 0o777).toBe(0o600);
		expect(image.text).not.toMatch(/[\w+/]{200}/);

		const links = await managed.call('get_resource_links', {count: 2});
		expect(links.text).toMatch(/\[link to resource demo:\/\/[^\]]+, not fetched: /);
		const resource = await managed.call('get_resource_reference', {
			resourceType: 'Blob',
			resourceId: 1,
		});
		expect(resource.text).toMatch(/\[resource demo:\/\/\S+, [^\]]* saved as /);
	});

	test('an argument that the server refuses is an error for the model, not for the connection', async () => {
		const refused = await managed.call('get_sum', {a: 'two'});

		expect(refused).toMatchObject({isError: true, text: expect.stringContaining('a')});
		expect(managed.view().status).toBe('connected');
		expect(await managed.call('echo', {message: 'still here'})).toEqual({text: 'Echo: still here'});
	});

	test('utility tools list and read resources, list and get prompts', async () => {
		const listed = JSON.parse((await managed.call('list_resources')).text);
		const uri: string = listed.resources[0].uri;

		expect(listed.resource_templates.length).toBeGreaterThan(0);
		expect((await managed.call('read_resource', {uri})).text).toMatch(/^\[resource .+\]\n/);
		expect(
			(await managed.call('read_resource', {uri: 'demo://resource/dynamic/text/3'})).text,
		).toContain('Resource 3');
		const prompts = JSON.parse((await managed.call('list_prompts')).text);
		expect(prompts.prompts.map(({name}: {name: string}) => name)).toContain('args-prompt');
		expect(
			(await managed.call('get_prompt', {name: 'args-prompt', arguments: {city: 'Oslo'}})).text,
		).toContain("What's weather in Oslo?");
		expect(await managed.call('read_resource', {uri: 'demo://nowhere'})).toMatchObject({
			isError: true,
		});
	});

	test('"Form-mode requests go through the approval surface; URL-mode requests are declined"', async () => {
		managed.said.person.push(
			{action: 'accept', content: someone},
			{action: 'decline'},
			{action: 'cancel'},
		);
		const accepted = await managed.call('trigger_elicitation_request', {}, {runId: 3});
		const declined = await managed.call('trigger_elicitation_request');
		const cancelled = await managed.call('trigger_elicitation_request');
		const url = await managed.call('trigger_url_elicitation', {url: 'https://example.org/pay'});

		expect(accepted.text).toContain('User inputs:\n- Name: Ada');
		expect(accepted.text).toContain('- Favorite Integer: 7');
		expect(declined.text).toContain('User declined');
		expect(cancelled.text).toContain('User cancelled');
		expect(url.text).toContain('User declined to open the URL');
		expect(managed.forms).toHaveLength(3);
		expect(managed.forms[0]).toMatchObject({
			server: 'crm',
			runId: 3,
			message: 'Please provide inputs for the following fields:',
			timeoutMs: 300_000,
		});
		expect(managed.forms[0]?.fields.map(({key, kind}) => `${key}: ${kind}`)).toEqual(
			expect.arrayContaining([
				'name: text',
				'check: boolean',
				'integer: integer',
				'untitledMultipleSelectEnum: choices',
				'titledSingleSelectEnum: choice',
			]),
		);
	});

	test('sampling asks our model, and says so when it fails', async () => {
		managed.said.model.push({text: 'Four.', model: 'svc-offline-1'});
		const answered = await managed.call(
			'trigger_sampling_request',
			{prompt: 'Two and two?', maxTokens: 9000},
			{runId: 5},
		);
		const failed = await managed.call('trigger_sampling_request', {prompt: 'Again?'});

		expect(answered.text).toContain('Four.');
		expect(managed.asked[0]).toMatchObject({
			server: 'crm',
			runId: 5,
			system: 'You are a helpful test server.',
			messages: [{role: 'user', text: expect.stringContaining('Two and two?')}],
			maxTokens: 4096,
		});
		expect(failed.text).toContain('the model is away');
		expect(managed.view().status).toBe('connected');
	});

	test('progress reaches whoever waits; a call that is cancelled ends at once, and the next one works', async () => {
		const lines: string[] = [];
		const controller = new AbortController();
		const reason = new Error('the run was cancelled');
		const call = managed.call(
			'trigger_long_running_operation',
			{duration: 60, steps: 600},
			{
				signal: controller.signal,
				onProgress(text) {
					lines.push(text);
					controller.abort(reason);
				},
			},
		);

		await expect(call).rejects.toBe(reason);
		expect(lines).toEqual(['1 of 600']);
		expect(await managed.call('echo', {message: 'next'})).toEqual({text: 'Echo: next'});
		expect(managed.view()).toMatchObject({status: 'connected', activeCalls: 0});
	});
});

test('the file system server reads, writes and stays in its folder', async () => {
	await using folder = await temporaryHome({'note.txt': 'remember the milk'});
	await using managed = await openManager();
	await managed.apply(officialServer('filesystem', [folder.path]));
	const path = folder.file('note.txt');

	expect(managed.view()).toMatchObject({status: 'connected', offered: 14});
	expect((await managed.call('read_text_file', {path})).text).toContain('remember the milk');
	expect(
		await managed.call('write_file', {path: folder.file('new.txt'), content: 'eggs'}),
	).not.toHaveProperty('isError');
	expect(await folder.read('new.txt')).toBe('eggs');
	expect(await managed.call('read_text_file', {path: '/etc/passwd'})).toMatchObject({
		isError: true,
		text: expect.stringMatching(/denied|outside/),
	});
	const claims = managed.view().tools.map(({tool, claims: {readOnly}}) => ({tool, readOnly}));
	expect(claims).toContainEqual({tool: 'read_text_file', readOnly: true});
	expect(claims).toContainEqual({tool: 'write_file', readOnly: false});
});

test('the memory server keeps what it is told, over a process that ends and comes back', async () => {
	await using folder = await temporaryHome();
	await using managed = await openManager();
	const server = officialServer('memory');
	await managed.apply({
		...server,
		endpoint: {...server.endpoint, env: {MEMORY_FILE_PATH: folder.file('memory.json')}},
	});
	const entities = [{name: 'Ada', entityType: 'person', observations: ['likes engines']}];
	const created = await managed.call('create_entities', {entities});
	expect(created.text).toContain('Ada');
	await managed.manager.disconnect('crm');
	expect(managed.view().status).toBe('recycled');

	expect((await managed.call('search_nodes', {query: 'engines'})).text).toContain('Ada');
	expect(managed.view()).toMatchObject({status: 'connected', offered: 9});
});
