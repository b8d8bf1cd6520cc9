import {once} from 'node:events';
import {mkdir, rename, rm, symlink, truncate, writeFile} from 'node:fs/promises';
import {createServer, type AddressInfo} from 'node:net';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {GatewayEvent} from '../../source/core/events.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {
	startTestGateway,
	subscriptionsText,
	testConfig,
	type TestGateway,
} from '../helpers/gateway.ts';
import {hookSecret, post} from '../helpers/post.ts';
import {startMs} from '../store/samples.ts';

const subscriptions = {hook: {prompt: 'Say hello'}};

const rejections = (events: readonly GatewayEvent[]) =>
	events.filter(event => event.type === 'config-rejected');

let shared: TestGateway;

beforeAll(async () => {
	shared = await startTestGateway({subscriptions});
});

afterAll(async () => {
	await shared[Symbol.asyncDispose]();
});

/** A gateway of many tests, with a configuration that holds nothing but a receiver. */
async function anew(): Promise<TestGateway> {
	await rm(shared.paths.config, {recursive: true, force: true});
	await shared.home.write('config.yaml', testConfig());
	await shared.home.write('.env', '');
	await shared.port.reload();
	expect(shared.port.getState().problems).toEqual([]);
	return shared;
}

/** Waits for `count` refusals of a configuration. */
const rejected = async (gateway: TestGateway, count: number) => {
	await gateway.until(() => rejections(gateway.events).length >= count);
	return rejections(gateway.events).at(-1);
};

const broken = 'platforms:\n  webhook:\n    enabled: true\n   port: 1\n';

test('"a broken file on hot reload leaves the running configuration as it is", says where, and is mended on disk', async () => {
	await using gateway = await startTestGateway({subscriptions});
	const url = gateway.url();
	// At once: written in place, the file is empty for a moment, which is refused, too.
	await writeFile(`${gateway.paths.config}.new`, broken);
	await rename(`${gateway.paths.config}.new`, gateway.paths.config);
	const event = await rejected(gateway, 1);
	expect(event).toMatchObject({
		problems: [
			{severity: 'error', file: gateway.paths.config, line: 4, column: expect.any(Number)},
		],
	});
	expect(gateway.port.getState().problems).toHaveLength(1);
	const said = gateway.log.find(line => line.includes('config.yaml:4:1'));
	expect(said).toContain('the running configuration stays');
	expect(gateway.url()).toBe(url);
	expect((await gateway.send('hook', {})).status).toBe(202);

	await gateway.home.write(
		'config.yaml',
		testConfig({
			runs: {concurrency: 7},
			platforms: {webhook: {enabled: true, host: '127.0.0.1', port: 0}},
		}),
	);
	await gateway.until(({problems}) => problems.length === 0);
	const reloaded = gateway.events.findLast(({type}) => type === 'config-reloaded');
	expect(reloaded).toMatchObject({
		changes: expect.arrayContaining(['runs.concurrency 4 → 7']),
		restartNeeded: [],
	});
	expect((await gateway.send('hook', {})).status).toBe(202);
});

test.for([
	['a key with the wrong type', testConfig({runs: {concurrency: 'many'}}), 'runs.concurrency'],
	['a value out of bounds', testConfig({runs: {concurrency: 0}}), 'runs.concurrency'],
	['a list in the place of the file', '- a\n- b\n', ''],
	['aliases that grow without bound', 'a: &a [*a, *a]\n', ''],
	['binary', '\u0000\u0001\u0002: [', ''],
	['a tag of another language', 'model: !!python/object:os.system "ls"\n', ''],
] as const)(
	'%s on hot reload changes nothing and is refused with its place',
	async ([, text, key]) => {
		const gateway = await anew();
		await gateway.home.write('config.yaml', text);
		await gateway.port.reload();
		const {problems} = gateway.port.getState();
		expect(problems[0]).toMatchObject({severity: 'error', file: gateway.paths.config});
		expect(problems[0]?.key).toContain(key);
		expect((await gateway.send('hook', {})).status).toBe(202);
	},
);

