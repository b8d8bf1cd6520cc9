import {cp, readFile, stat} from 'node:fs/promises';
import {userInfo} from 'node:os';
import {dirname, join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {digestOf} from '../../../source/api/approvals.ts';
import {approvalJson} from '../../../source/cli/approvals/approval-json.ts';
import {requestLines} from '../../../source/cli/approvals/waiting.ts';
import {tableOf} from '../../../source/cli/nouns/noun-commands.ts';
import {ensureHome, homePaths} from '../../../source/config/home-paths.ts';
import type {ApprovalAnswer, ToolApproval} from '../../../source/core/approval.ts';
import {whyNotCovered} from '../../../source/core/approvals/why-not-covered.ts';
import {jsonHash} from '../../../source/core/json.ts';
import {createLogger, silentLogger} from '../../../source/core/log.ts';
import {createBroker} from '../../../source/core/reduce.ts';
import {shownTool, type Tool} from '../../../source/core/tool.ts';
import {faceName} from '../../../source/gateway/approvals/approval-log.ts';
import {openApprovals} from '../../../source/gateway/approvals/open-approvals.ts';
import {openCluster} from '../../../source/gateway/cluster/open-cluster.ts';
import {createReadCommands} from '../../../source/gateway/commands/read-commands.ts';
import {createWorkCommands} from '../../../source/gateway/commands/work-commands.ts';
import type {Rooms} from '../../../source/gateway/rooms.ts';
import {ruleText} from '../../../source/nouns/approval/approval-words.ts';
import {approvalNoun, printedApprovals} from '../../../source/nouns/approval/approval.ts';
import {printedRules} from '../../../source/nouns/approval/rule.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import {pagedText} from '../../../source/tui/approvals/paged-text.ts';
import {sideLines} from '../../../source/tui/approvals/sheet-content.ts';
import {callLines} from '../../../source/tui/approvals/sheet-lines.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {askedOf, makeField, makeShownTool, makeToolApproval} from '../../helpers/make-approval.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';
import {acceptRun, fireRun, startMs} from '../../store/samples.ts';

const secret = 'sk-live-hidden';

const tool = {
	name: 'mcp__github-tools__create_issue',
	description: 'Creates an issue',
	inputSchema: {type: 'object'},
	readOnly: false,
	needsApproval: true,
	asked: askedOf(makeShownTool()),
	execute: async () => ({text: 'done'}),
} satisfies Tool;

const unused = () => {
	throw new Error('a gateway alone needs that not');
};

/** Approvals on the journal of a home, as the gateway opens them. */
async function open(home: TemporaryHome) {
	await using stack = new AsyncDisposableStack();
	const clock = createFakeClock(startMs);
	const paths = homePaths({environment: {SVC_HOME: home.path}});
	ensureHome(paths);
	const broker = createBroker();
	const store = stack.use(await openSqliteStore({clock}, {file: paths.stateDb}));
	const log: string[] = [];
	const approvals = stack.use(
		await openApprovals(
			{
				clock,
				paths,
				environment: {HOME: home.path},
				store,
				taken: await store.takeOver(),
				live: {
					current: () => ({toolServers: new Map(), runs: {timeoutMs: 900_000}}),
				} as unknown as Rooms['live'],
				broker,
				cluster: openCluster(
					{clock, log: silentLogger, store, broker, live: {current: unused}, version: ''},
					{
						isShared: false,
						node: 'only',
						ending: new AbortController().signal,
						sealer: () => undefined,
						onWaiting: unused,
					},
				),
				emit(event) {
					broker.emit(event);
				},
				log: createLogger({
					clock,
					redact: text => text,
					write({message}) {
						log.push(message);
					},
				}),
				redact: text => text.replaceAll(secret, '***'),
			},
			{},
		),
	);
	const all = stack.move();
	return {
		clock,
		store,
		approvals,
		broker,
		log,
		commands: {
			...createReadCommands({
				clock,
				approvals,
				store,
				paths,
				live: {current: () => ({retention: undefined, platforms: {}})},
			}),
			...createWorkCommands({approvals, store} as unknown as Rooms),
		},
		/** Resolves with what waits once something does. */
		async waiting() {
			for (;;) {
				const [approval] = approvals.waiting();
				if (approval) {
					return approval;
				}

				// oxlint-disable-next-line no-await-in-loop -- until the journal has it
				await new Promise<void>(resolve => {
					setImmediate(resolve);
				});
			}
		},
		file: join(dirname(paths.gatewayLog), 'approvals.jsonl'),
		[Symbol.asyncDispose]: () => all.disposeAsync(),
	};
}

const linesOf = async (file: string) =>
	(await readFile(file, 'utf8'))
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line));

