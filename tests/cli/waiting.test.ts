import {expect, test} from 'vitest';
import type {StoredRun} from '../../source/core/run.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
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

async function look(run: StoredRun) {
	await using home = await temporaryHome();
	const port = createFakePort();
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
