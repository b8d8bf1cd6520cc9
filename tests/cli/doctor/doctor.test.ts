import {once} from 'node:events';
import {chmod, mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises';
import {createServer as createHttpServer} from 'node:http';
import {type AddressInfo, createServer} from 'node:net';
import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import type {Check} from '../../../source/cli/doctor/checks/check.ts';
import {examine} from '../../../source/cli/doctor/examine.ts';
import {homePaths} from '../../../source/config/home-paths.ts';
import type {Finding} from '../../../source/core/health.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {installForgeClient} from '../../helpers/forge-client.ts';
import {testConfig} from '../../helpers/gateway.ts';
import {openMailbox} from '../../helpers/mailbox.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';
import {command, serveControl} from '../command.ts';

type Report = {readonly code: number; readonly ok: boolean; readonly findings: readonly Finding[]};

const doctor = async (
	home: TemporaryHome,
	{
		flags = ['--offline'],
		environment = {},
	}: {flags?: readonly string[]; environment?: Readonly<Record<string, string>>} = {},
): Promise<Report & {of(subject: string): Finding | undefined}> => {
	const {code, stdout} = await command(['doctor', '--json', ...flags], {
		home: home.path,
		environment,
	});
	const report: Omit<Report, 'code'> = JSON.parse(stdout);
	return {
		...report,
		code,
		of: subject => report.findings.find(finding => finding.subject === subject),
	};
};

const names = async (home: TemporaryHome) =>
	(await readdir(home.path, {recursive: true})).toSorted();

test('a home that is not there yet: nothing fails, nothing is made, and each line says what it found', async () => {
	await using home = await temporaryHome();
	const environment = {SVC_HOME: home.file('new')};

	const {code, stdout, stderr} = await command(['doctor', '--offline'], {
		home: home.path,
		environment,
	});

	expect({code, stderr}).toEqual({code: 0, stderr: ''});
	expect(stdout).toMatch(/^✓ ok {6}home +.*new is not there yet: the first start makes it$/m);
	expect(stdout).toMatch(
		/^! warning config .*config\.yaml is not there.*\n +→ svc gateway setup$/m,
	);
	expect(stdout).toMatch(/^– unknown model +not asked \(--offline\)$/m);
	expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^nothing fails, \d warnings, \d+ ok/);
	expect(await names(home)).toEqual([]);
});

test('slips have their place, secrets their own line, and the exit code is 1', async () => {
	await using home = await temporaryHome({
		'config.yaml':
			'platforms:\n  webhook:\n    enabled: true\n    hosst: 127.0.0.1\n    port: 0\n    secret: abc\nruns: {concurrency: many}\n',
	});

	const report = await doctor(home);

	expect(report).toMatchObject({code: 1, ok: false});
	expect(report.findings.filter(({subject}) => subject === 'config')).toEqual([
		{
			subject: 'config',
			health: 'failed',
			found: expect.stringContaining(
				'config.yaml:4:5 platforms.webhook.hosst: unknown key, did you mean "host"; the receiver listens on 0.0.0.0 until that is mended',
			),
			mend: 'edit config.yaml, then: svc config check',
		},
		expect.objectContaining({
			health: 'failed',
			found: expect.stringContaining('config.yaml:7:'),
		}),
	]);
	expect(report.of('secrets')).toMatchObject({
		health: 'warning',
		found: expect.stringContaining('fewer than 8 bytes'),
	});
});

test('files that others can read are named with the command that mends it', async () => {
	await using home = await temporaryHome({'.env': 'A=1\n', 'mcp-tokens/crm.json': '{}'});
	await chmod(home.file('.env'), 0o644);
	await chmod(home.file('mcp-tokens/crm.json'), 0o640);

	const {findings, code} = await doctor(home);

	expect(code).toBe(1);
	expect(
		findings.filter(({subject}) => subject === 'home').map(({health, mend}) => [health, mend]),
	).toEqual([
		['failed', `chmod 600 ${home.file('.env')}`],
		['failed', `chmod 600 ${home.file('mcp-tokens/crm.json')}`],
	]);
});