test('"Every decision is one JSONL line", in a file of 0600, with the hash of the arguments and not with them', async () => {
	await using home = await temporaryHome();
	const args = {title: 'private words', token: secret};
	let file = '';
	{
		await using gateway = await open(home);
		({file} = gateway);
		const runId = await acceptRun(gateway.store);
		const call = {tool, args, runId, endsAt: startMs + 900_000};
		const {signal} = new AbortController();
		const first = gateway.approvals.approve({...call, callId: 'a', said: '', signal});
		const {id} = await gateway.waiting();
		await gateway.commands.settleApproval(id, {
			answer: {choice: 'allow', scope: 'run', typedName: 'create_issue'},
			by: 'cli',
		});
		expect(await first).toMatchObject({allowed: true});
		await gateway.approvals.approve({...call, callId: 'b', said: '', signal});
		gateway.approvals.runEnded(runId);
		const third = gateway.approvals.approve({...call, callId: 'c', said: '', signal});
		await gateway.commands.settleApproval((await gateway.waiting()).id, {
			answer: {choice: 'deny', reason: `no ${secret}`},
			by: 'tui',
		});
		expect((await third).reason).toBe(`approval_denied: no ${secret}`);
	}

	const {username} = userInfo();
	const run = 1;
	const shared = {
		run,
		profile: 'default',
		kind: 'tool',
		server: 'github-tools',
		tool: 'create_issue',
		args_sha256: jsonHash(args),
		route: 'github',
	};
	expect(await linesOf(file)).toMatchObject([
		{...shared, id: 1, outcome: 'allowed', by: `cli (${username})`, scope: 'run', rule: 1},
		{...shared, id: 2, outcome: 'allowed', by: 'rule 1', rule: 1},
		{
			...shared,
			id: 3,
			outcome: 'denied',
			by: `tui (${username})`,
			reason: 'approval_denied: no ***',
		},
	]);
	expect(await readFile(file, 'utf8')).not.toMatch(/private words|sk-live/);
	expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('what a form was filled in with reaches the tool server, and neither the journal nor a log', async () => {
	await using home = await temporaryHome();
	const gateway = await open(home);
	const form = gateway.approvals.fillIn({
		server: 'github-tools',
		host: 'api.example.com',
		profile: 'default',
		message: 'Your PIN',
		fields: [makeField({key: 'pin', masked: true})],
		timeoutMs: 300_000,
		signal: new AbortController().signal,
	});
	const {id} = await gateway.waiting();
	const content = {pin: 'pin-4711-pin'};
	await gateway.commands.settleApproval(id, {answer: {choice: 'submit', content}, by: 'tui'});
	expect(await form).toEqual({action: 'accept', content});
	expect(JSON.stringify([gateway.log, gateway.broker.getState()])).not.toContain('4711');
	await gateway[Symbol.asyncDispose]();

	for (const name of ['state.db', 'logs/approvals.jsonl']) {
		// oxlint-disable-next-line no-await-in-loop -- two files
		expect((await readFile(join(home.path, name))).includes('4711')).toBe(false);
	}
});

test('"It is restored as denied (shutdown)": what waited when the process died is in the history, and a line says so', async () => {
	await using before = await temporaryHome();
	await using home = await temporaryHome();
	await using dying = await open(before);
	void dying.approvals.approve({
		tool,
		args: {},
		callId: 'a',
		said: '',
		runId: 1,
		endsAt: startMs + 900_000,
		signal: new AbortController().signal,
	});
	await dying.waiting();
	// What is on the disk now is all that a process leaves that is killed now.
	await cp(before.path, home.path, {recursive: true, filter: path => !path.endsWith('.lock')});
	await using again = await open(home);

	expect(again.approvals.waiting()).toEqual([]);
	expect(await again.commands.listApprovals({state: 'settled', limit: 9})).toMatchObject([
		{id: 1, decision: {outcome: 'shutdown', by: 'gateway'}},
	]);
	expect(again.log[0]).toMatch(/waited when the last process ended were denied/);
	await again[Symbol.asyncDispose]();
	expect(await linesOf(again.file)).toMatchObject([{id: 1, outcome: 'shutdown'}]);
});

test('one request is found while it waits, with its time and all of its arguments, and when it is settled', async () => {
	await using home = await temporaryHome();
	await using opened = await open(home);
	const args = {text: 'x'.repeat(70_000)};
	const verdict = opened.approvals.request({
		tool: tool.asked,
		args,
		callId: 'one',
		said: '',
		toolTimeoutMs: 300_000,
		signal: new AbortController().signal,
	});
	const {id} = await opened.waiting();
	const extended = await opened.commands.extendApproval(id);
	expect(extended?.deadline).toBeGreaterThan(startMs + 300_000);
	expect(await opened.commands.getApproval(id)).toEqual(extended);
	expect(await opened.commands.getApproval(id)).toMatchObject({args});

	await opened.commands.settleApproval(id, {answer: {choice: 'deny'}, by: 'cli'});
	expect(await verdict).toMatchObject({allowed: false});
	expect(await opened.commands.getApproval(id)).toMatchObject({
		args: null,
		decision: {outcome: 'denied'},
	});
	expect(await opened.commands.getApproval(id + 1)).toBeUndefined();
});

test('runs that a webhook started are offered their run at most, those of a job also the process and a rule for that job', async () => {
	await using home = await temporaryHome();
	await using gateway = await open(home);
	const {store, approvals} = gateway;
	const known = {outcome: 'allowed', at: startMs, by: 'x'} as const;
	await store.approvals.add({
		kind: 'tool',
		profile: 'default',
		requestedAt: startMs,
		deadline: startMs,
		latestDeadline: startMs,
		tool: shownTool(tool.asked),
		args: {},
		argsBytes: 2,
		scopes: ['once'],
		mustTypeName: false,
		decision: known,
	});
	const runs = [await acceptRun(store), await fireRun(store), 99];
	for (const [index, runId] of runs.entries()) {
		void approvals.approve({
			tool,
			args: {index},
			callId: 'a',
			said: '',
			runId,
			endsAt: startMs + 900_000,
			signal: new AbortController().signal,
		});
	}

	while (approvals.waiting().length < 3) {
		// oxlint-disable-next-line no-await-in-loop -- until the journal has them
		await new Promise<void>(resolve => {
			setImmediate(resolve);
		});
	}

	const offered = new Map(
		approvals.waiting().map(one => [one.run, one.kind === 'tool' ? one.scopes : []]),
	);
	expect(runs.map(run => offered.get(run))).toEqual([
		['once', 'run'],
		['once', 'run', 'process', 'always'],
		// A run that nobody knows could be anybody's.
		['once', 'run'],
	]);
});

/** A tool of the program itself, such as a terminal. */
const terminal = (definition = 'd1'): Tool => ({
	...tool,
	name: 'terminal',
	asked: {
		from: {kind: 'built-in'},
		profile: 'default',
		tool: 'terminal',
		name: 'terminal',
		claims: {destructive: true},
		description: 'Runs a command',
		inputSchema: {type: 'object', properties: {command: {type: 'string'}}},
		definition,
		changed: false,
	},
});

const sheetOf = (approval: ToolApproval): string =>
	[
		...callLines(approval, {
			state: {deliveries: [], approvalRules: [], servers: []},
			args: {rows: [], count: 1, isWhole: true, flags: 0},
			width: 100,
		}),
		...sideLines(approval.tool, [], 100),
	]
		.map(spans => spans.map(({text}) => text).join(''))
		.join('\n');

describe('a built-in tool', () => {
	async function openJob(home: TemporaryHome) {
		const gateway = await open(home);
		const runId = await fireRun(gateway.store);
		let calls = 0;
		return {
			...gateway,
			runId,
			/** Asks for a call of the run; with what is asked, unless a rule allows it. */
			async call(asked = terminal(), run = runId) {
				calls += 1;
				const verdict = gateway.approvals.approve({
					tool: asked,
					args: {command: 'npm test'},
					callId: `call-${calls}`,
					said: '',
					runId: run,
					endsAt: startMs + 900_000,
					signal: new AbortController().signal,
				});
				const waits = await Promise.race([gateway.waiting(), verdict.then(() => undefined)]);
				if (waits && waits.kind !== 'tool') {
					throw new Error('A form waits');
				}

				return {verdict, waits};
			},
			async allow(id: number, answer: Partial<Extract<ApprovalAnswer, {choice: 'allow'}>>) {
				await gateway.commands.settleApproval(id, {
					answer: {choice: 'allow', scope: 'once', typedName: 'terminal', ...answer},
					by: 'cli',
				});
			},
		};
	}

	test('asks, and is shown without a server: on the sheet, on the command line, as JSON, in the log', async () => {
		await using home = await temporaryHome();
		const gateway = await openJob(home);
		const {verdict, waits} = await gateway.call();
		expect(waits?.tool).toEqual({
			profile: 'default',
			tool: 'terminal',
			name: 'terminal',
			claims: {destructive: true},
			description: 'Runs a command',
			inputSchema: terminal().asked?.inputSchema,
			definition: 'd1',
			changed: false,
		});
		const approval = waits ?? makeToolApproval();
		const json = approvalJson(approval);
		expect(json).toMatchObject({tool: 'terminal', name: 'terminal'});
		for (const name of ['server', 'transport', 'host', 'trust']) {
			expect(json).not.toHaveProperty(name);
		}

		const lines = requestLines(approval, {now: startMs});
		expect(lines[0]).toBe(`${approval.id}  terminal  (built in)`);
		expect(lines).toContain('svc says     not read-only, destructive');
		expect(lines).toContain('description, by svc');
		expect(lines.join('\n')).not.toMatch(/server|unverified/);
		const {rows} = tableOf(
			{...approvalNoun, printed: printedApprovals.waiting},
			[{kind: 'waiting', approval}],
			{now: startMs},
		);
		expect(rows[0]?.slice(1, 3)).toEqual(['(built in)', 'terminal']);
		const sheet = sheetOf(approval);
		expect(sheet).toContain('terminal  (built in)');
		expect(sheet).toContain('text by svc');
		expect(sheet).not.toMatch(/server|unverified|undefined/);
		expect(pagedText(approval)).toMatch(/^terminal \(built in\)[^]*text by svc/);

		await gateway.allow(approval.id, {});
		expect(await verdict).toMatchObject({allowed: true, reason: expect.stringContaining('cli')});
		expect(digestOf(approval)).toBe(jsonHash({tool: 'terminal', arguments: {command: 'npm test'}}));

		await gateway[Symbol.asyncDispose]();
		const [written] = await linesOf(gateway.file);
		expect(written).toMatchObject({tool: 'terminal', outcome: 'allowed'});
		expect(written).not.toHaveProperty('server');
	});

	test('is allowed once, for the run, and by a rule for the runs of a job, which outlives the gateway; with another definition it asks again', async () => {
		await using home = await temporaryHome();
		{
			await using gateway = await openJob(home);
			const once = await gateway.call();
			await gateway.allow(once.waits?.id ?? 0, {scope: 'once'});
			expect(await once.verdict).toMatchObject({allowed: true});

			const forRun = await gateway.call();
			expect(forRun.waits).toMatchObject({lastArgs: {command: 'npm test'}});
			await gateway.allow(forRun.waits?.id ?? 0, {scope: 'run'});
			expect(await forRun.verdict).toMatchObject({allowed: true});
			const covered = await gateway.call();
			expect(covered.waits).toBeUndefined();
			expect((await covered.verdict).reason).toMatch(/^allowed by rule/);
			gateway.approvals.runEnded(gateway.runId);

			const always = await gateway.call();
			expect(always.waits?.scopes).toContain('always');
			await gateway.allow(always.waits?.id ?? 0, {scope: 'always', args: 'exact'});
			expect(await always.verdict).toMatchObject({allowed: true});
			const [rule] = gateway.approvals.rules();
			expect(rule).toMatchObject({tool: 'terminal', definition: 'd1', scope: 'always'});
			expect(rule).not.toHaveProperty('server');
			expect(rule).not.toHaveProperty('endpoint');
			const {rows} = tableOf(
				{...approvalNoun, ...printedRules},
				rule ? [{kind: 'rule', rule}] : [],
				{now: startMs},
			);
			expect(rows[0]?.slice(2, 4)).toEqual(['(built in)', 'terminal']);
			expect(rule && ruleText(rule)).toMatch(/^allow terminal {2}for job/);
		}

		await using gateway = await openJob(home);
		const ruled = await gateway.call();
		expect(ruled.waits).toBeUndefined();
		expect((await ruled.verdict).allowed).toBe(true);

		const ofServer = await gateway.call({...tool, asked: {...tool.asked, tool: 'terminal'}});
		expect(ofServer.waits?.tool.server).toBe('github-tools');
		await gateway.allow(ofServer.waits?.id ?? 0, {});

		const changed = await gateway.call(terminal('d2'));
		expect(changed.waits).toMatchObject({mustTypeName: true, tool: {changed: true}});
		expect(requestLines(changed.waits ?? makeToolApproval(), {now: startMs})).toContain(
			'what changed in it cannot be shown: it was not kept, or is above 16 KiB',
		);
		expect(whyNotCovered(changed.waits ?? makeToolApproval(), gateway.approvals.rules())).toEqual([
			expect.stringContaining('the tool is not defined as it was'),
		]);
		gateway.approvals.toolsChanged({
			profile: 'default',
			definitions: new Map([['terminal', 'd3']]),
		});
		expect((await changed.verdict).reason).toMatch(/^approval_void/);
		expect(gateway.approvals.rules()).toEqual([]);
	});
});

test.for([
	{face: 'cli', name: 'cli (USER)'},
	{face: 'tui', name: 'tui (USER)'},
	{face: 'tui (mallory, pts/3)', name: 'tui (USER, pts/3)'},
	{face: 'rule 4', name: 'api (USER)'},
	{face: '\u001b[2Jcli', name: 'api (USER)'},
	{face: '', name: 'api (USER)'},
])('whoever says to be $face is written down as $name', ({face, name}) => {
	expect(faceName(face)).toBe(name.replace('USER', userInfo().username));
});
