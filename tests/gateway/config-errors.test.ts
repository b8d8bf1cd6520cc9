import {writeFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway, testConfig, type TestGateway} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';

const receiver = {enabled: true, host: '127.0.0.1', port: 0, secret: hookSecret};

const configWith = (routes: object, rest: object = {}) =>
	JSON.stringify({
		model: {provider: 'offline'},
		platforms: {webhook: {...receiver, routes}},
		...rest,
	});

const unavailable = '{"error":"Route is not available"}';

/** What nobody signed. */
const request = async (gateway: TestGateway, path: string, init: RequestInit = {}) =>
	fetch(`${gateway.url()}${path}`, {method: 'POST', body: '{}', ...init});

test('a route that is invalid answers 503 to everybody, whatever comes, and every other one is served', async () => {
	await using gateway = await startTestGateway({
		config: configWith({good: {}, bad: {events: 5, max_body_bytes: 10}, unset: {secret: '${NO}'}}),
		subscriptions: {dynamic: {filters: [{any: []}]}, bad: {}, other: {}},
	});
	for (const name of ['bad', 'unset', 'dynamic']) {
		const signed = await gateway.send(name, {});
		expect([signed.status, signed.text]).toEqual([503, unavailable]);
		const forged = await request(gateway, `/webhooks/${name}`, {body: 'x'.repeat(2000)});
		expect([forged.status, await forged.text()]).toEqual([503, unavailable]);
		expect(Number(forged.headers.get('retry-after'))).toBeGreaterThan(0);
		expect((await request(gateway, `/webhooks/${name}`, {method: 'PUT'})).status).toBe(405);
		expect((await request(gateway, `/p/ops/webhooks/${name}`)).status).toBe(404);
	}

	expect((await gateway.send('good', {})).status).toBe(202);
	expect((await gateway.send('other', {})).status).toBe(202);
	expect((await request(gateway, '/webhooks/nothing')).status).toBe(404);

	const {deliveries} = await gateway.until(({deliveries: rows}) =>
		rows.some(({delivery}) => delivery.outcome === 'slip' && delivery.route === 'dynamic'),
	);
	const rows = deliveries.filter(({delivery}) => delivery.outcome === 'slip');
	expect(rows.map(({delivery}) => delivery.bodyBytes)).toEqual(rows.map(() => 0));
	expect(rows[0]?.delivery.trace.at(-1)).toMatchObject({
		step: 'route',
		verdict: 'stop',
		detail: expect.stringContaining('config.yaml:1:'),
	});
	expect(rows.some(({delivery}) => delivery.runId !== undefined)).toBe(false);
	const metrics = await (await fetch(`${gateway.url()}/metrics`)).text();
	expect(metrics).toContain('route="bad",outcome="slip"} 2');
});

test('slips are named with file, line, column and route in the log, the state and the status', async () => {
	await using gateway = await startTestGateway({
		config: configWith(
			{good: {}, bad: {deliver: 'forge_comment'}},
			{
				mcp_servers: {crm: {command: 'a', url: 'http://a'}},
			},
		),
		subscriptions: {dynamic: {events: 5}},
	});
	const log = gateway.log.join('\n');
	expect(log).toMatch(/config\.yaml:1:\d+: Route "bad" delivers to .*answered with 503/);
	expect(log).toMatch(/webhook_subscriptions\.json:\d+:\d+: Route "dynamic" cannot be used/);
	expect(log).toMatch(/config\.yaml:1:\d+ mcp_servers\.crm: has both .*not in use/);
	const {routes, problems} = await gateway.until(({servers}) => servers.length === 1);
	expect(routes.find(({name}) => name === 'bad')?.problem).toContain('config.yaml:1:');
	expect(problems.some(({severity}) => severity === 'error')).toBe(true);
	expect(gateway.port.getState().servers).toMatchObject([
		{name: 'crm', status: 'failed', reason: expect.stringContaining('config.yaml:1:')},
	]);
	const status = await gateway.port.status();
	expect(status.webhook).toHaveProperty('url');
	expect(status.slips).toMatchObject([
		{kind: 'server', name: 'crm', serving: false},
		{kind: 'route', name: 'bad', serving: false},
		{kind: 'route', name: 'dynamic', serving: false},
	]);
});