test('a port that somebody holds: by whom, as far as the system tells', async () => {
	const other = createServer().listen(0, '127.0.0.1');
	await once(other, 'listening');
	const {port} = other.address() as AddressInfo;
	await using home = await temporaryHome({
		'config.yaml': testConfig({platforms: {webhook: {enabled: true, host: '127.0.0.1', port}}}),
	});

	const held = await doctor(home);
	other.close();
	await once(other, 'close');
	const free = await doctor(home);

	expect(held.of('port')).toMatchObject({
		health: 'failed',
		found: expect.stringMatching(
			process.platform === 'linux'
				? new RegExp(`^127\\.0\\.0\\.1:${port} is held by process ${process.pid} \\(`)
				: /is held by/,
		),
	});
	expect(free.of('port')).toMatchObject({health: 'ok', found: `127.0.0.1:${port} is free`});
	expect(free.of('reach')).toMatchObject({
		found: 'bound to 127.0.0.1: this machine alone',
		mend: expect.stringContaining('svc help reachable'),
	});
});

test('of a running gateway: its process, its port, and its tool servers as it has them', async () => {
	await using home = await temporaryHome();
	const port = createFakePort();
	const status = await port.status();
	await using _ = await serveControl(home.path, {
		...port,
		status: async () => ({
			...status,
			restart_needed: ['platforms.webhook.port'],
			servers: [
				{name: 'crm', profile: 'default', status: 'needs login', tools: 0, reason: null},
				{name: 'fs', profile: 'default', status: 'lazy', tools: 3, reason: null},
				{
					name: 'mail',
					profile: 'acme',
					status: 'parked',
					tools: 0,
					reason: '\u001B[31mgone\u001B[0m',
				},
			],
		}),
	});

	const report = await doctor(home, {flags: []});

	expect(report.code).toBe(1);
	expect(JSON.stringify(report.findings)).not.toContain(String.raw`\u001b`);
	expect(
		report.findings
			.filter(({subject}) => /^(?:gateway|port|server)/.test(subject))
			.map(({subject, health, found, mend}) => [subject, health, found, mend]),
	).toEqual([
		[
			'gateway',
			'warning',
			expect.stringContaining('process 4242 runs version 1.0.0'),
			'svc gateway stop; svc gateway',
		],
		[
			'gateway',
			'warning',
			'a restart is needed for platforms.webhook.port',
			'svc gateway stop; svc gateway',
		],
		['port', 'ok', 'the gateway (process 4242) listens on http://127.0.0.1:8644', undefined],
		['server crm', 'failed', 'needs login, 0 tools', 'svc mcp login crm'],
		['server fs', 'ok', 'lazy, 3 tools', undefined],
		[
			'server mail of acme',
			'failed',
			expect.stringMatching(/^parked, 0 tools, .*gone/),
			'svc mcp test mail',
		],
	]);
});

