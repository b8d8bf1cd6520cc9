// @module-tag slow
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {readdir} from 'node:fs/promises';
import {createServer, type AddressInfo} from 'node:net';
import {expect, test} from 'vitest';
import {nodeFlags} from '../../source/core/program.ts';
import {gatewayHome, startTestGateway, subscriptionsText, testConfig} from '../helpers/gateway.ts';
import {post} from '../helpers/post.ts';
import {startSvc, svc} from '../helpers/svc.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {command} from './command.ts';

/** Ends whatever gateway a test left running in the background. */
const withBackground = (home: TemporaryHome) => ({
	home,
	run: async (...args: readonly string[]) => command(args, {home: home.path}),
	/** Starts it in a process of its own, which starts another. */
	start: async (...args: readonly string[]) => svc(['gateway', ...args], {home: home.path}),
	async [Symbol.asyncDispose]() {
		await command(['gateway', 'stop'], {home: home.path});
		await home[Symbol.asyncDispose]();
	},
});

test('"svc gateway starts it in the background and returns once /health answers"; status, stop', async () => {
	await using background = withBackground(await gatewayHome({subscriptions: {gh: {}}}));
	const {run, start} = background;
	const before = await run('gateway', 'status', '--json');
	expect([before.code, JSON.parse(before.stdout)]).toEqual([1, {running: false}]);

	const started = await start();
	expect(started).toMatchObject({code: 0, stderr: ''});
	const [, pid = '', url = ''] =
		/process (\d+)\) and listens on (\S+)\n/.exec(started.stdout) ?? [];
	expect(execFileSync('ps', ['-o', 'args=', '-p', pid], {encoding: 'utf8'})).toContain(
		nodeFlags.join(' '),
	);
	const health = await fetch(`${url}/health`, {headers: {connection: 'close'}});
	expect(await health.json()).toMatchObject({status: 'ok', platform: 'webhook'});
	expect((await post(`${url}/webhooks/gh`, {payload: {}})).status).toBe(202);

	const status = await run('gateway', 'status', '--json');
	expect(JSON.parse(status.stdout)).toMatchObject({
		running: true,
		pid: Number(pid),
		webhook: {url},
		api: {disabled: true},
		runs: {active: expect.any(Number), queued: expect.any(Number), awaiting_login: 0},
		groups: 0,
		servers: [],
		platforms: [],
	});
	expect((await run('gateway', 'status')).stdout).toContain(`listening on ${url}`);

	const again = await run('gateway');
	expect(again).toMatchObject({code: 1, stderr: expect.stringContaining(`process ${pid}`)});
	const foreground = await run('gateway', 'run');
	expect(foreground).toMatchObject({
		code: 1,
		stderr: expect.stringMatching(
			new RegExp(`^svc: Cannot start a second gateway .*process ${pid} .*\\(gateway_running\\)\n$`),
		),
	});

	expect(await run('gateway', 'stop')).toMatchObject({
		code: 0,
		stdout: 'The gateway has stopped\n',
	});
	expect(await run('gateway', 'stop')).toMatchObject({
		code: 0,
		stderr: expect.stringContaining('No gateway runs'),
	});
});

test('"or prints the refusal and exits 3": a receiver that may not start', async () => {
	await using background = withBackground(await gatewayHome());
	const {home, start} = background;
	await home.write(
		'config.yaml',
		'model: {provider: offline}\nplatforms: {webhook: {enabled: true, routes: {bare: {}}}}\n',
	);
	const refused = await start();
	expect(refused).toMatchObject({code: 3, stdout: '', stderr: expect.stringContaining('"bare"')});
});

test('"which then exits 1": the status of a gateway with a slip names it, and exits 0 once it is mended', async () => {
	await using gateway = await startTestGateway({subscriptions: {good: {}, bad: {events: 5}}});
	const run = async () => command(['gateway', 'status'], {home: gateway.home.path});
	const {code, stdout} = await run();
	expect(code).toBe(1);
	expect(stdout).toMatch(
		/^slip +route bad: webhook_subscriptions\.json:\d+:\d+: .*; its events are answered with 503$/m,
	);
	await gateway.home.write('webhook_subscriptions.json', subscriptionsText({good: {}, bad: {}}));
	const mended = await run();
	expect([mended.code, mended.stdout]).toEqual([0, expect.not.stringContaining('slip ')]);
});

