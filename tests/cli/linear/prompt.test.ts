import {getEventListeners} from 'node:events';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import type {Context} from '../../../source/cli/console/context.ts';
import {createPipedLines} from '../../../source/cli/linear/lines.ts';
import {logLine} from '../../../source/core/log.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {interrupt} from '../../helpers/interrupt.ts';
import {makeFormApproval, makeToolApproval} from '../../helpers/make-approval.ts';
import {makeServer} from '../../helpers/make-server.ts';
import {makeRun} from '../../helpers/make.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {serveControl} from '../command.ts';
import {command} from '../command.ts';
import {openTerminal} from '../terminal.ts';
import {turns} from '../terminal.ts';
import {noon, openPrompt} from './open-prompt.ts';

test('each line is a command of the command line, split as a shell does; "svc" may stand before it', async () => {
	await using open = await openPrompt();
	await open.say(
		'runs list',
		'svc runs list',
		"runs list --route 'a b'",
		'runs lst',
		"say 'it",
		'',
	);
	const written = open.transcript();

	expect(written.match(/No runs/g)?.length).toBeGreaterThanOrEqual(2);
	expect(written).toContain('unknown command');
	expect(written).toContain('a quotation mark, or a backslash, waits for more');
});

test('"help" tells the commands and what the prompt takes besides; what would open an interface is refused', async () => {
	await using open = await openPrompt();
	await open.say('help', '--linear', 'runs --help');
	const written = open.transcript();

	for (const text of [
		'approvals',
		'webhook',
		'At this prompt also:',
		'/reload-mcp',
		'svc is open here',
	]) {
		expect(written).toContain(text);
	}
});

test('Tab completes what "svc completion" offers, and the words of the prompt', async () => {
	await using open = await openPrompt();
	open.terminal.send('approvals al\t');
	await open.terminal.waitFor('approvals allow');
	open.terminal.send('\u0015/rel\t');
	await open.terminal.waitFor('/reload-mcp');
	open.terminal.send('\u0015');
	await turns();
	expect(open.port.calls).toEqual([]);
});

test('the arrow up brings the line before; Ctrl-C drops a line, and twice on an empty one leaves', async () => {
	await using open = await openPrompt();
	await open.say('runs list');
	open.terminal.send('\u001b[A');
	await open.terminal.waitFor('runs list');
	open.terminal.send('\u0003');
	await open.terminal.waitFor('svc> ');
	open.terminal.send('\u0003');
	await open.terminal.waitFor('Ctrl-C once more leaves');
	await open.terminal.waitFor('svc> ');
	open.terminal.send('\u0003');
	expect(await open.terminal.exited).toBe(0);
	expect(open.transcript()).toContain('The gateway goes on');
});

test.for(['quit', 'exit'])('"%s" leaves', async word => {
	await using open = await openPrompt();
	await open.terminal.type(word);
	expect(await open.terminal.exited).toBe(0);
});

test('Ctrl-D leaves', async () => {
	await using open = await openPrompt();
	open.terminal.send('\u0004');
	expect(await open.terminal.exited).toBe(0);
});

test('Ctrl-C gives up a command that waits; what it says later is not heard, and what it would ask is not asked', async () => {
	await using open = await openPrompt(
		createFakePort({approvals: [makeToolApproval({id: 7, requestedAt: noon})]}),
	);
	const later = Promise.withResolvers<void>();
	const asked = Promise.withResolvers<void>();
	open.port.getApproval = async () => {
		asked.resolve();
		await later.promise;
		return open.port.getState().approvals[0];
	};
	await open.terminal.type('approvals allow 7');
	await asked.promise;
	interrupt();
	await open.terminal.waitFor('Given up');
	await open.terminal.waitFor('svc> ');
	later.resolve();
	await turns(20);
	await open.say('y');

	expect(open.transcript()).not.toContain('Allow "create_issue"');
	expect(open.port.calls).toEqual([]);
});

