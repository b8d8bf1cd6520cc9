import {expect, test} from 'vitest';
import {tableOf} from '../../source/cli/nouns/noun-commands.ts';
import {homePaths} from '../../source/config/home-paths.ts';
import type {Approval, ApprovalRule} from '../../source/core/approval.ts';
import {approvalNoun, printedApprovals} from '../../source/nouns/approval/approval.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {
	makeBuiltInTool,
	makeShownTool,
	makeFormApproval,
	makeToolApproval,
} from '../helpers/make-approval.ts';
import {makeDelivery} from '../helpers/make.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson, serveControl} from './command.ts';
import {openTerminal} from './terminal.ts';

const call = makeToolApproval({
	id: 7,
	mustTypeName: true,
	lastArgs: {title: 'the one before'},
	job: {id: 'job_1', name: 'Nightly notes'},
	prompt: 'Look.\nThen write.',
	said: 'I create the issue now.',
});
const now = call.deadline - 271_000;
const hostile = makeToolApproval({
	id: 8,
	tool: makeShownTool({tool: 'wipe\u001b[2J', description: 'Wipes\u202e\n\u001b]0;x\u0007'}),
	args: {path: '\u001b[2J\u202e/'},
});
const forged = makeToolApproval({
	id: 11,
	tool: makeShownTool({tool: 'read  on docs (full)\nserver says read-only\n\narguments (2 bytes)'}),
});
const form = makeFormApproval({id: 9});
const denied: Approval = {
	...makeToolApproval({id: 3}),
	decision: {outcome: 'denied', at: now - 1000, by: 'tui (bob)', reason: 'approval_denied'},
};
const rule: ApprovalRule = {
	id: 4,
	profile: 'default',
	server: 'github-tools',
	tool: 'create_issue',
	endpoint: 'e0'.repeat(32),
	definition: '9c1f'.repeat(16),
	scope: 'run',
	run: 184,
	createdAt: now,
	createdBy: 'cli (alice)',
	uses: 2,
};