test('files that are folders, dangling links or gone are refusals or nothing, never the end', async () => {
	await using gateway = await startTestGateway({subscriptions});
	for (const name of ['config.yaml', 'webhook_subscriptions.json', '.env']) {
		const path = gateway.home.file(name);
		await rm(path, {force: true});
		await mkdir(path);
		await gateway.port.reload();
		await gateway.send('hook', {});
		await rm(path, {recursive: true});
		await symlink('/nowhere/at/all', path);
		await gateway.port.reload();
		await gateway.send('hook', {});
		await rm(path);
	}

	await gateway.home.write('config.yaml', testConfig());
	await gateway.home.write('webhook_subscriptions.json', subscriptionsText(subscriptions));
	await gateway.port.reload();
	expect(gateway.port.getState().problems).toEqual([]);
	expect((await gateway.send('hook', {})).status).toBe(202);
});

const configWith = (routes: JsonObject) =>
	testConfig({
		platforms: {
			webhook: {enabled: true, host: '127.0.0.1', port: 0, secret: hookSecret, routes},
		},
	});

test('what would refuse the start takes down its route alone while the receiver runs, and the rest of the edit counts', async () => {
	await using gateway = await startTestGateway({
		config: configWith({
			bare: {prompt: 'x'},
			kept: {prompt: 'x'},
			rotated: {secret: 'first-secret'},
		}),
		subscriptions,
	});
	await gateway.home.write(
		'config.yaml',
		configWith({
			bare: {secret: ''},
			fresh: {deliver_only: true},
			kept: {deliver_only: true},
			rotated: {secret: 'second-secret'},
		}),
	);
	await gateway.port.reload();
	const {problems} = gateway.port.getState();
	expect(problems.map(({message}) => message)).toEqual(
		['bare', 'fresh', 'kept'].map(name => expect.stringContaining(`Route "${name}" has`)),
	);
	const {slips} = await gateway.port.status();
	expect(slips.map(({name, serving}) => [name, serving])).toEqual([
		['bare', false],
		['fresh', false],
		['kept', true],
	]);
	expect((await gateway.send('hook', {})).status).toBe(202);
	expect((await gateway.send('kept', {})).status).toBe(202);
	expect((await gateway.send('bare', {})).status).toBe(503);
	expect((await gateway.send('fresh', {})).status).toBe(503);
	const send = async (secret: string) =>
		(await post(`${gateway.url()}/webhooks/rotated`, {payload: {}, secret})).status;
	expect([await send('first-secret'), await send('second-secret')]).toEqual([401, 202]);
});

test('a subscriptions file that does not parse leaves the last good subscriptions in place, and is said once', async () => {
	await using gateway = await startTestGateway({subscriptions});
	await gateway.home.write('webhook_subscriptions.json', '{"hook": {"secret": "not shown');
	for (let count = 0; count < 3; count++) {
		expect((await gateway.send('hook', {})).status).toBe(202);
	}

	const said = gateway.log.filter(line => line.includes('is not JSON'));
	expect(said).toHaveLength(1);
	expect(said[0]).toContain('the last good dynamic routes stay in place');
	expect(gateway.log.join('\n')).not.toContain('not shown');
	await gateway.home.write('webhook_subscriptions.json', subscriptionsText({other: {prompt: 'x'}}));
	expect((await gateway.send('other', {})).status).toBe(202);
	expect((await gateway.send('hook', {})).status).toBe(404);
});

test('"hot-reloaded on each incoming request": a subscription that was just written is served by the next one', async () => {
	await using gateway = await startTestGateway();
	expect((await gateway.send('fresh', {})).status).toBe(404);
	const text = subscriptionsText({fresh: {prompt: 'x'}});
	await writeFile(gateway.home.file('new'), text);
	await rename(gateway.home.file('new'), gateway.paths.subscriptions);
	expect((await gateway.send('fresh', {})).status).toBe(202);
	await gateway.until(({routes}) => routes.some(({name}) => name === 'fresh'));
});

