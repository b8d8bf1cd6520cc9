import {expect, test} from 'vitest';
import type {Approval} from '../../source/core/approval.ts';
import type {StoredRun} from '../../source/core/run.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {makeRun} from '../helpers/make.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, serveControl} from './command.ts';

const clock = createFakeClock(new Date(2026, 10, 20, 12).getTime());

const waiting = (overrides: Partial<StoredRun> = {}): StoredRun => ({
	...makeRun({
		state: 'queued',
		attempt: 0,
		deliveryAttempt: 0,
		nextAttemptAt: new Date(2026, 10, 20, 23, 25, 10).getTime(),
	}),
	plan: {prompt: 'x', target: {kind: 'log', extra: {}}, skills: []},
	transcript: [],
	...overrides,
});

async function look(run: StoredRun, approvals: readonly Approval[] = []) {
	await using home = await temporaryHome();
	const port = createFakePort({approvals});
	port.runs.set(run.id, run);
	await using stack = new AsyncDisposableStack();
	stack.use(await serveControl(home.path, port));
	const show = async (...args: readonly string[]) =>
		(await command(['runs', ...args], {home: home.path, clock})).stdout;
	return {list: await show('list'), shown: await show('show', String(run.id))};
}

test('a run that waits for its time says until when, and calls no first start another try', async () => {
	const first = await look(waiting());
	expect(first.list).toContain('queued until 23:25:10');
	expect(first.shown).toContain('starts    2026-11-20 23:25:10');
	const again = await look(waiting({attempt: 1}));
	expect(again.shown).toContain('next try  2026-11-20 23:25:10');
	const tomorrow = await look(waiting({nextAttemptAt: new Date(2026, 10, 21, 1, 2, 3).getTime()}));
	expect(tomorrow.list).toContain('queued until 2026-11-21 01:02:03');
	const due = await look(waiting({nextAttemptAt: clock.now()}));
	expect(due.list).not.toContain('until');
	expect(due.shown).toMatch(/starts +2026-11-20 [\d:]+, due: it waits for its turn/);
});

test('a run that waits for a person says so with the deadline, and what asks', async () => {
	const run = waiting({state: 'running', attempt: 1, nextAttemptAt: 0});
	const approval = makeToolApproval({id: 7, run: run.id});
	const {list, shown} = await look(run, [approval]);
	for (const text of [list, shown]) {
		expect(text).toContain('waits approval until 12:04:31');
		expect(text).not.toContain('running');
	}

	expect(shown).toContain('approval  7 (svc approvals show 7)');
	const other = await look(run, [makeToolApproval({id: 7, run: run.id + 1})]);
	expect(other.list).toContain('running');
	const ended = await look(waiting({state: 'done'}), [approval]);
	expect(ended.list).not.toContain('waits approval');
});

test('the steps of a run name the tool that answered, and who allowed the call', async () => {
	const facts = {tool: 'mcp__fs__write_file', call: 'call-1', server: 'fs'};
	const {shown} = await look(
		waiting({
			transcript: [
				{at: clock.now(), kind: 'tool-call', text: '{"path":"a"}', data: facts},
				{
					at: clock.now(),
					kind: 'tool-result',
					text: 'Written',
					data: {...facts, ok: true, approval: 'allowed by cli (root)'},
				},
				{
					at: clock.now(),
					kind: 'tool-result',
					text: 'Read',
					data: {...facts, tool: 'mcp__fs__read_file', ok: true},
				},
				{at: clock.now(), kind: 'note', text: 'half way', data: facts},
			],
		}),
	);
	expect(shown).toContain('tool-call   mcp__fs__write_file {"path":"a"}\n');
	expect(shown).toContain('tool-result mcp__fs__write_file, allowed by cli (root): Written\n');
	expect(shown).toContain('tool-result mcp__fs__read_file: Read\n');
	expect(shown).toContain('note        mcp__fs__write_file: half way\n');
});

test('what is counted is counted in words that fit', async () => {
	const one = await look(waiting({attempt: 1, deliveryAttempt: 1, group: 3, superseded: 1}));
	expect(one.shown).toContain('1 agent try, 1 delivery try\n');
	expect(one.shown).toContain('3, 1 earlier event superseded');
	const two = await look(waiting({attempt: 2, deliveryAttempt: 0, group: 3, superseded: 2}));
	expect(two.shown).toContain('2 agent tries, 0 delivery tries\n');
	expect(two.shown).toContain('3, 2 earlier events superseded');
});

test('the profile of runs is named when there are others than that of the home', async () => {
	expect((await look(waiting())).list).not.toContain('PROFILE');
	const {list} = await look(waiting({profile: 'acme'}));
	expect(list).toContain('PROFILE');
	expect(list).toContain('acme');
});

test('a listing that was asked for some does not say that there are none at all', async () => {
	await using home = await temporaryHome();
	const says = async (...args: readonly string[]) =>
		(await command(args, {home: home.path})).stderr;
	expect(await says('runs', 'list')).toContain('No runs yet');
	expect(await says('runs', 'list', '--state', 'done')).toBe('No such runs\n');
	expect(await says('deliveries', 'list', '--limit', '3')).toContain('No deliveries yet');
	for (const filter of ['--route=gh', '--outcome=rate', '--since=1h', '--before=abc', '--dead']) {
		expect(await says('deliveries', 'list', filter)).toBe('No such deliveries\n');
	}
});

test.for([{}, {EDITOR: 'vim -u NONE'}, {VISUAL: '/usr/bin/nano'}])(
	'an editor that draws on a terminal is not started where there is none: %j',
	async environment => {
		await using home = await temporaryHome();
		expect(
			await command(['deliveries', 'replay', 'abcd', '--edit'], {home: home.path, environment}),
		).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('use --body-file (confirmation_needed)'),
		});
	},
);

test('a run that waits for a login says so, until when, and with which commands it goes on', async () => {
	const {list, shown} = await look(waiting({profile: 'acme', awaitsLogins: ['linear', 'my crm']}));
	for (const text of [list, shown]) {
		expect(text).toContain('waits login until 23:25:10');
		expect(text).not.toContain('queued');
	}

	expect(shown).toContain('login     waits for one to "linear": svc -p acme mcp login linear\n');
	expect(shown).toContain(`"my crm": svc -p acme mcp login 'my crm'\n`);
	expect(shown).toContain('starts    2026-11-20 23:25:10 without; at once: svc runs retry 1');
});

test('svc gateway status says what queued runs wait for, as one of the older gateways does not', async () => {
	await using home = await temporaryHome();
	const port = createFakePort({});
	const known = await port.status();
	const queue = {
		worker: 81,
		rate_limit: 62,
		login: 3,
		retry: 0,
		oldest_due_at: clock.now() - 50_000,
		places: 4,
		places_taken: 4,
	};
	await using stack = new AsyncDisposableStack();
	stack.use(await serveControl(home.path, port));
	const status = async (runs: typeof known.runs) => {
		port.status = async () => ({...known, runs});
		return (await command(['gateway', 'status'], {home: home.path, clock})).stdout.split('\n');
	};
	const runs = {active: 4, queued: 146, to_decide: 0, awaiting_login: 3};
	expect(await status({...runs, queue})).toEqual(
		expect.arrayContaining([
			'runs       4 active, 146 queued',
			'waiting    81 for a worker (the oldest for 0:50), 62 for the rate limit, 3 for a login (svc runs list --state queued); 4 of 4 at work',
		]),
	);
	expect((await status(runs)).join('\n')).not.toContain('waiting    ');
});