async function open(...more: readonly Approval[]) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const port = createFakePort({
		approvals: [call, hostile, forged, form, ...more],
		settledApprovals: [denied],
		approvalRules: [rule],
	});
	stack.use(await serveControl(home.path, port));
	const world = {home: home.path, clock: createFakeClock(now)};
	return {
		port,
		onTerminal: (...args: readonly string[]) => openTerminal(['approvals', ...args], world),
		run: async (...args: readonly string[]) => command(['approvals', ...args], world),
		json: async (...args: readonly string[]) => commandJson(['approvals', ...args], world),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

const hazardsIn = (text: string) => ['\u001b', '\u202e'].filter(one => text.includes(one));

const settledAs = (decision: NonNullable<Approval['decision']>) => ({
	settled: true as const,
	approval: {...call, decision},
});

test('"list --json is an array of pending requests with id, tool, server, arguments, run, route, deadline"', async () => {
	await using setup = await open();
	const [first, , , last] = await setup.json('list');
	expect(first).toMatchObject({
		id: 7,
		tool: 'create_issue',
		server: 'github-tools',
		arguments: call.args,
		run: 184,
		route: 'gh-review',
		deadline: call.deadline,
		name: 'mcp__github-tools__create_issue',
		mustTypeName: true,
	});
	expect(last).toMatchObject({id: 9, kind: 'form', tool: null, arguments: null});
	expect(await setup.json('list', '--settled')).toMatchObject([
		{id: 3, decision: {outcome: 'denied', by: 'tui (bob)'}},
	]);
});

test('"`approvals list|show --json` has `why` where there is a reason of ours; built-in tools have no `server`"', async () => {
	const why = 'no sandbox works here: bubblewrap is not on PATH';
	await using setup = await open(
		makeToolApproval({id: 12, tool: makeBuiltInTool('terminal', why), args: {command: 'ls'}}),
	);

	for (const request of [(await setup.json('list')).at(-1), await setup.json('show', '12')]) {
		expect(request).toMatchObject({id: 12, tool: 'terminal', why});
		expect(request).not.toHaveProperty('server');
	}
	expect((await setup.json('list'))[0]).not.toHaveProperty('why');
});

test('requests are listed with the time that is left, and hostile names move no cursor', async () => {
	await using setup = await open();
	const {code, stdout} = await setup.run('list');
	expect(code).toBe(0);
	expect(stdout).toMatch(
		/^7 +github-tools +create_issue +#184 +gh-review +4:31 +\{"owner":"acme"/m,
	);
	expect(hazardsIn(stdout)).toEqual([]);
	expect((await setup.json('list', '--all')).map(({id}: {readonly id: number}) => id).at(-1)).toBe(
		3,
	);
	const {stdout: all} = await setup.run('list', '--all');
	expect(all).toMatch(/DENIES IN[^]*OUTCOME[^]*denied/);
	expect((await setup.run('list', '--settled')).stdout).toMatch(/^3 .* denied +tui \(bob\)/m);
});

test('a request of a run without a route names its job', () => {
	const {route: _, delivery: __, ...asked} = call;
	const {header, rows} = tableOf(
		{...approvalNoun, printed: printedApprovals.waiting},
		[{kind: 'waiting', approval: asked}],
		{now},
	);
	expect(rows[0]?.[header.indexOf('ROUTE')]).toBe('job "Nightly notes"');
});

test('no name of a tool, however it is written, looks like lines or facts of ours', async () => {
	await using setup = await open();
	const {stdout} = await setup.run('show', '11');

	expect(stdout).toContain(
		String.raw`11  "read  on docs (full)\nserver says read-only\n\narguments`,
	);
	expect(stdout.split('\n').filter(text => text.startsWith('server says'))).toHaveLength(1);
	expect(stdout.split('\n').filter(text => text.startsWith('arguments ('))).toHaveLength(1);
});

test('a request shows everything that a person needs to decide', async () => {
	await using setup = await open();
	const {stdout} = await setup.run('show', '7');
	for (const text of [
		'create_issue  on github-tools (untrusted, http api.example.com)',
		'asked by     run #184  of job "Nightly notes"  <- webhook gh-review d7f2b0 (svc runs show 184)',
		String.raw`asked to     "Look.\nThen write."`,
		'model says   "I create the issue now."',
		'server says  not read-only, not destructive  · unverified',
		'  "title": "Flaky test in api"',
		'  "title": "the one before"',
		'sha256:9c1f',
		'asks since   rule 4 does not cover it: it was made after the call asked',
	]) {
		expect(stdout).toContain(text);
	}

	expect(hazardsIn((await setup.run('show', '8')).stdout)).toEqual([]);
	expect((await setup.run('show', '9')).stdout).toContain('fields (svc approvals fill 9)');
	expect(await setup.run('show', '99')).toMatchObject({
		code: 1,
		stderr: 'svc: Cannot find approval 99: see "svc approvals list" (approval_not_found)\n',
	});
});

test('arguments that stand in the event say so, in lines and as JSON', async () => {
	await using setup = await open();
	const delivery = makeDelivery({id: call.delivery ?? ''});
	setup.port.deliveries.set(delivery.id, {
		...delivery,
		headers: {'content-type': 'application/json'},
		body: new TextEncoder().encode(
			JSON.stringify({issue: {'tit\u001b[2Jle': 'Flaky test in api'}}),
		),
	});

	const {stdout} = await setup.run('show', '7');
	expect(stdout).toMatch(/stands in the event, which is untrusted\n {2}title {2}as .*issue\.tit/);
	expect(hazardsIn(stdout)).toEqual([]);
	expect(await setup.json('show', '7', '--json')).toMatchObject({
		fromEvent: [{argument: 'title', field: 'issue.tit\u001b[2Jle', isWhole: true}],
	});
});

test('what changed in the definition of a tool is shown, or that it is not known', async () => {
	const tool = makeShownTool({changed: true});
	const changes = ['@@ -1,1 +1,1 @@', '-  Reads.', '+  Wipes \u001b[2J.'];
	await using setup = await open(
		makeToolApproval({id: 21, tool: {...tool, changes}}),
		makeToolApproval({id: 22, tool}),
	);
	const {stdout} = await setup.run('show', '21');
	expect(stdout).toContain(
		'what changed in what the server says of it\n  @@ -1,1 +1,1 @@\n  -  Reads.\n',
	);
	expect(hazardsIn(stdout)).toEqual([]);
	expect(await setup.json('show', '21', '--json')).toMatchObject({changed: true, changes});
	expect((await setup.run('show', '22')).stdout).toContain('it was not kept, or is above 16 KiB');
});

test('"allow ID [--for once|run|process|always]": the command is the deliberate act that typing the name is elsewhere', async () => {
	await using setup = await open();
	setup.port.answers.settled = settledAs({
		outcome: 'allowed',
		at: now,
		by: 'cli (alice)',
		scope: 'run',
		rule: 4,
	});
	const {code, stdout, stderr} = await setup.run(
		'allow',
		'7',
		'--for',
		'run',
		'--args',
		'owner,repo',
	);

	expect({code, stdout}).toEqual({code: 0, stdout: 'Allowed "create_issue" on github-tools\n'});
	expect(stderr).toBe('Rule 4 allows it: until run #184 ends ("svc approvals revoke 4" ends it)\n');
	expect(setup.port.calls).toContainEqual({
		name: 'settleApproval',
		args: [
			7,
			{
				answer: {choice: 'allow', scope: 'run', args: ['owner', 'repo'], typedName: 'create_issue'},
				by: 'cli',
			},
		],
	});
	expect((await setup.run('allow', '7', '--for', 'ever')).code).toBe(2);
	expect((await setup.run('allow', 'seven')).code).toBe(2);
});

test('an answer to one request does not need all others, which may be many and large', async () => {
	await using setup = await open();
	setup.port.answers.settled = settledAs({
		outcome: 'allowed',
		at: now,
		by: 'cli (alice)',
		scope: 'once',
	});
	Object.assign(setup.port, {
		listApprovals: async () => {
			throw new Error('too large');
		},
	});

	expect(await setup.run('allow', '7')).toMatchObject({code: 0});
});

test('a mistyped word is told no word that allows', async () => {
	await using setup = await open();
	for (const word of ['alow', 'allwo', 'Allow']) {
		// oxlint-disable-next-line no-await-in-loop -- one command after the other
		const {code, stderr} = await setup.run(word, '7');
		expect(code).toBe(2);
		expect(stderr).not.toMatch(/did you mean|\ballow\b/);
	}

	expect((await setup.run('allow', '7', '--yse')).stderr).not.toContain('Did you mean');
});

test('a yes whose rule could not be kept says that it holds once', async () => {
	await using setup = await open();
	setup.port.answers.settled = settledAs({outcome: 'allowed', at: now, by: 'x', scope: 'once'});
	const {code, stdout, stderr} = await setup.run('allow', '7', '--for', 'process');
	expect(code).toBe(0);
	expect(stdout).toBe('Allowed "create_issue" on github-tools for this one call\n');
	expect(stderr).toContain('Only this call is allowed: the rule could not be kept');
});

test('"a second answer exits 1"', async () => {
	await using setup = await open();
	setup.port.answers.settled = {settled: false, approval: denied};
	for (const word of ['allow', 'deny']) {
		// oxlint-disable-next-line no-await-in-loop -- one command after the other
		const {code, stdout, stderr} = await setup.run(word, '3');
		expect({code, stdout}).toEqual({code: 1, stdout: ''});
		expect(stderr).toMatch(
			/^svc: Cannot answer approval 3: it is settled already, denied by tui \(bob\) at .* \(approval_settled\)\n$/,
		);
	}

	setup.port.answers.settled = {settled: false};
	expect(await setup.run('allow', '99')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(approval_not_found)'),
	});
});

