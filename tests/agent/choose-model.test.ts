import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, test} from 'vitest';
import {
	chooseModel,
	modelInputs,
	type ChooseModelOptions,
	type ModelChoice,
} from '../../source/agent/choose-model.ts';
import {localBaseUrls} from '../../source/agent/local-server.ts';
import {createModelFetch} from '../../source/agent/model-fetch.ts';
import type {ModelConfig} from '../../source/config/config.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';

async function choose(
	model: Partial<ModelConfig>,
	options: Partial<ChooseModelOptions> = {},
	environment: Readonly<Record<string, string>> = {},
): Promise<ModelChoice> {
	await using modelFetch = createModelFetch();
	return await chooseModel(
		{model: {provider: 'auto', allowOfflineDelivery: false, ...model}, environment},
		// Its time stands still: how fast a busy machine answers is not what these tests are about.
		{clock: createFakeClock(), fetch: modelFetch.fetch, localServers: [], ...options},
	);
}

/** A server that is something else. */
async function startServer(listener: RequestListener) {
	const server = createServer(listener).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		async [Symbol.asyncDispose]() {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}

const offline = {provider: 'offline', name: 'svc-offline-1', origin: 'no model is configured'};

test('with nothing configured, no key and no server, the offline model answers', async () => {
	const {view, offers, host} = await choose({});

	expect({view, offers, host}).toEqual({view: offline, offers: [], host: undefined});
});

test('the ports of local servers are those of the decisions', () => {
	const ports = localBaseUrls.map(url => new URL(url).port);

	expect([...new Set(ports)]).toEqual(['11434', '1234', '8080', '8000', '12434', '1337']);
});

test('a local server that lists a chat model is found, without a key being sent', async () => {
	await using server = await startScriptedModel([], {
		models: ['nomic-embed-text', 'llama3', 'qwen3'],
	});

	const {view, host} = await choose({}, {localServers: [server.baseUrl]});

	expect(view).toEqual({
		provider: 'openai-compatible',
		name: 'llama3',
		origin: `found at ${server.baseUrl}`,
	});
	expect(host).toBe(server.host);
	expect(server.modelListings[0]?.headers).not.toHaveProperty('authorization');
	expect(server.requests).toEqual([]);
});

test('what a local server calls its model is cleaned before it is shown, and sent as it is', async () => {
	const name = 'llama\u001B[31m3';
	await using server = await startScriptedModel([{text: 'Hi'}], {models: [name]});
	await using modelFetch = createModelFetch();

	const chosen = await chooseModel(
		{model: {provider: 'auto', allowOfflineDelivery: false}, environment: {}},
		{clock: createFakeClock(), fetch: modelFetch.fetch, localServers: [server.baseUrl]},
	);

	expect(chosen.view.name).toBe('llama␛[31m3');
	expect((await chosen.load()).modelId).toBe(name);
});

test('of several local servers the first of the list is taken', async () => {
	await using one = await startScriptedModel([], {models: ['one']});
	await using two = await startScriptedModel([], {models: ['two']});

	const {view} = await choose({}, {localServers: [two.baseUrl, one.baseUrl]});

	expect(view.name).toBe('two');
});

test.for<{what: string; listener: RequestListener}>([
	{
		what: 'HTML',
		listener(_request, response) {
			response.end('<html>Jenkins</html>');
		},
	},
	{
		what: 'JSON of another kind',
		listener(_request, response) {
			response.end('{"data":{"id":"x"},"id":"y"}');
		},
	},
	{
		what: 'a list without identifiers',
		listener(_request, response) {
			response.end('{"data":[null,{"name":"x"},{"id":7},{"id":""},"x"]}');
		},
	},
	{
		what: 'only models that do not chat',
		listener(_request, response) {
			response.end('{"data":[{"id":"text-embedding-3"},{"id":"bge-reranker"},{"id":"whisper-1"}]}');
		},
	},
	{
		what: 'a status 401',
		listener(_request, response) {
			response.writeHead(401).end('{"data":[{"id":"x"}]}');
		},
	},
	{
		what: 'a redirect',
		listener(_request, response) {
			response.writeHead(302, {location: '/elsewhere'}).end();
		},
	},
	{
		what: '10 MB',
		listener(_request, response) {
			response.end(`{"data":[{"id":"x"}],"rest":"${'x'.repeat(10_000_000)}"}`);
		},
	},
	{
		what: 'a broken connection',
		listener(_request, response) {
			response.destroy();
		},
	},
])('a server that answers $what is none', async ({listener}) => {
	await using server = await startServer(listener);

	expect((await choose({}, {localServers: [server.baseUrl]})).view).toEqual(offline);
});

test('a server that does not answer within 400 ms is none', async () => {
	const arrived = Promise.withResolvers<void>();
	const gone = Promise.withResolvers<void>();
	await using server = await startServer((_request, response) => {
		response.once('close', gone.resolve);
		arrived.resolve();
	});
	const clock = createFakeClock();

	const choice = choose({}, {clock, localServers: [server.baseUrl]});
	await arrived.promise;
	clock.advance(400);

	expect((await choice).view).toEqual(offline);
	await gone.promise;
});

test('the key of a provider is offered, and not used before a person chose it', async () => {
	const environment = {
		OPENAI_API_KEY: 'sk-o',
		ANTHROPIC_API_KEY: 'sk-a',
		GOOGLE_API_KEY: 'g3',
		GEMINI_API_KEY: 'g2',
	};

	const {view, offers} = await choose({}, {}, environment);

	expect(view).toEqual(offline);
	expect(offers).toEqual([
		{
			view: {
				provider: 'anthropic',
				name: 'claude-sonnet-5',
				origin: 'ANTHROPIC_API_KEY is in the environment',
			},
		},
		{
			view: {
				provider: 'openai',
				name: 'gpt-5-mini',
				origin: 'OPENAI_API_KEY is in the environment',
			},
		},
		{
			view: {
				provider: 'google',
				name: 'gemini-3.5-flash',
				origin: 'GEMINI_API_KEY is in the environment',
			},
		},
	]);
	expect(JSON.stringify(offers)).not.toContain('sk-');
});

test('a local server comes before the offline model', async () => {
	await using server = await startScriptedModel();

	const {view, offers} = await choose(
		{},
		{localServers: [server.baseUrl]},
		{OPENAI_API_KEY: 'sk-o'},
	);

	expect(view.provider).toBe('openai-compatible');
	expect(offers).toHaveLength(1);
});

test('an empty key and an inherited name are no keys', async () => {
	const environment: Record<string, string> = Object.create({ANTHROPIC_API_KEY: 'inherited'});
	environment['OPENAI_API_KEY'] = ' ';

	expect((await choose({}, {}, environment)).offers).toEqual([]);
});

test('auto with a base_url is that server, whether it answers or not', async () => {
	const {view, host} = await choose({
		baseUrl: 'http://127.0.0.1:1/v1',
		name: 'llama3',
		apiKey: 'k',
	});

	expect(view).toEqual({provider: 'openai-compatible', name: 'llama3', origin: 'configured'});
	expect(host).toBe('127.0.0.1:1');
});

test('a server on this machine may leave model.name out: its first chat model is taken', async () => {
	await using server = await startScriptedModel([], {models: ['bge-embed', 'llama3']});

	const {view} = await choose({
		provider: 'openai-compatible',
		baseUrl: server.baseUrl,
		apiKey: 'k',
	});

	expect(view).toMatchObject({name: 'llama3', origin: 'configured'});
	expect(server.modelListings[0]?.headers).not.toHaveProperty('authorization');
});

test.for<{
	what: string;
	model: Partial<ModelConfig>;
	environment?: Record<string, string>;
	code: string;
	says: RegExp;
}>([
	{
		what: 'a hosted provider without a name',
		model: {provider: 'anthropic', apiKey: 'k'},
		code: 'model_misconfigured',
		says: /model\.name is not set/,
	},
	{
		what: 'a hosted provider without a key',
		model: {provider: 'google', name: 'x'},
		environment: {OPENAI_API_KEY: 'sk-o'},
		code: 'model_misconfigured',
		says: /set model\.api_key, or GOOGLE_GENERATIVE_AI_API_KEY in the environment$/,
	},
	{
		what: 'a compatible provider without a base_url',
		model: {provider: 'openai-compatible', name: 'x'},
		code: 'model_misconfigured',
		says: /model\.base_url is not set$/,
	},
	{
		what: 'a server elsewhere without a name',
		model: {provider: 'openai-compatible', baseUrl: 'https://models.example/v1'},
		code: 'model_misconfigured',
		says: /model\.name is not set$/,
	},
	{
		what: 'a base_url that is none',
		model: {provider: 'openai-compatible', name: 'x', baseUrl: 'file:///etc/passwd'},
		code: 'model_misconfigured',
		says: /model\.base_url is not an http\(s\) URL$/,
	},
	{
		what: 'a base_url with a password',
		model: {
			provider: 'openai-compatible',
			name: 'x',
			baseUrl: 'https://me:hunter22@models.example',
		},
		code: 'model_misconfigured',
		says: /^(?!.*hunter22).*model\.base_url holds credentials; use model\.api_key$/,
	},
	{
		what: 'auto with a key of nobody knows whom',
		model: {apiKey: 'k'},
		code: 'model_misconfigured',
		says: /^Cannot tell whose key model\.api_key is/,
	},
	{
		what: 'a local server that is down and should say which models it has',
		model: {provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1'},
		code: 'model_unreachable',
		says: /^Cannot ask 127\.0\.0\.1:1 which models it has/,
	},
	{
		what: 'a server on another address of this machine',
		model: {provider: 'openai-compatible', baseUrl: 'http://127.0.0.2:1/v1'},
		code: 'model_unreachable',
		says: /^Cannot ask 127\.0\.0\.2:1 which models it has/,
	},
	{
		what: 'a name that nothing has',
		model: {name: 'llama9'},
		environment: {OPENAI_API_KEY: 'sk-o'},
		code: 'model_not_found',
		says: /^Cannot find model "llama9": no local server lists it; set model\.provider to openai, whose key is there, or model\.base_url for/,
	},
])('$what is an error, never the offline model', async ({model, environment = {}, code, says}) => {
	await expect(choose(model, {}, environment)).rejects.toMatchObject({
		code,
		message: expect.stringMatching(says),
	});
});

test('a configured provider takes its own key from the environment', async () => {
	const {view, offers} = await choose(
		{provider: 'anthropic', name: 'claude-x'},
		{},
		{ANTHROPIC_API_KEY: 'sk-a'},
	);

	expect(view).toEqual({provider: 'anthropic', name: 'claude-x', origin: 'configured'});
	expect(offers).toEqual([]);
});

test('offline can be asked for', async () => {
	expect((await choose({provider: 'offline'})).view).toEqual({...offline, origin: 'configured'});
});

const auto: ModelConfig = {provider: 'auto', allowOfflineDelivery: false};

test.for<{
	what: string;
	model?: Partial<ModelConfig>;
	environment?: Record<string, string>;
}>([
	{what: 'a provider', model: {provider: 'openai'}},
	{what: 'a name', model: {name: 'llama3'}},
	{what: 'a base_url', model: {baseUrl: 'http://127.0.0.1:1/v1'}},
	{what: 'a key', model: {apiKey: 'k'}},
	{what: 'a new value of a key variable', environment: {OPENAI_API_KEY: 'sk-new'}},
	{what: 'a key variable less', environment: {OPENAI_API_KEY: ''}},
	{what: 'a key variable more', environment: {OPENAI_API_KEY: 'sk-o', GEMINI_API_KEY: 'g'}},
])('$what asks for a new choice', ({model, environment}) => {
	const before = modelInputs({model: auto, environment: {OPENAI_API_KEY: 'sk-o'}});

	const after = modelInputs({
		model: {...auto, ...model},
		environment: environment ?? {OPENAI_API_KEY: 'sk-o'},
	});

	expect(after).not.toBe(before);
});

test('what no choice depends on asks for none, and no key can be read from the inputs', () => {
	const before = modelInputs({model: auto, environment: {OPENAI_API_KEY: 'sk-o', PATH: '/bin'}});
	const after = modelInputs({model: {...auto}, environment: {OPENAI_API_KEY: ' sk-o '}});

	expect(after).toBe(before);
	expect(before).toMatch(/^[\da-f]{64}$/);
});

test('the price of the configuration is that of the model which it names, and of no other', async () => {
	await using server = await startScriptedModel([], {models: ['qwen3']});
	const price = {input: 3, output: 15, currency: 'USD'};
	const named = await choose({provider: 'openai', name: 'gpt', apiKey: 'sk', price});
	expect(named.price).toEqual(price);

	const found = await choose({price}, {localServers: [server.baseUrl]});
	expect(found.view.name).toBe('qwen3');
	expect(found.price).toBeUndefined();
});