test('on reload a route that is invalid is served as it was; 503 is for those that never were good', async () => {
	await using gateway = await startTestGateway({
		config: configWith({fixed: {prompt: 'x'}, gone: {}}),
		subscriptions: {dynamic: {prompt: 'x'}},
	});
	await gateway.home.write(
		'config.yaml',
		configWith({fixed: {prompt: 5}, fresh: {prompt: 5}, added: {}}),
	);
	await writeFile(gateway.paths.subscriptions, '{\n"dynamic": {"events": 5},\n"new": 7\n}');
	await gateway.port.reload();
	const statuses = Object.fromEntries(
		await Promise.all(
			['fixed', 'dynamic', 'added', 'fresh', 'new', 'gone'].map(
				async name => [name, (await gateway.send(name, {})).status] as const,
			),
		),
	);
	expect(statuses).toEqual({fixed: 202, dynamic: 202, added: 202, fresh: 503, new: 503, gone: 404});
	const {slips} = await gateway.port.status();
	expect(slips.map(({name, serving}) => [name, serving])).toEqual([
		['fixed', true],
		['fresh', false],
		['dynamic', true],
		['new', false],
	]);
	const {routes} = gateway.port.getState();
	expect(routes.find(({name}) => name === 'fixed')).toMatchObject({
		stale: expect.stringContaining('config.yaml:1:'),
	});
	expect(routes.find(({name}) => name === 'dynamic')?.stale).toContain(
		'webhook_subscriptions.json:2:23',
	);

	await gateway.home.write('config.yaml', configWith({fixed: {}, fresh: {}, added: {}}));
	await writeFile(gateway.paths.subscriptions, '{}');
	await gateway.port.reload();
	expect((await gateway.send('fresh', {})).status).toBe(202);
	expect((await gateway.send('dynamic', {})).status).toBe(404);
	expect((await gateway.port.status()).slips).toEqual([]);
});

test('a receiver setting that is wrong refuses the receiver with its place, and it serves when that is mended', async () => {
	await using gateway = await startTestGateway({
		config: JSON.stringify({
			model: {provider: 'offline'},
			platforms: {webhook: {...receiver, host: 5}},
		}),
		subscriptions: {hook: {}},
	});
	const {webhook} = await gateway.port.status();
	expect(webhook).toEqual({
		refused: expect.stringMatching(/^config\.yaml:1:\d+ platforms\.webhook\.host: must be text/),
	});
	await gateway.home.write('config.yaml', testConfig());
	await gateway.port.reload();
	expect((await gateway.send('hook', {})).status).toBe(202);
	// And while it serves, such an error changes nothing.
	await gateway.home.write(
		'config.yaml',
		JSON.stringify({platforms: {webhook: {...receiver, port: 'x'}}}),
	);
	await gateway.port.reload();
	expect((await gateway.send('hook', {})).status).toBe(202);
	expect((await gateway.port.status()).slips).toMatchObject([
		{kind: 'platform', name: 'webhook', serving: true},
	]);
});

test('without settings of runs that can be read, what comes waits until they are mended', async () => {
	const config = (runs: object) => testConfig({runs: {...runs}});
	await using gateway = await startTestGateway({
		config: config({concurrency: 'x'}),
		subscriptions: {hook: {}},
	});
	expect((await gateway.send('hook', {})).status).toBe(202);
	expect((await gateway.port.status()).runs).toMatchObject({active: 0, queued: 1});
	await gateway.home.write('config.yaml', config({concurrency: 2}));
	await gateway.port.reload();
	expect((await gateway.ended(1)).state).toBe('done');
});

test('without a model that can be read, runs fail with that reason', async () => {
	await using gateway = await startTestGateway({
		config: testConfig({model: {provider: 'opnai'}}),
		subscriptions: {hook: {}},
	});
	await gateway.until(({modelProblem}) => modelProblem !== undefined);
	expect(gateway.port.getState().modelProblem).toContain('model.provider');
	await gateway.send('hook', {});
	const run = await gateway.ended(1);
	expect([run.state, run.error]).toEqual(['failed', expect.stringContaining('model.provider')]);
});

test('a tool server and a platform that is invalid leave the others alone, and are mended on reload', async () => {
	const config = (crm: object, email: object) =>
		testConfig({
			mcp_servers: {crm: {enabled: false, ...crm}, other: {command: 'other', enabled: false}},
			platforms: {webhook: receiver, email: {enabled: true, from: 'a@b.example', ...email}},
		});
	await using gateway = await startTestGateway({config: config({timeout: 'soon'}, {smtp: 5})});
	await gateway.until(({servers, platforms}) => servers.length === 2 && platforms.length === 1);
	const {servers, platforms} = await gateway.port.status();
	expect(servers.map(({name, status}) => [name, status])).toEqual([
		['crm', 'failed'],
		['other', 'skipped'],
	]);
	expect(platforms).toMatchObject([
		{name: 'email', state: 'failed', reason: expect.stringContaining('platforms.email.smtp')},
	]);
	await expect(gateway.port.connectServer('crm')).rejects.toThrow(/mcp_servers\.crm\.timeout/);
	await gateway.home.write('config.yaml', config({command: 'crm'}, {enabled: false, smtp: {}}));
	await gateway.port.reload();
	const mended = await gateway.port.status();
	expect(mended.servers.map(({status}) => status)).toEqual(['skipped', 'skipped']);
	expect(mended.platforms).toEqual([{name: 'email', state: 'disabled'}]);
	expect(mended.slips).toEqual([]);
});