test('Ctrl-C is told to a command that wants to hear of it', async () => {
	await using open = await openPrompt();
	const record = {
		at: noon,
		level: 'info',
		source: 'webhook',
		message: 'Listening',
		fields: {},
	} as const;
	await mkdir(join(open.home, 'logs'), {recursive: true});
	await writeFile(join(open.home, 'logs', 'gateway.log'), `${logLine(record)}\n`);
	await open.terminal.type('logs --follow');
	await open.terminal.waitFor('Listening');
	await turns();
	interrupt();
	await open.terminal.waitFor('svc> ');

	expect(open.transcript()).not.toContain('Given up');
});

test('what begins to need a person is said above the prompt, with what to type; at most five lines in three seconds', async () => {
	await using open = await openPrompt();
	open.port.emit({
		type: 'approval-requested',
		at: noon,
		approval: makeToolApproval({id: 7, requestedAt: noon}),
	});
	await open.terminal.waitFor(
		'Approval 7 waits: create_issue on github-tools, for run #184 of gh-review: approvals allow 7, approvals deny 7',
	);
	await open.terminal.waitFor('svc> ');
	open.port.emit(
		{type: 'approval-requested', at: noon, approval: makeFormApproval({id: 8})},
		{
			type: 'server-changed',
			at: noon,
			server: makeServer({name: 'tracker', status: 'needs login'}),
		},
		...Array.from({length: 9}, (_, index) => ({
			type: 'run-changed' as const,
			at: noon,
			run: makeRun({
				id: 200 + index,
				state: index === 0 ? ('interrupted' as const) : ('failed' as const),
				error: 'gone\u001b[2J',
			}),
		})),
		{
			type: 'config-rejected',
			at: noon,
			problems: [
				{severity: 'error', file: '/c.yaml', line: 2, column: 3, key: 'a', message: 'bad'},
			],
		},
	);
	await turns(20);
	expect(open.transcript()).not.toContain('approvals fill 8');
	open.clock.advance(3000);
	for (const text of [
		'approvals fill 8',
		'Tool server tracker needs a login: mcp login tracker',
		'Run #200 of gh-review is interrupted, a person decides: runs show 200, runs retry 200',
		'Run #201 of gh-review failed, gone␛[2J: runs show 201',
		'And 7 more: approvals list',
		'svc> ',
	]) {
		// oxlint-disable-next-line no-await-in-loop -- in this order
		await open.terminal.waitFor(text);
	}

	expect(open.terminal.written()).not.toContain('\u001b[2J');
});

test('what does not work is announced with its command, and a refused part once, as the problem of its file', async () => {
	await using open = await openPrompt();
	const refused = 'config.yaml:2:3 mcp_servers.crm.url: must be text';
	open.port.emit(
		{
			type: 'config-rejected',
			at: noon,
			problems: [
				{
					severity: 'error',
					file: '/home/config.yaml',
					line: 2,
					column: 3,
					key: 'mcp_servers.crm.url',
					message: 'must be text',
				},
			],
		},
		{
			type: 'server-changed',
			at: noon,
			server: makeServer({name: 'crm', status: 'failed', reason: refused}),
		},
		{
			type: 'server-changed',
			at: noon,
			server: makeServer({name: 'files', profile: 'work', status: 'parked', reason: 'it ended'}),
		},
		{type: 'platform-changed', at: noon, platform: {name: 'slack', state: 'failed'}},
	);
	for (const text of [
		`The configuration is refused: ${refused}: config check`,
		'Tool server files is parked: it ended: -p work mcp test files',
		'Platform slack has failed: platforms show slack',
	]) {
		// oxlint-disable-next-line no-await-in-loop -- in this order
		await open.terminal.waitFor(text);
	}

	expect(open.transcript()).not.toContain('Tool server crm');
});

test('a request that nobody answered in time is said to be denied', async () => {
	const approval = makeToolApproval({id: 7, run: 4, requestedAt: noon});
	await using open = await openPrompt(createFakePort({approvals: [approval]}));
	for (const [id, outcome] of [
		[7, 'timeout'],
		[8, 'denied'],
	] as const) {
		const decision = {outcome, at: noon, by: 'cli'} as const;
		open.port.emit({type: 'approval-settled', at: noon, approval: {...approval, id, decision}});
	}

	await open.terminal.waitFor('Approval 7 was denied, because no answer came in time: runs show 4');
	expect(open.transcript()).not.toContain('Approval 8 was');
});