test('a gateway that starts with a broken file runs nothing, says where, and starts when it is mended', async () => {
	await using gateway = await startTestGateway({config: broken, subscriptions});
	expect(gateway.port.getState().webhook).toMatchObject({
		state: 'refused',
		code: 'config_invalid',
	});
	expect(gateway.log.join('\n')).toContain('nothing runs before it is mended');
	await gateway.home.write('config.yaml', testConfig());
	await gateway.until(({webhook}) => webhook.state === 'listening');
	expect((await gateway.send('hook', {})).status).toBe(202);
	expect((await gateway.ended(1)).state).toBe('done');
});

/** A program that has a port. */
async function occupy() {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		async [Symbol.asyncDispose]() {
			if (server.listening) {
				server.close();
				await once(server, 'close');
			}
		},
	};
}

test('"a refused receiver leaves the rest of the gateway running": a busy port is named, and taken when it is free', async () => {
	await using other = await occupy();
	const clock = createFakeClock(startMs);
	await using gateway = await startTestGateway({
		config: {platforms: {webhook: {enabled: true, host: '127.0.0.1', port: other.port}}},
		subscriptions,
		clock,
	});
	const {webhook} = gateway.port.getState();
	expect(webhook).toMatchObject({state: 'refused', code: 'port_in_use'});
	expect((await gateway.port.status()).webhook).toEqual({
		refused: expect.stringContaining(String(other.port)),
	});
	await expect(gateway.port.sendTestEvent('hook')).rejects.toMatchObject({
		code: 'webhook_not_listening',
	});
	await gateway.port.restartReceiver();
	expect(gateway.port.getState().webhook.state).toBe('refused');

	await other[Symbol.asyncDispose]();
	await gateway.port.restartReceiver();
	expect(gateway.url()).toBe(`http://127.0.0.1:${other.port}`);
	expect((await gateway.send('hook', {})).status).toBe(202);
});

test('a busy port is tried again by itself every 15 seconds', async () => {
	await using other = await occupy();
	const clock = createFakeClock(startMs);
	await using gateway = await startTestGateway({
		config: {platforms: {webhook: {enabled: true, host: '127.0.0.1', port: other.port}}},
		subscriptions,
		clock,
	});
	await other[Symbol.asyncDispose]();
	clock.advance(14_999);
	expect(gateway.port.getState().webhook.state).toBe('refused');
	clock.advance(1);
	await gateway.until(({webhook}) => webhook.state === 'listening');
});

test('a host that this machine does not have is a refusal, too', async () => {
	await using gateway = await startTestGateway({
		config: {platforms: {webhook: {enabled: true, host: '192.0.2.1', port: 0}}},
		subscriptions,
	});
	expect(gateway.port.getState().webhook).toMatchObject({
		state: 'refused',
		reason: expect.stringContaining('192.0.2.1'),
	});
});

test('a receiver that is not enabled is no refusal; enabling it in the file starts it', async () => {
	await using gateway = await startTestGateway({
		config: {platforms: {webhook: {enabled: false, host: '127.0.0.1', port: 0}}},
		subscriptions,
	});
	expect(gateway.port.getState().webhook).toEqual({state: 'disabled'});
	expect((await gateway.port.status()).webhook).toEqual({disabled: true});
	await gateway.home.write('config.yaml', testConfig());
	await gateway.until(({webhook}) => webhook.state === 'listening');
});

