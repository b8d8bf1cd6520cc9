import {once} from 'node:events';
import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {SMTPServer} from 'smtp-server';
import {afterAll, beforeAll, expect, test, type TestContext} from 'vitest';
import {gatewayHome, startTestGateway, testConfig} from '../helpers/gateway.ts';
import {need} from '../helpers/need.ts';
import {makeCertificates} from '../mcp/servers/certificates.ts';
import {jsonServer, startHttp} from '../mcp/servers/http-server.ts';
import {ownServer} from '../mcp/servers/stdio-server.ts';

const answer = JSON.stringify({
	id: 'x',
	object: 'chat.completion',
	created: 1,
	model: 'x',
	choices: [
		{index: 0, message: {role: 'assistant', content: 'All is well'}, finish_reason: 'stop'},
	],
	usage: {prompt_tokens: 1, completion_tokens: 1, total_tokens: 2},
});

const stack = new AsyncDisposableStack();
let world: Awaited<ReturnType<typeof openWorld>>;

beforeAll(async () => {
	world = await openWorld();
});

afterAll(async () => {
	await stack.disposeAsync();
});

/** A model, a tool server and a mail server, with certificates of an authority that nobody knows. `undefined` without openssl. */
async function openWorld() {
	const certificates = await makeCertificates().catch(() => undefined);
	if (!certificates) {
		return undefined;
	}

	stack.use(certificates);
	const model = createServer(certificates.server, (request, response) => {
		request.resume();
		response.writeHead(200, {'content-type': 'application/json'}).end(answer);
	});
	model.listen(0, '127.0.0.1');
	await once(model, 'listening');
	stack.defer(() => {
		model.closeAllConnections();
		model.close();
	});
	const tools = stack.use(await startHttp(jsonServer(), certificates.server));
	const mails: string[] = [];
	const mail = new SMTPServer({
		...certificates.server,
		secure: true,
		authOptional: true,
		logger: false,
		onData(stream, {envelope}, callback) {
			stream.resume().on('end', () => {
				mails.push(envelope.rcptTo.map(({address}) => address).join());
				callback();
			});
		},
	});
	mail.on('error', () => {});
	mail.listen(0, '127.0.0.1');
	await once(mail.server, 'listening');
	stack.defer(() => {
		mail.close();
	});
	return {
		certificates,
		mails,
		config: {
			model: {
				provider: 'openai-compatible',
				name: 'x',
				base_url: `https://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
			},
			runs: {tries: 1, delivery_tries: 1},
			mcp_servers: {crm: {url: tools.url}},
			platforms: {
				email: {
					enabled: true,
					from: 'svc@example.org',
					home_channel: 'ann@example.org',
					// This machine, by a name that nobody takes for it: those of loopback need no authority.
					smtp: {host: '0.0.0.0', port: (mail.server.address() as AddressInfo).port, secure: true},
				},
			},
		},
	};
}

async function go(
	context: TestContext,
	how: (ca: string) => {readonly tls?: {readonly ca: string | string[]}; readonly env?: string},
) {
	need('openssl', context);
	if (!world) {
		throw new Error('openssl could not make certificates');
	}

	const {tls, env = ''} = how(world.certificates.file('ca.pem'));
	await using home = await gatewayHome({
		config: {...world.config, ...(tls && {tls})},
		subscriptions: {
			mailed: {prompt: 'hello', toolsets: ['mcp-crm'], deliver: 'email'},
			direct: {prompt: 'hello', deliver: 'email', deliver_only: true},
		},
	});
	await home.write('.env', env);
	await using gateway = await startTestGateway({home});
	await gateway.send('mailed', {});
	const run = await gateway.ended(1);
	const direct = await gateway.send('direct', {});
	// What is told of servers is told a moment later.
	const {
		servers: [server],
	} = await gateway.until(({servers}) =>
		servers.some(({status}) => status === 'connected' || status === 'parked'),
	);
	return {
		run: run.state,
		error: run.error,
		direct: direct.status,
		mail: gateway.log.find(line => line.includes('Cannot send mail')),
		server: server?.status,
		reason: server?.reason,
	};
}

test('nobody is trusted whom nobody knows', async context => {
	const before = world?.mails.length;

	expect(await go(context, () => ({}))).toMatchObject({
		run: 'failed',
		error: expect.stringContaining('not issued by a known authority: set tls.ca'),
		direct: 502,
		mail: expect.stringContaining('set tls.ca to the PEM file of its CA'),
		server: 'parked',
		reason: expect.stringContaining('tls.ca'),
	});
	expect(world?.mails.length).toBe(before);
});

test.for<[string, Parameters<typeof go>[1]]>([
	['tls.ca, a path', ca => ({tls: {ca}})],
	['tls.ca, a list', ca => ({tls: {ca: ['/nope.pem', ca]}})],
	['SSL_CERT_FILE of .env', ca => ({env: `SSL_CERT_FILE=${ca}\n`})],
	['NODE_EXTRA_CA_CERTS of .env', ca => ({env: `NODE_EXTRA_CA_CERTS=${ca}\n`})],
])('%s counts for models, tool servers and mail', async ([, how], context) => {
	expect(await go(context, how)).toMatchObject({
		run: 'done',
		direct: 200,
		server: 'connected',
	});
});

test('an authority that is named while the gateway runs counts at once', async context => {
	need('openssl', context);
	if (!world) {
		throw new Error('openssl could not make certificates');
	}

	const subscriptions = {hook: {prompt: 'hello', toolsets: []}};
	await using home = await gatewayHome({config: world.config, subscriptions});
	await using gateway = await startTestGateway({home});
	await gateway.until(({servers}) => servers[0]?.status === 'parked');
	await gateway.send('hook', {});
	expect((await gateway.ended(1)).state).toBe('failed');

	const tls = {ca: world.certificates.file('ca.pem')};
	await home.write('config.yaml', testConfig({...world.config, tls}));
	await gateway.port.reload();
	await gateway.until(({servers}) => servers[0]?.status === 'connected');
	await gateway.send('hook', {});
	expect((await gateway.ended(2)).state).toBe('done');
});

test('programs get proxies and certificates of the process, and nothing of .env', async () => {
	const {command, args} = ownServer('plain').endpoint;
	await using home = await gatewayHome({
		config: {
			mcp_servers: {crm: {command, args, env: {NO_PROXY: 'own', ALL_PROXY: '${ALL_PROXY}'}}},
		},
		subscriptions: {look: {prompt: '/tool mcp__crm__about {}'}},
	});
	await home.write(
		'.env',
		'SSL_CERT_FILE=/own.pem\nNO_PROXY=profile\nhttps_proxy=http://profile:1\nALL_PROXY=http://asked-for:1\nOTHER=is-not-for-them\n',
	);
	await using gateway = await startTestGateway({
		home,
		environment: {
			PATH: process.env['PATH'] ?? '',
			NO_PROXY: 'process',
			SSL_CERT_FILE: '/process.pem',
			CURL_CA_BUNDLE: '/more.pem',
		},
	});
	await gateway.send('look', {});
	const {transcript} = await gateway.ended(1);
	const result = transcript.find(({kind}) => kind === 'tool-result')?.text ?? '';

	const {env} = JSON.parse(result);
	expect(env).toMatchObject({
		SSL_CERT_FILE: '/process.pem',
		CURL_CA_BUNDLE: '/more.pem',
		NO_PROXY: 'own',
	});
	expect(env).toHaveProperty('ALL_PROXY');
	expect(env).not.toHaveProperty('https_proxy');
	expect(result).not.toContain('OTHER');
});

test('user and password of a proxy are in no log and no state', async () => {
	const source =
		'console.error("no way through", new URL(process.env.HTTPS_PROXY).password);process.exit(3)';
	await using home = await gatewayHome({
		config: {mcp_servers: {crm: {command: process.execPath, args: ['-e', source]}}},
	});
	// What the server gets is hidden although `.env` says something else.
	await home.write('.env', 'HTTPS_PROXY=http://proxy.example:1\n');
	await using gateway = await startTestGateway({
		home,
		environment: {
			PATH: process.env['PATH'] ?? '',
			HTTPS_PROXY: 'http://ann:open-sesame@proxy.example:1',
		},
	});
	await gateway.until(({servers}) => (servers[0]?.reason ?? '').includes('no way through'));

	const texts = [
		JSON.stringify(gateway.events),
		...gateway.log,
		await home.read('logs/mcp-stderr.log'),
	].join('\n');
	expect(texts).toContain('no way through [redacted]');
	expect(texts).not.toContain('open-sesame');
});
