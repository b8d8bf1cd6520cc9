import {expect, test} from 'vitest';
import type {StoredGroup} from '../../source/core/group.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeGroup} from '../helpers/make.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson, serveControl} from './command.ts';

const now = 1_700_000_010_000;

const pending: StoredGroup = {
	...makeGroup({id: 3, count: 2, latest: 'd2'}),
	members: [
		{delivery: 'd1', deliveryId: 'guid-1', event: 'push', receivedAt: now - 9000},
		{delivery: 'd2', deliveryId: 'guid-2', event: 'push', receivedAt: now - 1000},
	],
};

const dispatched: StoredGroup = {
	...makeGroup({
		id: 2,
		key: 'hostile \u001b[2J key',
		state: 'dispatched',
		reason: 'quiet',
		dispatchedAt: now,
		runId: 7,
	}),
	members: [],
};

async function open() {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const port = createFakePort({groups: [pending, dispatched]});
	for (const group of [pending, dispatched]) {
		port.groups.set(group.id, group);
	}

	stack.use(await serveControl(home.path, port));
	const world = {home: home.path, clock: createFakeClock(now)};
	return {
		port,
		run: async (...args: readonly string[]) => command(['groups', ...args], world),
		json: async (...args: readonly string[]) => commandJson(['groups', ...args], world),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('groups are listed with what they wait for', async () => {
	await using setup = await open();
	const {code, stdout} = await setup.run('list');
	expect(code).toBe(0);
	expect(stdout).toMatch(/^3 .*acme\/api#7 +2 .*due in 20s \(quiet\)$/m);
	expect(stdout).toMatch(/^2 .*dispatched \(quiet\) +#7$/m);
	expect(stdout).not.toContain('\u001b');
	expect(await setup.json('list', '--state', 'pending')).toMatchObject([{id: 3}]);
	expect((await setup.run('list', '--state', 'odd')).code).toBe(2);
});

test('a group shows its events, and which of them runs', async () => {
	await using setup = await open();
	const {stdout} = await setup.run('show', '3');
	expect(stdout).toContain('events (2, 1 superseded by the latest)');
	expect(stdout).toMatch(/d1 +push +guid-1$/m);
	expect(stdout).toMatch(/d2 +push +guid-2 +<- runs$/m);
	expect(await setup.json('show', '3')).toEqual(pending);
	expect(await setup.run('show', '9')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(group_not_found)'),
	});
});

test('a pending group is dispatched, once', async () => {
	await using setup = await open();
	expect(await setup.run('dispatch', '3')).toMatchObject({
		code: 0,
		stdout: 'acme/api#7 is dispatched\n',
	});
	expect(setup.port.calls).toEqual([{name: 'dispatchGroup', args: [3]}]);
	setup.port.answers.dispatched = false;
	const late = await setup.run('dispatch', '2');
	expect(late).toMatchObject({code: 1, stdout: ''});
	expect(late.stderr).toContain('svc runs show 7');
	expect(late.stderr).toContain('(group_dispatched)');
	expect((await setup.run('dispatch', '9')).stderr).toContain('(group_not_found)');
});

test('without a gateway groups are read from disk and cannot be dispatched', async () => {
	await using home = await temporaryHome();
	expect(await commandJson(['groups', 'list'], {home: home.path})).toEqual([]);
	expect((await command(['groups', 'dispatch', '1'], {home: home.path})).stderr).toContain(
		'(gateway_not_running)',
	);
});