test('"svc gateway" in a fresh home makes the same first configuration as the interface', async () => {
	await using background = withBackground(await temporaryHome());
	const {home, start, run} = background;
	const {stdout} = await start();
	// The port that it takes may be taken on this machine: then the receiver says so.
	expect(stdout.split('\n').slice(0, 2)).toEqual([
		`First start: wrote ${home.file('config.yaml')}`,
		`First start: wrote ${home.file('webhook_subscriptions.json')}: "github", with a secret of its own`,
	]);
	expect(await home.read('config.yaml')).toContain('host: 127.0.0.1');
	const {webhook} = JSON.parse((await run('gateway', 'status', '--json')).stdout);
	expect(Object.keys(webhook)).toEqual([expect.stringMatching(/^(?:url|refused)$/)]);
	expect(stdout).not.toContain(
		JSON.parse(await home.read('webhook_subscriptions.json')).github.secret,
	);
	// Once: what a person takes out does not come back.
	await run('gateway', 'stop');
	await home.write('webhook_subscriptions.json', '{}');
	expect((await start()).stdout).not.toContain('First start');
});

test('"svc gateway" beside one whose receiver is refused says so, and why', async () => {
	await using gateway = await startTestGateway({
		config:
			'model: {provider: offline}\nplatforms: {webhook: {enabled: true, routes: {bare: {}}}}\n',
	});
	const {code, stdout, stderr} = await command(['gateway'], {home: gateway.home.path});
	expect([code, stdout]).toEqual([1, '']);
	expect(stderr.trim().split('\n')).toEqual([
		expect.stringMatching(/^A gateway runs already \(process \d+\): attach with "svc"/),
		expect.stringMatching(
			/^Its webhook receiver is refused: config\.yaml:2:\d+: Route "bare" has no secret/,
		),
	]);
});

test('"or prints the refusal and exits 3": a configuration that cannot be read', async () => {
	await using background = withBackground(await gatewayHome());
	const {home, run, start} = background;
	await home.write('config.yaml', 'model: {provider: offline\nruns: 7\n');
	const broken = await start();
	expect(broken).toMatchObject({
		code: 3,
		stdout: '',
		stderr: expect.stringContaining('config.yaml:'),
	});
	expect((await run('gateway', 'status')).code).toBe(1);
});

test('"svc gateway run" with a broken configuration: exit 3 with file, line and column', async () => {
	await using home = await temporaryHome({'config.yaml': 'model:\n  provider: [\n'});
	const {code, stdout, stderr} = await command(['gateway', 'run'], {home: home.path});
	expect({code, stdout}).toEqual({code: 3, stdout: ''});
	expect(stderr).toMatch(/config\.yaml:\d+:\d+: /);
	expect(stderr).toMatch(/svc: Cannot start: config\.yaml:\d+:\d+: .*\(config_refused\)\n$/);
});

test('"--output quiet": warnings and errors alone, until SIGINT drains it; a screen is no line', async () => {
	await using home = await gatewayHome({
		config: {platforms: {webhook: {enabled: false}}},
	});
	await using gateway = startSvc(['gateway', 'run', '--output', 'quiet'], {home: home.path});
	await gateway.waitFor(/is not enabled/);
	gateway.kill('SIGINT');
	const {code, stderr} = await gateway.finished;
	expect(code).toBe(0);
	expect(stderr).not.toContain(' info ');
	expect((await command(['gateway', 'run', '--output', 'screen'], {home: home.path})).code).toBe(2);
});

test('"--read-only" watches a gateway that runs, and starts none', async () => {
	await using home = await temporaryHome();
	const lines = await command(['--read-only', '--output', 'compact'], {home: home.path});
	expect(lines.code).toBe(2);
	expect(lines.stderr).toContain(
		'--read-only watches a gateway that runs; start one with svc gateway',
	);
	expect(await readdir(home.path)).toEqual([]);
	const other = await command(['runs', 'list', '--read-only'], {home: home.path});
	expect(other.code).toBe(2);
});

test('"SIGTERM/SIGINT drain and exit 0", SIGHUP too, and the home is free again; "--output json": one JSON object a line on stderr, nothing on stdout', async () => {
	await using home = await gatewayHome();
	// SIGINT ends the one above.
	for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
		await using gateway = startSvc(['gateway', 'run', '--output', 'json'], {home: home.path});
		await gateway.waitFor(/"message":"Listening on/);
		gateway.kill(signal);
		const {code, stdout, stderr} = await gateway.finished;
		expect({signal, code, stdout}).toEqual({signal, code: 0, stdout: ''});
		for (const line of stderr.trim().split('\n')) {
			expect(JSON.parse(line)).toMatchObject({at: expect.any(Number), level: expect.any(String)});
		}
	}
});