/** A model provider that answers `/models` once asked with the right key, with a clock of its own. */
const openProvider = async (date: string) => {
	const asked: Array<string | undefined> = [];
	const server = createHttpServer((request, response) => {
		asked.push(request.headers.authorization);
		response.sendDate = false;
		response.setHeader('date', date);
		const isKnown = request.headers.authorization === 'Bearer sk-right-key-of-this-test';
		response.statusCode = isKnown ? 200 : 401;
		response.end(JSON.stringify({data: [{id: 'llama'}], said: request.headers.authorization}));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		asked,
		host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
		[Symbol.asyncDispose]: async () => {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
};

test('the model is asked with its key, which is never shown; its clock is compared with ours', async () => {
	await using provider = await openProvider('Mon, 01 Jan 2024 00:00:00 GMT');
	await using home = await temporaryHome();
	const model = (name: string, key: string, host = provider.host) => ({
		platforms: {webhook: {enabled: true, host: '127.0.0.1', port: 0}},
		model: {
			provider: 'openai-compatible',
			base_url: `http://${host}/v1`,
			name,
			api_key: key,
		},
	});

	await home.write('config.yaml', testConfig(model('llama', 'sk-right-key-of-this-test')));
	const right = await doctor(home, {flags: []});
	await home.write('config.yaml', testConfig(model('other', 'sk-right-key-of-this-test')));
	const other = await doctor(home, {flags: []});
	await home.write('config.yaml', testConfig(model('llama', 'sk-wrong-key-of-this-test')));
	const wrong = await doctor(home, {flags: []});
	await home.write('config.yaml', testConfig(model('llama', 'sk-right', '127.0.0.1:2')));
	const away = await doctor(home, {flags: []});

	expect(away.of('model')).toMatchObject({
		health: 'failed',
		found: 'it cannot be reached: connect ECONNREFUSED 127.0.0.1:2',
	});
	expect(right.of('model')).toMatchObject({
		health: 'ok',
		found: `llama of openai-compatible at ${provider.host} answers`,
	});
	expect(right.of('clock')).toMatchObject({
		health: 'failed',
		found: expect.stringContaining(`s ahead of ${provider.host}`),
	});
	expect(other.of('model')).toMatchObject({
		health: 'warning',
		found: expect.stringContaining('does not list "other"'),
	});
	expect(wrong.of('model')).toMatchObject({
		health: 'failed',
		found: expect.stringContaining('refuses the key (401)'),
	});
	expect(provider.asked).toHaveLength(3);
	expect(JSON.stringify([right, other, wrong])).not.toMatch(/sk-(?:right|wrong)/);
});

test('targets in use are looked at by their own senders: the forge client, and the mail server without a mail', async () => {
	await using client = await installForgeClient();
	await using mailbox = await openMailbox();
	await using home = await temporaryHome({
		'config.yaml': testConfig({
			model: {provider: 'offline'},
			toolsets: {terminal: {forge: 'read'}},
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					extra: {
						routes: {
							review: {
								secret: 'a-secret-of-the-test',
								prompt: 'x',
								deliver: 'forge_comment',
								deliver_extra: {repo: 'acme/api', pr_number: '1'},
							},
							merges: {
								secret: 'a-secret-of-the-test',
								prompt: 'x',
								events: ['Merge Request Hook'],
								prefetch: ['diff'],
							},
							files: {
								secret: 'a-secret-of-the-test',
								prompt: 'x',
								events: ['pull_request'],
								prefetch: ['checkout'],
								toolsets: ['file', 'terminal'],
							},
						},
					},
				},
				email: {
					enabled: true,
					from: 'svc@example.com',
					home_channel: 'ops@example.com',
					smtp: {host: '127.0.0.1', port: mailbox.port},
				},
			},
		}),
	});
	const options = {flags: [], environment: {PATH: client.path}};

	const well = await doctor(home, options);
	await client.fail('You are not logged into any GitHub hosts.\n');
	const out = await doctor(home, options);
	const without = await doctor(home, {flags: [], environment: {PATH: home.path}});

	expect([well.of('target forge_comment'), well.of('target email')]).toMatchObject([
		{health: 'ok', found: '"gh" is logged in'},
		{health: 'ok', found: expect.stringContaining(`127.0.0.1:${mailbox.port} answers`)},
	]);
	expect(mailbox.mails).toEqual([]);
	expect(well.of('target prefetch with glab')).toMatchObject({
		health: 'ok',
		found: '"glab" is logged in',
	});
	expect(without.of('target prefetch with glab')).toMatchObject({
		health: 'failed',
		found: expect.stringContaining('"glab" is not installed'),
	});
	expect(without.of('target prefetch with git')).toMatchObject({
		health: 'failed',
		found: 'git is not installed',
	});
	expect(well.of('target toolsets.terminal.forge with gh')).toMatchObject({health: 'ok'});
	expect(out.of('target toolsets.terminal.forge with gh')).toMatchObject({
		health: 'failed',
		mend: expect.stringContaining('gh auth login'),
	});
	expect(out.of('target forge_comment')).toMatchObject({
		health: 'failed',
		mend: expect.stringContaining('gh auth login'),
	});
	expect(without.of('target forge_comment')).toMatchObject({
		health: 'failed',
		found: expect.stringContaining('"gh" is not installed'),
	});
	expect((await client.calls()).every(({args}) => /^(?:--version|auth)$/.test(args[0] ?? ''))).toBe(
		true,
	);
});

test('tool servers are connected to without a gateway, and nothing of that is left in the home', async () => {
	await using home = await temporaryHome();
	await home.write(
		'config.yaml',
		testConfig({
			model: {provider: 'offline'},
			mcp_servers: {
				gone: {command: '/nowhere/to/be/found'},
				crm: {url: 'https://crm.example/mcp', auth: 'oauth'},
				spy: {command: process.execPath, sandbox: {read: [home.path]}},
			},
		}),
	);
	const before = await names(home);

	const report = await doctor(home, {flags: []});

	expect(report.of('server gone')).toMatchObject({
		health: 'failed',
		mend: expect.stringContaining('svc mcp test gone'),
	});
	expect(report.of('server crm')).toMatchObject({health: 'unknown', mend: 'svc mcp test crm'});
	expect(JSON.stringify(report.of('server spy'))).toContain('is out of reach for every sandbox');
	expect(await names(home)).toEqual(before);
});

test('a journal that is whole, one that is damaged, and what a dead gateway left', async () => {
	await using home = await temporaryHome({'config.yaml': testConfig({})});
	const database = new DatabaseSync(home.file('state.db'));
	database.exec('pragma journal_mode = wal; create table t (x); insert into t values (1)');
	database.close();
	await chmod(home.file('state.db'), 0o600);
	await mkdir(home.file('run'), {mode: 0o700});
	await writeFile(home.file('run/gateway.pid'), '999999\n', {mode: 0o600});
	const before = await names(home);

	const whole = await doctor(home);
	expect(await names(home)).toEqual(before);
	expect((await stat(home.file('state.db'))).size).toBeGreaterThan(0);
	await home.write(
		'state.db',
		`${(await readFile(home.file('state.db'))).toString('latin1').slice(0, 50)}rubbish`,
	);
	const damaged = await doctor(home);

	expect(whole.of('journal')).toMatchObject({health: 'ok'});
	expect(whole.findings.findLast(({subject}) => subject === 'gateway')).toMatchObject({
		health: 'warning',
		found: expect.stringContaining('process 999999'),
	});
	expect(damaged.of('journal')).toMatchObject({
		health: 'failed',
		mend: expect.stringContaining('svc help backup'),
	});
});

test('a look that does not end is given up after 10 s, one that throws is a failure, and the others stand', async () => {
	await using home = await temporaryHome();
	const clock = createFakeClock();
	const looked = Promise.withResolvers<void>();
	const list: readonly Check[] = [
		{
			subject: 'stuck',
			// The others are done by then.
			comesLast: true,
			async look() {
				looked.resolve();
				return new Promise<never>(() => {});
			},
		},
		{
			subject: 'broken',
			look() {
				throw new Error('no \u001B[2Jway');
			},
		},
		{subject: 'fine', look: () => [{health: 'ok', found: 'yes'}]},
	];
	const environment = {HOME: home.path, SVC_HOME: home.path};
	const paths = homePaths({environment});
	const context = {clock, environment, paths: () => paths};

	const report = examine(context as never, {offline: true, list});
	await looked.promise;
	clock.advance(10_000);

	expect(JSON.stringify(await report)).not.toContain(String.raw`\u001b`);
	expect(await report).toEqual([
		{subject: 'stuck', health: 'failed', found: 'this could not be looked at within 10 s'},
		{
			subject: 'broken',
			health: 'failed',
			found: expect.stringMatching(/^this could not be looked at: no .*way$/),
		},
		{subject: 'fine', health: 'ok', found: 'yes'},
	]);
});

test('what a check finds is told without the secrets of the configuration', async () => {
	await using home = await temporaryHome();
	const secret = 'sk-live-0123456789abcdef';
	await writeFile(
		home.file('config.yaml'),
		testConfig({
			model: {provider: 'openai', name: 'gpt-5-mini', api_key: secret},
		}),
	);
	const environment = {HOME: home.path, SVC_HOME: home.path};
	const paths = homePaths({environment});
	const list: readonly Check[] = [
		{
			subject: 'talkative',
			look: () => [{health: 'failed', found: `no ${secret} here`, mend: `change ${secret}`}],
		},
	];
	const context = {clock: createFakeClock(), environment, paths: () => paths};
	const [finding] = await examine(context as never, {offline: true, list});
	expect(finding?.found).toMatch(/^no .+ here$/);
	expect(JSON.stringify(finding)).not.toContain(secret);
});

test('the sandbox: which bubblewrap keeps commands in, and what may count them, without a word of its own group; one that is setuid is a warning', async context => {
	const probe = await probeSandbox(process.env);
	await using home = await temporaryHome({
		'config.yaml': testConfig({}),
		'bin/bwrap': '#!/bin/sh\nexit 1\n',
	});
	await chmod(home.file('bin/bwrap'), 0o4755);

	const refused = await doctor(home, {environment: {PATH: home.file('bin')}, flags: []});
	expect(refused.of('sandbox')).toMatchObject({
		health: 'warning',
		found: expect.stringMatching(/bwrap is setuid: .*chmod u-s/),
	});
	if (!probe.works) {
		context.skip(`no sandbox works here: ${probe.reason}`);
	}

	const found = await doctor(home, {environment: {PATH: process.env['PATH'] ?? ''}, flags: []});
	expect(found.of('sandbox')).toMatchObject({
		health: 'ok',
		found: expect.stringMatching(
			/^bubblewrap [\d.]+, \/.*; processes and memory of a call are counted (?:in a control group where the gateway may make some, else by looking every 25 ms: \S|by looking every 25 ms \(no control group: (?:there is no cgroup v2|it takes Linux 5\.14)\)$)/,
		),
	});
});

test('the sandbox: which routes and jobs lose their tools, and why; a working folder that is not there is not made', async context => {
	const routes = {
		review: {secret: 'a-long-secret-of-a-route', toolsets: ['terminal', 'file']},
		digest: {secret: 'a-long-secret-of-a-route', toolsets: ['file']},
		quiet: {secret: 'a-long-secret-of-a-route'},
	};
	const configOf = (sandbox: JsonObject) =>
		testConfig({platforms: {webhook: {enabled: true, routes}}, sandbox});
	await using home = await temporaryHome({'config.yaml': configOf({}), 'empty/file': ''});
	const findings = async (path: string) => {
		const report = await doctor(home, {environment: {PATH: path}, flags: []});
		return report.findings.filter(({subject}) => subject.startsWith('sandbox'));
	};

	expect(await findings(home.file('empty'))).toEqual([
		{
			subject: 'sandbox',
			health: 'failed',
			found: expect.stringMatching(
				/^terminal and file: not offered to review, digest: no sandbox works here: /,
			),
			mend: 'svc help sandbox',
		},
	]);
	await home.write('config.yaml', configOf({required: false}));
	expect(await findings(home.file('empty'))).toMatchObject([{health: 'warning'}]);
	expect(await names(home)).not.toContain('work');
	const probe = await probeSandbox(process.env);
	if (!probe.works) {
		context.skip(`no sandbox works here: ${probe.reason}`);
	}

	const here = process.env['PATH'] ?? '';
	await mkdir(home.file('.ssh'));
	await home.write('config.yaml', configOf({read: ['~/.ssh']}));
	expect(await findings(here)).toMatchObject([
		{health: 'ok'},
		{
			health: 'failed',
			found: expect.stringMatching(
				/^terminal and file: not offered to review, digest: sandbox\.read: ".*\.ssh" /,
			),
		},
	]);
	await home.write('config.yaml', configOf({}));
	expect(await findings(here)).toMatchObject([{health: 'ok'}]);
});
