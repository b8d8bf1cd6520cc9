import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {chmod, writeFile} from 'node:fs/promises';
import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import type {Context} from '../../../source/cli/console/context.ts';
import {openDemo} from '../../../source/cli/demo/open-demo.ts';
import type {Shown} from '../../../source/cli/start/detach.ts';
import {showScreen} from '../../../source/cli/start/show-screen.ts';
import {homePaths} from '../../../source/config/home-paths.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {defaultApiPort} from '../../../source/core/hosts.ts';
import type {GatewayState} from '../../../source/core/state.ts';
import type {Gateway} from '../../../source/gateway/gateway.ts';
import type {TuiWorld} from '../../../source/tui/shell/tui-world.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {stateWhere} from '../../helpers/gateway.ts';
import {processAt, processes, until} from '../../helpers/processes.ts';
import {svcCommand} from '../../helpers/svc.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {command} from '../command.ts';

/** The demo with lines, in this process. */
async function startDemo(environment: Readonly<Record<string, string>>) {
	const {promise, resolve, reject} = Promise.withResolvers<{gateway: Gateway; url: string}>();
	const streams = {stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough()};
	streams.stderr.resume();
	const finished = openDemo(
		{
			...(streams as unknown as Pick<Context, 'stdin' | 'stdout' | 'stderr'>),
			environment,
			clock: systemClock,
			version: '0.0.0',
			paths: () => homePaths({environment}),
			run: async () => 0,
			exit() {},
		},
		{
			output: 'quiet',
			isStill: true,
			program: [...svcCommand],
			onGateway(gateway, url) {
				resolve({gateway, url});
			},
		},
	);
	finished.catch(reject);
	const demo = await promise;
	return {
		...demo,
		async end() {
			await demo.gateway.port.stop();
			await finished;
		},
	};
}

const demosIn = (folder: string) =>
	readdirSync(folder).filter(name => name.startsWith('svc-demo-'));

const outcomes = ({deliveries}: GatewayState) =>
	new Set(deliveries.map(({delivery}) => `${delivery.status} ${delivery.outcome}`));

test('the day of the demo has every kind of outcome; nothing of it leaves the machine, and nothing of it stays', async () => {
	await using outside = await temporaryHome();
	// A client that would tell.
	await outside.write('bin/gh', `#!/bin/sh\ntouch '${outside.file('gh-was-called')}'\n`);
	await chmod(outside.file('bin/gh'), 0o755);
	await writeFile(outside.file('config.yaml'), 'not: mine\n');
	const demo = await startDemo({
		PATH: `${outside.file('bin')}:${process.env['PATH'] ?? ''}`,
		HOME: outside.path,
		SVC_HOME: outside.path,
		TMPDIR: outside.path,
		OPENAI_API_KEY: 'a-key-of-the-person',
		ANTHROPIC_API_KEY: 'another-key',
		HTTPS_PROXY: 'http://proxy.example.com:3128',
	});
	const state = await stateWhere(demo.gateway.port, ({runs}) => runs.length > 20);
	const {home} = state.gateway;

	expect([...outcomes(state)].toSorted()).toEqual([
		'200 delivered',
		'200 duplicate',
		'200 ignored:event',
		'200 ignored:filter',
		'202 accepted',
		'202 coalesced',
		'400 body',
		'401 signature',
		'404 route',
		'429 rate',
		'503 paused',
	]);
	expect(new Set(state.runs.map(run => run.state))).toEqual(new Set(['done', 'failed', 'running']));
	expect(new Set(state.settledApprovals.map(({decision}) => decision?.outcome))).toEqual(
		new Set(['allowed', 'denied', 'timeout']),
	);
	expect(state.approvals.map(({kind}) => kind)).toEqual(['tool']);
	expect(state.groups.length).toBeGreaterThan(3);
	expect(state.jobs.map(job => job.state).toSorted()).toEqual(['active', 'active', 'paused']);
	expect(Object.fromEntries(state.servers.map(({name, status}) => [name, status]))).toEqual({
		tracker: 'connected',
		notes: 'connected',
		crm: 'needs login',
		billing: 'needs login',
		staging: 'parked',
		wiki: 'skipped',
	});
	expect(state.routes.filter(({problem}) => problem !== undefined)).toHaveLength(1);
	expect(JSON.stringify(state)).not.toMatch(/a-key-of-the-person|another-key|proxy\.example/);

	// Where it listens, and where it goes.
	expect(new URL(demo.url).hostname).toBe('127.0.0.1');
	const api = new URL(state.api?.state === 'listening' ? state.api.url : 'never:');
	expect(api.hostname).toBe('127.0.0.1');
	expect(api.port).not.toBe(String(defaultApiPort));
	const written = readFileSync(`${home}/config.yaml`, 'utf8');
	expect(written).toMatch(/^ {6}gh-review:\n {8}description: Reviews/m);
	expect(written).not.toMatch(/[&*]a\d/);
	const hosts = [...written.matchAll(/https?:\/\/([^/":]+)/g)].map(([, host]) => host);
	expect(new Set(hosts)).toEqual(new Set(['127.0.0.1']));
	expect(home.startsWith(outside.path)).toBe(false);
	const parts = processes().filter(
		({args, parent}) => parent === process.pid && args.includes('demo-part'),
	);
	expect(new Set(parts.map(({args}) => args.split(' ').at(-1)))).toEqual(
		new Set(['notes', 'tracker']),
	);

	await demo.end();

	expect(existsSync(home)).toBe(false);
	expect(existsSync(outside.file('gh-was-called'))).toBe(false);
	expect(readdirSync(outside.path).toSorted()).toEqual(['bin', 'config.yaml']);
	await until(() => parts.every(({pid}) => (processAt(pid)?.state ?? 'Z') === 'Z'));
	await expect(fetch(demo.url)).rejects.toThrow('fetch failed');
});

test('an error of what goes on behind the screen ends the screen, and is thrown', async () => {
	await using home = await temporaryHome();
	const environment = {HOME: home.path, SVC_HOME: home.path};
	const {promise: never} = Promise.withResolvers<void>();
	const {signal: quiet} = new AbortController();
	const begun = Promise.reject(new Error('The demo cannot listen'));
	const streams = {stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough()};
	const shown = {
		context: {...streams, environment, clock: systemClock, paths: () => homePaths({environment})},
		port: createFakePort(),
		gateway: {started: Promise.resolve(), stopped: never},
		stop: {asked: never, signal: quiet, hungUp: quiet},
		begun,
		endsWithFace: true,
	};
	const run = async ({options: {signal}}: TuiWorld) => {
		const {promise, resolve} = Promise.withResolvers<void>();
		signal?.addEventListener('abort', () => {
			resolve();
		});
		await promise;
		return {reason: 'aborted'} as const;
	};

	await expect(showScreen(shown as unknown as Shown, run)).rejects.toThrow('cannot listen');
});

test.for([
	[['--demo', 'gateway', 'run'], '--demo is for "svc" alone'],
	[['--demo', 'runs', 'list'], '--demo is for "svc" alone'],
	[['--demo', '--profile', 'work'], 'a home of its own'],
	[['--demo', '--read-only'], 'a gateway of its own'],
	[['--still'], '--still is for "svc --demo"'],
	[['demo-part', 'nothing'], 'no part "nothing"'],
] as const)('%j is refused', async ([args, reason]) => {
	await using home = await temporaryHome();
	const {code, stderr} = await command([...args], {home: home.path});

	expect(code).toBe(2);
	expect(stderr).toContain(reason);
	expect(readdirSync(home.path)).toEqual([]);
	expect(demosIn(home.path)).toEqual([]);
});