test('"-p, --profile NAME": a gateway, a lock and subscriptions of its own', async () => {
	await using first = await startTestGateway({subscriptions: {gh: {}}});
	const {home} = first;
	const options = {home: home.path};
	const config = {config: testConfig(), subscriptions: subscriptionsText({work: {}})};
	await home.write('profiles/work/config.yaml', config.config);
	expect((await command(['-p', 'work', 'webhook', 'subscribe', 'made'], options)).code).toBe(0);
	await home.write('profiles/work/webhook_subscriptions.json', config.subscriptions);
	await using second = startSvc(['-p', 'work', 'gateway', 'run'], options);
	const [, url = ''] = await second.waitFor(/Listening on (\S+)/);
	expect((await post(`${url}/webhooks/work`, {payload: {}})).status).toBe(202);
	expect((await post(`${url}/webhooks/gh`, {payload: {}})).status).toBe(404);
	const status = JSON.parse(
		(await command(['--profile', 'work', 'gateway', 'status', '--json'], options)).stdout,
	);
	expect(status).toMatchObject({
		pid: second.pid,
		profile: 'work',
		home: home.file('profiles/work'),
		webhook: {url},
	});
	expect((await command(['-p', 'work', 'gateway', 'stop'], options)).code).toBe(0);
	expect((await second.finished).code).toBe(0);
	expect((await command(['gateway', 'status'], options)).stdout).toContain(
		`process ${process.pid}`,
	);
});

test('"it attaches to that one and says so": --output compact follows a gateway that runs, and leaves it running; so does a log that nobody reads any more', async () => {
	await using home = await gatewayHome({subscriptions: {gh: {}}});
	await using gateway = startSvc(['gateway', 'run'], {home: home.path});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	await using attached = startSvc(['--output', 'compact'], {home: home.path});
	await attached.waitFor(new RegExp(`Attached to the gateway of process ${gateway.pid}`));
	await post(`${url}/webhooks/gh`, {payload: {}, headers: {'x-github-event': 'hello'}});
	await attached.waitFor(/gh hello 202 accepted/);
	await attached.waitFor(/gh run \d+ done/);
	attached.kill('SIGTERM');
	expect((await attached.finished).code).toBe(0);
	expect((await command(['gateway', 'status'], {home: home.path})).code).toBe(0);

	gateway.closeOutput();
	for (let count = 0; count < 5; count++) {
		expect((await post(`${url}/webhooks/gh`, {payload: {}})).status).toBe(202);
	}

	expect((await command(['gateway', 'status'], {home: home.path})).code).toBe(0);
	gateway.kill('SIGTERM');
	expect((await gateway.finished).code).toBe(0);
});

test('without a gateway, --output json runs one and prints what happens', async () => {
	await using home = await gatewayHome({subscriptions: {gh: {}}});
	await using gateway = startSvc(['--output', 'json'], {home: home.path});
	const [, url = ''] = await gateway.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/);
	await post(`${url}/webhooks/gh`, {payload: {}});
	await gateway.waitFor(/"type":"delivery-received"/);
	gateway.kill('SIGTERM');
	const {code, stdout} = await gateway.finished;
	expect(code).toBe(0);
	expect(stdout).toMatch(/"type":"delivery-received"/);
});

test('a busy port: the gateway runs without a receiver, says so, and exits 0 when it is stopped', async () => {
	const other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	const {port} = other.address() as AddressInfo;
	await using home = await gatewayHome({
		config: {platforms: {webhook: {enabled: true, host: '127.0.0.1', port}}},
	});
	try {
		await using gateway = startSvc(['gateway', 'run'], {home: home.path});
		await gateway.waitFor(new RegExp(`The webhook receiver was refused: .*${port}`));
		const status = await command(['gateway', 'status', '--json'], {home: home.path});
		expect(JSON.parse(status.stdout)).toMatchObject({
			webhook: {refused: expect.stringContaining(String(port))},
		});
		gateway.kill('SIGTERM');
		expect((await gateway.finished).code).toBe(0);
	} finally {
		other.close();
	}
});