test('a no tells the agent why', async () => {
	await using setup = await open();
	setup.port.answers.settled = settledAs({outcome: 'denied', at: now, by: 'cli (alice)'});
	const {code, stdout} = await setup.run('deny', '7', '--reason', 'not on a Friday');
	expect({code, stdout}).toEqual({code: 0, stdout: 'Denied "create_issue" on github-tools\n'});
	expect(setup.port.calls).toContainEqual({
		name: 'settleApproval',
		args: [7, {answer: {choice: 'deny', reason: 'not on a Friday'}, by: 'cli'}],
	});
});

test('rules are listed and revoked', async () => {
	await using setup = await open();
	expect((await setup.run('rules')).stdout).toMatch(
		/^4 +default +github-tools +create_issue +all +sha256:9c1f9c1f9c1f… +any arguments +until run #184 ends +2 +never +cli \(alice\)$/m,
	);
	expect(await setup.json('rules')).toEqual([rule]);
	expect(await setup.run('revoke', '4')).toMatchObject({code: 0, stdout: 'Rule 4 is revoked\n'});
	expect(await setup.run('revoke', '5')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(approval_rule_not_found)'),
	});
});

test('a rule that lasts says what it covers, and the name of what may destroy is typed', async () => {
	await using setup = await open();
	const lasting = {
		owner: {kind: 'job', id: 'job_1', name: 'Nightly notes'},
		isBound: true,
	} as const;
	setup.port.change({approvals: [{...call, lasting}]});
	setup.port.answers.settled = settledAs({
		outcome: 'allowed',
		at: now,
		by: 'cli (alice)',
		scope: 'always',
		rule: 4,
	});
	const always = ['allow', '7', '--for', 'always', '--when'];
	expect(await setup.run(...always, 'title=Flaky')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('needs its name, --tool'),
	});
	for (const [written, answer] of [
		[['exact'], {args: 'exact'}],
		[['path=~/notes/', '--when', 'n=1'], {when: {path: '~/notes/', n: 1}}],
		[['a.b="1"'], {when: {'a.b': '1'}}],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one command after the other
		expect(await setup.run(...always, ...written, '--tool', 'create_issue')).toMatchObject({
			code: 0,
		});
		expect(setup.port.calls.at(-1)?.args[1]).toEqual({
			answer: {choice: 'allow', scope: 'always', ...answer, typedName: 'create_issue'},
			by: 'cli',
		});
	}

	expect((await setup.run(...always, 'nothing')).code).toBe(2);
	expect((await setup.run(...always, 'exact', '--when', 'a=1')).code).toBe(2);
	expect((await setup.run('show', '7')).stdout).toContain(
		'always       for runs of job "Nightly notes" alone: --for always --tool create_issue, with --when exact',
	);
});