test('"journal cannot be written: 503 with Retry-After, id not consumed", and nothing is half accepted', async () => {
	await using gateway = await startTestGateway({
		// Nothing is worked on, so that the journal only fills.
		config: {
			model: {provider: 'openai-compatible', name: 'm', base_url: 'http://127.0.0.1:9/v1'},
			platforms: {webhook: {enabled: true, host: '127.0.0.1', port: 0, rate_limit: 100_000}},
		},
		subscriptions,
		clock: createFakeClock(startMs),
		world: {journalPages: 72},
	});
	const payload = {filling: 'x'.repeat(60_000)};
	const accepted: string[] = [];
	const fill = async () => {
		for (;;) {
			const id = `full-${accepted.length}`;
			const answer = await gateway.send('hook', payload, {'x-github-delivery': id});
			if (answer.status !== 202) {
				return answer;
			}

			accepted.push(id);
		}
	};
	const refused = await fill();
	expect([refused.status, refused.json]).toEqual([
		503,
		{error: 'Could not durably accept the delivery'},
	]);
	expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
	expect(accepted.length).toBeGreaterThan(1);
	await gateway.gateway.idle();
	const runs = await gateway.port.listRuns({limit: 1000});
	expect(runs).toHaveLength(accepted.length);
	const kept = await gateway.port.listDeliveries({limit: 1000});
	expect(
		kept.filter(({outcome}) => outcome === 'accepted').map(({deliveryId}) => deliveryId),
	).toEqual(accepted.toReversed());
	expect((await gateway.port.status()).journal_failing).toContain('the disk is full');
	const {deliveries} = gateway.port.getState();
	expect(deliveries.at(-1)?.delivery).toMatchObject({status: 503, outcome: 'journal'});
	expect((await gateway.send('nobody', {})).status).toBe(404);
});

test.for([
	['gone', async (path: string) => rm(path)],
	['empty', async (path: string) => truncate(path)],
	['blank', async (path: string) => writeFile(path, '\uFEFF \n\n')],
	['all comments', async (path: string) => writeFile(path, '# platforms: {}\n')],
	['an empty document', async (path: string) => writeFile(path, '---\n...\n')],
	['nothing', async (path: string) => writeFile(path, 'null\n')],
] as const)(
	'a config.yaml that is %s leaves the running configuration in place and is reported',
	async ([, harm]) => {
		const gateway = await anew();
		await harm(gateway.home.file('config.yaml'));
		await gateway.port.reload();

		expect(gateway.port.getState().problems).toMatchObject([
			{message: 'The file is gone or empty'},
		]);
		expect((await gateway.send('hook', {})).status).toBe(202);
	},
);

const offline = 'model: {provider: offline}\n';

test.for([
	['lost its end', '', offline],
	['has a section without anything', '', `${offline}platforms:\n  webhook:\n`],
	['has lost the key', '', `${offline}platforms:\n  webhook:\n    port: 0\n`],
	['left it to .env, which lost it', 'WEBHOOK_ENABLED=\n', offline],
] as const)(
	'a receiver that serves is switched off by nothing but a word: a configuration that %s changes nothing',
	async ([, env, config]) => {
		const gateway = await anew();
		await gateway.home.write('.env', env);
		await gateway.home.write('config.yaml', config);
		await gateway.port.reload();

		expect(gateway.port.getState().problems).toMatchObject([
			{key: 'platforms.webhook.enabled', message: expect.stringContaining('"enabled: false"')},
		]);
		expect((await gateway.send('hook', {})).status).toBe(202);
	},
);

test.for([
	['', 'platforms: {webhook: {enabled: false}}'],
	['', 'platforms: {webhook: {extra: {enabled: false}}}'],
	['WEBHOOK_ENABLED=off\n', offline],
] as const)('it is switched off by .env %j and config.yaml %j', async ([env, config]) => {
	await using gateway = await startTestGateway({subscriptions});
	await gateway.home.write('.env', env);
	await gateway.home.write('config.yaml', config);
	await gateway.port.reload();
	expect(gateway.port.getState().webhook.state).toBe('disabled');
});