test('who types is waited for, ten seconds at most, and the line stays', async () => {
	await using open = await openPrompt();
	open.terminal.send('runs li');
	await turns();
	open.port.emit({type: 'run-changed', at: noon, run: makeRun({id: 9, state: 'failed'})});
	await turns(20);
	open.clock.advance(4000);
	await turns();
	expect(open.transcript()).not.toContain('Run #9');
	for (let passed = 0; passed < 14; passed += 1) {
		open.clock.advance(500);
	}

	await open.terminal.waitFor('Run #9 of gh-review failed');
	await open.terminal.waitFor('svc> runs li');
	await open.say('st');
	expect(open.transcript()).toContain('No runs');
});

test('what is there already is said at the beginning, and a gateway that goes and comes back', async () => {
	await using open = await openPrompt(
		createFakePort({
			webhook: {state: 'refused', code: 'x', reason: 'no secret', since: noon},
			api: {state: 'refused', code: 'y', reason: 'no key', since: noon},
		}),
	);
	expect(open.transcript()).toContain('Webhooks are not received: no secret: gateway status');
	expect(open.transcript()).toContain('The chat API is not served: no key: gateway status');
});

test('/reload-mcp reads the tool servers again', async () => {
	await using open = await openPrompt();
	open.port.answers.serverPlan = {changes: ['+ crm2'], closes: []};
	await open.say('/reload-mcp');
	expect(open.transcript()).toContain('The tool servers are read again\n+ crm2');
	expect(open.port.calls).toEqual([{name: 'reload', args: []}]);
});

test('through a pipe every line is a command, nothing is asked, no prompt and no escape sequence is written, and the last one says the exit code', async () => {
	await using open = await openPrompt(
		createFakePort({approvals: [makeToolApproval({id: 7, requestedAt: noon})]}),
	);
	const approval = open.port.getState().approvals[0] ?? makeToolApproval();
	const decision = {outcome: 'allowed', at: noon, by: 'cli', scope: 'once'} as const;
	open.port.answers.settled = {settled: true, approval: {...approval, decision}};
	const {code, stdout, stderr} = await command(['--linear'], {
		home: open.home,
		stdin: 'approvals list\napprovals allow 7\ndeliveries import -\n',
	});

	expect(code).toBe(1);
	expect(stdout).toContain('create_issue');
	expect(stdout).toContain('Allowed "create_issue" on github-tools for this one call');
	expect(stderr).toContain('Cannot read "-" at the prompt');
	expect(stdout + stderr).not.toContain('\u001b');
	expect(stdout + stderr).not.toContain('svc> ');
});

test('/install asks for the name of a program, passes words on, and drops the link once it is installed or the person says so', async () => {
	await using open = await openPrompt(createFakePort(), {rows: 60});
	const config = Buffer.from(JSON.stringify({command: 'npx'})).toString('base64url');
	const link = `svc://mcp/install?name=crm&config=${config}`;
	open.port.answers.offered = [
		{id: 4, name: 'crm', askedAt: noon, expiresAt: noon + 600_000, link},
	];
	await open.say('/install 4', 'y', '', '/install 4 --dry-run');
	expect(open.transcript()).toContain('Not installed: its name is crm');
	expect(open.port.calls).toEqual([]);
	await open.say('/install 4', '', 'y');
	expect(open.port.calls).toEqual([{name: 'dismissInstall', args: [4]}]);
	await open.say('/install 4 --name mine', 'mine');
	expect(open.transcript()).toContain('Installed mine');
	expect(open.port.calls).toHaveLength(2);
});

test('a line that is waited for listens for the end of the gateway, and not after that', async () => {
	const stdin = new PassThrough();
	const {signal} = new AbortController();
	const listeners = () => getEventListeners(signal, 'abort').length;
	using lines = createPipedLines({stdin} as unknown as Context, signal);
	for (const line of ['one', 'two']) {
		const next = lines.next();
		expect(listeners()).toBe(1);
		stdin.write(`${line}\n`);
		// oxlint-disable-next-line no-await-in-loop -- one line after the other
		expect(await next).toBe(line);
		expect(listeners()).toBe(0);
	}
});

