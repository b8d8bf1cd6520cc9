// @module-tag slow
import {afterAll, beforeAll, expect, test} from 'vitest';
import {homePaths} from '../../source/config/home-paths.ts';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {hasEnded, type StoredRun} from '../../source/core/run.ts';
import {connectGateway} from '../../source/gateway/control/remote-port.ts';
import type {GatewayPort} from '../../source/gateway/port.ts';
import {command} from '../cli/command.ts';
import {gatewayHome, stateWhere, testConfig} from '../helpers/gateway.ts';
import {officialProgram} from '../helpers/official-program.ts';
import {post} from '../helpers/post.ts';
import {processesWith} from '../helpers/processes.ts';
import {startSvc, type SvcProcess} from '../helpers/svc.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {runSuite, serveClient} from '../mcp/conformance/serve-client.ts';
import {parsePrometheus} from '../webhook/parse-prometheus.ts';

const script = officialProgram('everything');

const toggle = 'toggle-simulated-logging';
const guardedToggle = 'mcp__guarded__toggle_simulated_logging';

let stack: AsyncDisposableStack;
let home: TemporaryHome;
let gateway: SvcProcess;
let url: string;
let port: GatewayPort;

/** An official server as the program under test starts it; the last word of its command line tells it from all others. */
const everything = (
	name: string,
	overrides: Readonly<Record<string, string | number | boolean>> = {},
) => ({
	command: process.execPath,
	args: [script, 'stdio', home.file(`server-${name}`)],
	...overrides,
});

const processesOf = (name: string) => processesWith(home.file(`server-${name}`));

const configWith = (servers: JsonObject) =>
	testConfig({
		mcp_servers: servers,
		platforms: {webhook: {enabled: true, host: '127.0.0.1', port: 0, rate_limit: 100_000}},
	});

const servers = () => ({
	everything: everything('everything'),
	guarded: everything('guarded', {trust: 'untrusted'}),
	// A call is denied 5 seconds before it would time out.
	hasty: everything('hasty', {trust: 'untrusted', timeout: 6, lazy: true}),
});