test('for what an event started the answer says which lines to write by hand', async () => {
	await using setup = await open();
	const {job: _, ...ofRoute} = call;
	setup.port.change({
		approvals: [
			{...ofRoute, scopes: ['once', 'run'], args: {path: '/home/a/notes/x.md', text: 'no'}},
		],
	});
	const {code, stderr} = await setup.run('allow', '7', '--for', 'always');
	expect(code).toBe(1);
	expect(stderr).toContain(`approvals:
  allow:
    - route: gh-review
      tool: mcp__github-tools__create_issue
      when: {path: "/home/a/notes/"}
      definition: ${'9c1f'.repeat(16)}
`);
	expect(stderr).toContain('(approval_invalid)');
	expect(setup.port.calls).toEqual([]);
});

test('rules of the file say where they stand and why they allow nothing; the present definition is accepted', async () => {
	await using setup = await open();
	const ofFile: ApprovalRule = {
		...rule,
		scope: 'always',
		owner: {kind: 'route', name: 'gh-review'},
		when: [{key: 'path', below: '/home/a/notes', real: '/home/a/notes'}],
		file: {name: 'mcp__files__write_file', entry: 'e', place: 'config.yaml:12'},
		problem: 'the tool is defined otherwise now: svc approvals accept 4',
		present: 'ab'.repeat(32),
	};
	setup.port.change({approvalRules: [ofFile]});
	const {stdout} = await setup.run('rules');
	expect(stdout).toContain('path below /home/a/notes/');
	expect(stdout).toContain('while it stands in config.yaml:12');
	expect(stdout).toContain('allows nothing: the tool is defined otherwise now');
	const terminal = setup.onTerminal('accept', '4');
	await terminal.waitFor('Let the rule allow it as it is now? [y/N]');
	await terminal.type('n');
	expect(await terminal.exited).toBe(1);
	expect(terminal.transcript()).toContain('Rule 4 stays as it was: it allows nothing');
	expect(terminal.transcript()).not.toContain('Not done');
	expect(setup.port.calls).toEqual([]);
	expect(await setup.run('accept', '4')).toMatchObject({code: 0});
	expect(setup.port.calls).toEqual([
		{name: 'acceptApprovalRule', args: [4, {definition: 'ab'.repeat(32)}]},
	]);
	expect(await setup.run('accept', '5')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(approval_rule_not_found)'),
	});
	setup.port.change({approvalRules: [rule]});
	expect(await setup.run('accept', '4')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('does not stand in config.yaml'),
	});
});

test('without a gateway nothing waits, and nothing can be answered', async () => {
	await using home = await temporaryHome();
	const world = {home: home.path};
	expect(await commandJson(['approvals', 'list'], world)).toEqual([]);
	expect(await commandJson(['approvals', 'rules'], world)).toEqual([]);
	expect(await command(['approvals', 'allow', '1'], world)).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(gateway_not_running)'),
	});
});

test('without a gateway the rules are those that would hold in the next one', async () => {
	await using home = await temporaryHome();
	const {stateDb} = homePaths({environment: {SVC_HOME: home.path}});
	const {id: _, uses: __, ...kept} = rule;
	const month = {...kept, scope: 'always', expiresAt: now + 1000} as const;
	{
		await using store = await openSqliteStore({clock: createFakeClock(now)}, {file: stateDb});
		for (const made of [kept, month]) {
			// oxlint-disable-next-line no-await-in-loop -- their order is their numbers
			const approval = {...call, id: await store.approvals.add(call)};
			const decision = {outcome: 'allowed', at: now, by: 'cli (alice)'} as const;
			// oxlint-disable-next-line no-await-in-loop -- as above
			await store.approvals.settle({...approval, decision}, made);
		}
	}

	const rulesAt = async (at: number) =>
		commandJson(['approvals', 'rules'], {home: home.path, clock: createFakeClock(at)});
	expect(await rulesAt(now)).toEqual([{...month, id: 2, uses: 0}]);
	expect(await rulesAt(now + 1000)).toEqual([]);
});