test('a command sees the size of the terminal as it is', async () => {
	await using open = await openPrompt(
		createFakePort({approvals: [makeToolApproval({id: 7, requestedAt: noon})]}),
		{rows: 60},
	);
	const later = Promise.withResolvers<void>();
	const asked = Promise.withResolvers<void>();
	open.port.getApproval = async () => {
		asked.resolve();
		await later.promise;
		return open.port.getState().approvals[0];
	};
	await open.terminal.type('approvals allow 7');
	await asked.promise;
	open.terminal.resize({columns: 40, rows: 10});
	later.resolve();
	await open.terminal.waitFor('reads on, q leaves ');
	await open.say('q');
	expect(open.transcript()).toContain('Not allowed; approval 7 waits on');
});

test.for([
	['is a terminal', true],
	['is none, either', false],
])(
	'who types while standard output goes elsewhere, and standard error %s, allows nothing: an answer would be a command, too',
	async ([, stderrIsTerminal]) => {
		const port = createFakePort({approvals: [makeToolApproval({id: 7, requestedAt: noon})]});
		await using home = await temporaryHome();
		await using _ = await serveControl(home.path, port);
		const terminal = openTerminal(['--linear'], {
			home: home.path,
			clock: createFakeClock(noon),
			stdoutIsTerminal: false,
			stderrIsTerminal: stderrIsTerminal === true,
		});
		terminal.send('approvals allow 7\ny\n');
		terminal.end();
		await terminal.exited;
		expect(port.calls.filter(({name}) => name === 'settleApproval')).toEqual([]);
		expect(terminal.transcript()).toMatch(/confirmation_needed|Not allowed/);
	},
);

test('each line of a paste is a command of its own, and its unfinished end waits at the prompt', async () => {
	await using open = await openPrompt();
	open.terminal.send('groups list\rapprovals list\rsessions list\rruns li');
	for (const text of ['No groups', 'svc> approvals list', 'Nothing waits', 'svc> runs li']) {
		// oxlint-disable-next-line no-await-in-loop -- in this order
		await open.terminal.waitFor(text);
	}

	await open.say('st');
	expect(open.transcript()).toContain('No runs');
});

test('a page of the manual comes as lines, as many as the terminal has, and doctor can look at the terminal', async () => {
	await using open = await openPrompt(createFakePort(), {
		rows: 12,
		environment: {PAGER: 'false', EDITOR: 'false'},
	});
	await open.say('help groups', 'help approvals', '', 'q');
	expect(open.transcript()).toMatch(/\d+ more lines: Enter reads on, q leaves\s+\S/);
	expect(open.terminal.written()).not.toContain('\u001b[?1049h');
	await open.say('doctor');
	expect(open.transcript()).not.toContain('could not be looked at');
});

test('a question that is open is asked again below what is said meanwhile', async () => {
	await using open = await openPrompt();
	await open.terminal.type('talk');
	await open.terminal.waitFor('you> ');
	open.terminal.send('And n');
	await turns();
	open.port.emit({type: 'run-changed', at: noon, run: makeRun({id: 9, state: 'failed'})});
	for (let passed = 0; passed < 24; passed += 1) {
		open.clock.advance(500);
		// oxlint-disable-next-line no-await-in-loop -- one look after the other
		await turns(1);
	}

	await open.terminal.waitFor('Run #9 of gh-review failed');
	await open.terminal.waitFor('you> And n');
	expect(open.transcript().match(/you> And n/g)).toHaveLength(2);
});

test('a request can be given more time, and one that is settled while it is read is said to be', async () => {
	const approval = makeToolApproval({id: 7, requestedAt: noon});
	await using open = await openPrompt(createFakePort({approvals: [approval]}));
	await open.say('approvals wait 7', 'approvals allow 7');
	expect(open.transcript()).toContain('It waits');
	expect(open.port.calls.map(({name}) => name)).toContain('extendApproval');
	const decision = {outcome: 'timeout', at: noon, by: 'deadline'} as const;
	open.port.getApproval = async () => ({...approval, decision});
	await open.terminal.type('no');
	await open.terminal.waitFor('it is settled already, timeout by deadline');
	expect(open.transcript()).not.toContain('waits on');
});