test('one job that is invalid leaves the others alone and stays the job that it was', async () => {
	const job = (id: string, schedule: unknown) => ({
		id: `job_${id}`,
		name: id,
		schedule,
		prompt: 'x',
	});
	const text = (...jobs: readonly object[]) => JSON.stringify({jobs}, null, 1);
	await using gateway = await startTestGateway();
	await gateway.home.write('cron/jobs.json', text(job('aaaaaaaa', 'every 1h'), job('bbbbbbbb', 5)));
	await gateway.until(({jobs}) => jobs.length === 2);
	expect(gateway.port.getState().jobs).toMatchObject([
		{name: 'aaaaaaaa', state: 'active'},
		{name: 'bbbbbbbb', state: 'invalid', problem: expect.stringContaining('jobs.json:9:3')},
	]);
	await gateway.home.write('cron/jobs.json', text(job('aaaaaaaa', 7), job('bbbbbbbb', 'every 2h')));
	await gateway.until(({jobs}) => jobs[1]?.state === 'active');
	expect(gateway.port.getState().jobs[0]).toMatchObject({
		state: 'active',
		schedule: 'every 1h',
		problem: expect.stringContaining('jobs.json:3:3'),
	});
	expect((await gateway.port.status()).slips).toMatchObject([
		{kind: 'job', name: 'aaaaaaaa', serving: true},
	]);

	await gateway.home.write('cron/jobs.json', text(job('aaaaaaaa', 'every 1h')));
	await gateway.until(({jobs}) => jobs.length === 1);
	await gateway.home.write('cron/jobs.json', '{"jobs": nonsense}');
	expect((await gateway.port.status()).slips).toEqual([
		{
			kind: 'section',
			name: 'cron/jobs.json',
			problem: expect.stringMatching(/cron\/jobs\.json": it is not JSON/),
			serving: true,
		},
	]);
	expect(gateway.port.getState().jobs).toHaveLength(1);
	await gateway.home.write('cron/jobs.json', text());
	expect((await gateway.port.status()).slips).toEqual([]);
});

test('a file of jobs that was broken from the start is a slip that is not in use', async () => {
	await using home = await gatewayHome();
	await home.write('cron/jobs.json', 'nonsense');
	await using gateway = await startTestGateway({home});
	expect((await gateway.port.status()).slips).toMatchObject([
		{kind: 'section', name: 'cron/jobs.json', serving: false},
	]);
});

test('while the subscriptions file never was good, what no static route is called comes again later', async () => {
	await using home = await gatewayHome({
		config: {platforms: {webhook: {...receiver, routes: {fixed: {}}}}},
	});
	await home.write('webhook_subscriptions.json', '{\n"dyn": {"secret": "not-shown",}}');
	await using gateway = await startTestGateway({home});
	for (const name of ['dyn', 'other']) {
		const answer = await gateway.send(name, {});
		expect([answer.status, answer.text]).toEqual([503, unavailable]);
		expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
	}

	expect((await gateway.send('fixed', {})).status).toBe(202);
	expect((await request(gateway, '/p/ops/webhooks/dyn')).status).toBe(404);
	expect(await (await fetch(`${gateway.url()}/metrics`)).text()).not.toContain('route="other"');
	expect((await gateway.port.status()).slips).toEqual([
		{
			kind: 'section',
			name: 'webhook_subscriptions.json',
			problem: expect.stringMatching(
				/webhook_subscriptions\.json": it is not JSON at line 2, column 31$/,
			),
			serving: false,
		},
	]);
	expect(gateway.log.join('\n')).not.toContain('not-shown');
	await home.write('webhook_subscriptions.json', '{}');
	expect((await gateway.send('dyn', {})).status).toBe(404);
	await home.write('webhook_subscriptions.json', '{"a": tru');
	expect((await gateway.send('dyn', {})).status).toBe(404);
	expect((await gateway.port.status()).slips).toMatchObject([{kind: 'section', serving: true}]);
});
