// @module-tag slow
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {bundleProgram} from '../../helpers/bundle-program.ts';
import {startMortal, waysToMortals} from '../servers/mortal-server.ts';
import {ownServer} from '../servers/stdio-server.ts';
import {createJumpClock} from './jump-clock.ts';
import {openManager} from './open-manager.ts';

const program = await bundleProgram(join(import.meta.dirname, '../servers/mortal-program.ts'));
test.for(waysToMortals)(
	'killed over %s in the middle of a call: "only readOnlyHint: true tools are transparently replayed; other tools return the error outcome_uncertain", within 3 s',
	async way => {
		await using mortal = await startMortal(program, way);
		await using managed = await openManager();
		await managed.apply(mortal.server);
		const first = managed.call('act', {word: 'hang'});
		await mortal.called(1);
		const start = performance.now();
		void mortal.kill();
		const {text, isError} = await first;

		expect(performance.now() - start).toBeLessThan(3000);
		expect(isError).toBe(true);
		expect(JSON.parse(text)).toEqual({
			error: expect.stringContaining('"act" of the tool server "crm"'),
			outcome_uncertain: true,
			server: 'crm',
			tool: 'act',
			reason: expect.stringMatching(/^(?:closed|stream_lost)$/),
		});
		expect(await managed.call('act')).toEqual({text: 'act 2'});

		const second = managed.call('look', {word: 'hang more'});
		await mortal.called(3);
		void mortal.kill();

		expect(await second).toEqual({text: 'look 4'});
		expect(mortal.calls()).toEqual(['act', 'act', 'look', 'look']);
		expect(managed.view()).toMatchObject({status: 'connected', activeCalls: 0});
	},
);

test.for(['stdio', 'stream'] as const)(
	'killed over %s between two calls: it is connected again without one',
	async way => {
		await using mortal = await startMortal(program, way);
		const clock = createJumpClock();
		await using managed = await openManager({clock});
		await managed.apply({...mortal.server, keepaliveMs: 60_000});
		expect(await managed.call('look')).toEqual({text: 'look 1'});
		await mortal.kill();
		// A server with sessions does not know ours any more; a check tells sooner than the standing stream.
		clock.jump(60_000);
		await managed.until(({status}) => status !== 'connected');
		clock.jump(1000);
		await managed.reached('connected');

		expect(managed.view().tools.map(({tool}) => tool)).toEqual(['act', 'look']);
		expect(await managed.call('look')).toEqual({text: 'look 2'});
	},
);

test('a server without sessions that was killed between two calls: the next call is answered as if nothing had happened', async () => {
	await using mortal = await startMortal(program, 'modern');
	await using managed = await openManager();
	await managed.apply(mortal.server);
	expect(await managed.call('look')).toEqual({text: 'look 1'});
	await mortal.kill();

	expect(await managed.call('look')).toEqual({text: 'look 2'});
	expect(managed.view().status).toBe('connected');
});

test('a server that stays away is tried 5 times with growing pauses, parked, looked at every 300 s, and found again', async () => {
	await using mortal = await startMortal(program, 'stream');
	const clock = createJumpClock();
	await using managed = await openManager({clock});
	await managed.apply(mortal.server);
	expect(await managed.call('act')).toEqual({text: 'act 1'});
	await mortal.kill({forGood: true});
	await managed.call('act');

	const pauses: number[] = [];
	for (;;) {
		const view = await managed.until(({status}) => status === 'failed' || status === 'parked');
		if (view.status === 'parked') {
			break;
		}

		const pause = (view.nextAttemptAt ?? 0) - view.since;
		pauses.push(pause);
		clock.jump(pause + 1);
		await managed.until(({since, status}) => since > view.since && status !== 'connecting');
	}

	expect(pauses).toHaveLength(5);
	const {nextAttemptAt = 0, since, reason, tools} = managed.view();
	// Two looks at the wall clock.
	expect(Math.abs(nextAttemptAt - since - 300_000)).toBeLessThan(10);
	expect(reason).toMatch(/\S/);
	expect(tools.map(({tool}) => tool)).toEqual(['act', 'look']);

	mortal.revive();
	clock.jump(300_001);
	await managed.reached('connected');
	expect(await managed.call('look')).toEqual({text: 'look 2'});
});

test('a call of a tool whose server is parked fails at once and does not hammer it', async () => {
	await using mortal = await startMortal(program, 'stream');
	const clock = createJumpClock();
	await using managed = await openManager({clock});
	await managed.apply(mortal.server);
	await mortal.kill({forGood: true});
	await managed.call('act');
	while (managed.view().status !== 'parked') {
		clock.jump(60_000);
		await managed.until(({status}) => status === 'failed' || status === 'parked');
	}

	const before = managed.statuses().length;
	const {text, isError} = await managed.call('look');
	expect(isError).toBe(true);
	expect(JSON.parse(text)).toEqual({
		error: expect.stringContaining('The tool server "crm" is not connected'),
		server: 'crm',
	});
	expect(managed.statuses()).toHaveLength(before);
});

test('a server that never came up is tried 3 times, then parked, with the reason it gave on its standard error', async () => {
	const clock = createJumpClock();
	await using managed = await openManager({clock});
	await managed.apply(ownServer('crash', {extra: 'its own words'}));
	let tries = 1;
	for (; managed.view().status !== 'parked'; tries++) {
		const {nextAttemptAt = 0, since} = managed.view();
		clock.jump(nextAttemptAt - since + 1);
		await managed.until(view => view.since > since && view.status !== 'connecting');
	}

	expect(tries).toBe(3);
	expect(managed.view()).toMatchObject({
		status: 'parked',
		reason: 'It exited with code 3: cannot open the database with its own words',
	});
});