beforeAll(async () => {
	stack = new AsyncDisposableStack();
	home = stack.use(
		await gatewayHome({
			subscriptions: {
				echo: {prompt: '/tool mcp__everything__echo {"message":"{message}"}'},
				guarded: {prompt: `/tool ${guardedToggle} {}`},
				ask: {prompt: '/tool mcp__everything__trigger_elicitation_request {}'},
				think: {
					prompt:
						'/tool mcp__everything__trigger_sampling_request {"prompt":"Who is Ann?","maxTokens":200}',
				},
				hasty: {prompt: '/tool mcp__hasty__toggle_simulated_logging {}'},
			},
		}),
	);
	await home.write('config.yaml', configWith(servers()));
	gateway = stack.use(startSvc(['gateway', 'run'], {home: home.path}));
	[, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	port = stack.use(
		await connectGateway(
			{clock: systemClock},
			{socket: homePaths({environment: {SVC_HOME: home.path}}).socket},
		),
	);
});

afterAll(async () => {
	await stack.disposeAsync();
});

const send = async (route: string, payload: unknown) => post(`${url}/webhooks/${route}`, {payload});

const json = async (...args: readonly string[]) => {
	const {code, stdout, stderr} = await command([...args, '--json'], {home: home.path});
	expect({code, stderr}).toEqual({code: 0, stderr: ''});
	return JSON.parse(stdout);
};

/** The run of the newest event of `route`, ended. */
const ended = async (route: string): Promise<StoredRun> => {
	const {runs} = await stateWhere(port, state => {
		const run = state.runs.findLast(other => other.route === route);
		return run !== undefined && hasEnded(run.state);
	});
	const run = await port.getRun(runs.findLast(other => other.route === route)?.id ?? 0);
	if (!run) {
		throw new Error(`the run of ${route} is not in the journal`);
	}

	return run;
};

/** Number of the next request that waits for a person. */
const waiting = async (): Promise<number> => {
	const {approvals} = await stateWhere(port, state => state.approvals.length > 0);
	return approvals[0]?.id ?? 0;
};

const resultIn = ({transcript}: StoredRun) => transcript.find(({kind}) => kind === 'tool-result');

test('"trust: full": a webhook’s run calls a tool of a real server over stdio', async () => {
	expect((await send('echo', {message: 'hi'})).status).toBe(202);

	const run = await ended('echo');

	expect(run).toMatchObject({state: 'done', toolCalls: 1});
	expect(run.transcript.find(({kind}) => kind === 'tool-call')).toMatchObject({
		data: {tool: 'mcp__everything__echo', server: 'everything'},
	});
	expect(resultIn(run)).toMatchObject({
		text: expect.stringContaining('Echo: hi'),
		data: {server: 'everything', ok: true},
	});
	expect(run.fullAnswer).toContain('Echo: hi');
});

test('"every tool call whose tool lacks readOnlyHint: true needs user approval": it waits, is allowed, and runs', async () => {
	await send('guarded', {});
	const id = await waiting();

	expect(await json('approvals', 'list')).toMatchObject([
		{
			id,
			tool: expect.stringContaining('toggle'),
			server: 'guarded',
			arguments: {},
			route: 'guarded',
		},
	]);
	expect((await json('gateway', 'status')).approvals).toBe(1);
	const allowed = await command(['approvals', 'allow', String(id), '--yes'], {home: home.path});
	expect(allowed).toMatchObject({code: 0});

	const run = await ended('guarded');
	expect(run).toMatchObject({state: 'done'});
	expect(resultIn(run)).toMatchObject({data: {server: 'guarded', ok: true}});
	expect(run.transcript.map(({text}) => text)).toContainEqual(
		expect.stringContaining(`waits for a person: svc approvals allow ${id}`),
	);
	const again = await command(['approvals', 'allow', String(id), '--yes'], {home: home.path});
	expect(again.code).toBe(1);
});

test('without anybody who answers, a call is denied at its deadline, and the run goes on', async () => {
	await send('hasty', {});

	const run = await ended('hasty');

	expect(run.state).toBe('done');
	expect(resultIn(run)).toMatchObject({data: {server: 'hasty', ok: false, denied: true}});
	const [settled] = await json('approvals', 'list', '--settled', '--limit', '1');
	expect(settled).toMatchObject({server: 'hasty', decision: {outcome: 'timeout'}});
});

test('"form-mode requests go through the approval surface": a server asks while its tool runs, and reads what a person filled in', async () => {
	await send('ask', {});
	const id = await waiting();
	const [form] = port.getState().approvals;
	expect(form).toMatchObject({kind: 'form', server: 'everything', run: expect.any(Number)});

	const content = {name: 'Ann of Acme', check: true, integer: 7};
	const settled = await port.settleApproval(id, {answer: {choice: 'submit', content}, by: 'test'});

	expect(settled.settled).toBe(true);
	const run = await ended('ask');
	expect(run.state).toBe('done');
	expect(resultIn(run)?.text).toContain('Ann of Acme');
	expect(JSON.stringify(await json('approvals', 'list', '--settled'))).not.toContain('Ann of Acme');
});

test('a server asks the model that answers, and reads its words', async () => {
	await send('think', {});

	const run = await ended('think');

	expect(run.state).toBe('done');
	expect(resultIn(run)?.text).toContain('svc-offline');
});

test('a person tries a tool over the control API; what would change with a reload is said before it does', async () => {
	expect(
		await port.tryTool('mcp__everything__echo', {arguments: {message: 'ho'}, by: 'test'}),
	).toMatchObject({
		text: expect.stringContaining('Echo: ho'),
	});
	expect(await port.planServerReload()).toEqual({changes: [], closes: []});
});

test('the servers are listed, tested and counted', async () => {
	const listed = await json('mcp', 'list');
	expect(listed).toMatchObject([
		{name: 'everything', transport: 'stdio', status: 'connected', reason: null},
		{name: 'guarded', status: 'connected', trust: 'untrusted'},
		{name: 'hasty'},
	]);
	expect(listed[0].tools).toBeGreaterThan(10);

	const status = await json('mcp', 'status', 'guarded');
	const asking = status.tools.filter(({asks}: {asks: boolean}) => asks);
	expect(asking.map(({tool}: {tool: string}) => tool)).toContain(toggle);
	expect(asking.map(({tool}: {tool: string}) => tool)).not.toContain('echo');

	const tested = await json('mcp', 'test', 'everything');
	expect(tested.server.tools.length).toBe(listed[0].tools);

	expect((await json('gateway', 'status')).servers).toMatchObject([
		{name: 'everything', profile: 'default', status: 'connected', reason: null},
		{name: 'guarded'},
		{name: 'hasty'},
	]);

	const metrics = await fetch(`${url}/metrics`, {headers: {connection: 'close'}});
	const families = parsePrometheus(await metrics.text());
	const calls = families.get('svc_tool_calls_total')?.samples ?? [];
	expect(calls.map(({labels}) => `${labels['server']} ${labels['result']}`).toSorted()).toEqual([
		'everything ok',
		'guarded ok',
		'hasty denied',
	]);
});

/** Scenarios that are about logins: `tests/mcp/conformance` goes through these, by the same code in the process of the test. */
const isLogin = (name: string) => name.startsWith('auth/');

// A model is shown the keywords that every model API takes, not all of a schema.
const failing = ['json-schema-2020-12-preservation'];

test('the built gateway passes what the official suite requires for 2026-07-28 with "protocol: stateless", but for logins', async () => {
	await using folder = await temporaryHome();
	const asked: Record<string, JsonObject> = {};
	const unsubscribe = port.subscribe(events => {
		for (const event of events) {
			if (event.type === 'approval-requested' && event.approval.kind === 'form') {
				const content = Object.fromEntries(
					event.approval.fields.map(({key, kind, initial, options}) => [
						key,
						initial ??
							(kind === 'boolean' ? true : (options?.[0]?.value ?? (kind === 'text' ? 'x' : 1))),
					]),
				);
				void port.settleApproval(event.approval.id, {
					answer: {choice: 'submit', content},
					by: 'cli',
				});
			}
		}
	});
	await using client = await serveClient(folder, async ({url: suite, name: scenario, context}) => {
		if (isLogin(scenario)) {
			return false;
		}

		const name = `suite-${scenario}`;
		asked[name] = {url: suite, protocol: 'stateless', timeout: 20, skip_preflight: true};
		await home.write('config.yaml', configWith({...servers(), ...asked}));
		const {servers: views} = await stateWhere(port, state =>
			state.servers.some(each => each.name === name && each.status !== 'connecting'),
		);
		const view = views.find(each => each.name === name);
		const calls = (view?.tools ?? []).flatMap(tool => {
			const named = (context.toolCalls ?? []).filter(each => each.name === tool.tool);
			// Of two numbers, or of texts.
			const required = tool.args.filter(arg => arg.endsWith('*')).map(arg => arg.slice(0, -1));
			const guess = Object.fromEntries(required.map(arg => [arg, /^[ab]$/.test(arg) ? 5 : 'x']));
			const all = context.toolCalls ? named.map(each => each.arguments) : [guess];
			return all.map(args => ({name: tool.name, args}));
		});
		for (const call of calls) {
			await port.tryTool(call.name, {arguments: call.args, by: 'test'}).catch(() => {});
		}

		const status = port.getState().servers.find(each => each.name === name)?.status;
		delete asked[name];
		return status === 'connected';
	});

	const {said} = await runSuite({
		requirements: '2026-07-28',
		timeout: '120000',
		command: client.command,
		'output-dir': folder.file('results'),
	});
	unsubscribe();

	const [, summary = `no summary: ${said}`] = said.split('=== SUITE SUMMARY ===');
	const named = (sign: string) =>
		[...summary.matchAll(new RegExp(`^${sign} (\\S+):`, 'gm'))]
			.map(([, name = '']) => name)
			.filter(name => !isLogin(name))
			.toSorted();
	expect({failed: named('✗'), passed: named('✓').length}).toEqual({failed: failing, passed: 7});
}, 240_000);

test('a reload while events come: what is unchanged stays connected, what is gone is ended, and no event is lost', async () => {
	const before = processesOf('everything');
	const sent: Array<Promise<{readonly status: number}>> = [];
	const sendSome = () => {
		for (let count = 0; count < 10; count++) {
			sent.push(send('echo', {message: `during ${sent.length}`}));
		}
	};

	sendSome();
	await home.write(
		'config.yaml',
		configWith({everything: everything('everything'), crm: everything('crm')}),
	);
	sendSome();
	const {servers: after} = await stateWhere(
		port,
		state =>
			state.servers.some(({name, status}) => name === 'crm' && status === 'connected') &&
			!state.servers.some(({name}) => name === 'guarded'),
	);
	sendSome();

	expect((await Promise.all(sent)).every(({status}) => status === 202)).toBe(true);
	const {runs} = await stateWhere(
		port,
		state =>
			state.runs.filter(({route}) => route === 'echo').length === 31 &&
			state.runs.every(({state: is}) => hasEnded(is)),
	);
	expect(runs.filter(({route, state}) => route === 'echo' && state !== 'done')).toEqual([]);
	expect(after.map(({name}) => name)).toEqual(['crm', 'everything']);
	expect(before).toHaveLength(1);
	expect(processesOf('everything')).toEqual(before);
	expect(processesOf('guarded')).toEqual([]);
	expect(processesOf('crm')).toHaveLength(1);
});

test('"no orphan survives the gateway": SIGTERM ends every server', async () => {
	expect(processesOf('').length).toBeGreaterThan(0);

	gateway.kill('SIGTERM');

	expect(await gateway.finished).toMatchObject({code: 0});
	await expect.poll(() => processesOf('')).toEqual([]);
});

test('"no orphan survives the gateway": neither does one survive kill -9', async () => {
	await using other = startSvc(['gateway', 'run'], {home: home.path});
	await other.waitFor(/Listening on (\S+)/);
	await expect
		.poll(async () => (await json('mcp', 'list')).map(({status}: {status: string}) => status), {
			timeout: 20_000,
		})
		.toEqual(['connected', 'connected']);
	expect(processesOf('').length).toBeGreaterThan(0);

	other.kill('SIGKILL');
	await other.finished;

	await expect.poll(() => processesOf(''), {timeout: 10_000}).toEqual([]);
});

test('without a gateway a server is tested by the command itself, which leaves no process', async () => {
	const {server} = await json('mcp', 'test', 'everything');

	expect(server.tools.length).toBeGreaterThan(10);
	expect(processesOf('')).toEqual([]);
	expect(await json('mcp', 'list')).toMatchObject([
		{name: 'everything', status: 'not running'},
		{name: 'crm', status: 'not running'},
	]);
});
