import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createLateLogins} from '../../../source/cli/start/late-logins.ts';
import type {PersonLogins} from '../../../source/core/logins.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakeLogins, type FakeLogins} from '../../helpers/fake-logins.ts';

const crm = {server: 'crm', profile: 'default'};
const wiki = {server: 'wiki', profile: 'default'};

function lateLogins() {
	const clock = createFakeClock();
	const loads: Array<PromiseWithResolvers<PersonLogins>> = [];
	const disposed: FakeLogins[] = [];
	const logins = createLateLogins({
		clock,
		async load() {
			const loading = Promise.withResolvers<PersonLogins>();
			loads.push(loading);
			return loading.promise;
		},
	});
	const desk = createFakeLogins(clock);
	const disposable = {
		...desk,
		async [Symbol.asyncDispose]() {
			disposed.push(desk);
		},
	};
	return {logins, loads, desk, disposable, disposed};
}

test('nothing is loaded before the first login; what was asked for meanwhile begins then, in its order', async () => {
	const {logins, loads, desk, disposable} = lateLogins();
	const seen: string[] = [];
	logins.subscribe(() => {
		seen.push(
			logins
				.attempts()
				.map(({server, status}) => `${server} ${status}`)
				.join(', '),
		);
	});
	expect(loads).toHaveLength(0);
	expect(logins.attempts()).toBe(logins.attempts());

	logins.start(crm);
	logins.start(wiki, {flow: 'device'});
	logins.start({...wiki, server: 'away'});
	logins.cancel({...wiki, server: 'away'});
	expect(logins.attempts()).toMatchObject([
		{server: 'crm', status: 'starting'},
		{server: 'wiki', status: 'starting', flow: 'device'},
	]);
	expect(logins.paste(crm, 'x').problem).toContain('No page was opened yet');
	loads[0]?.resolve(disposable);
	await turn();

	expect(loads).toHaveLength(1);
	expect(desk.calls).toMatchObject([
		['start', crm, {}],
		['start', wiki, {flow: 'device'}],
	]);
	desk.tell({server: 'crm', status: 'succeeded'});
	expect(seen.at(-1)).toBe('wiki starting, crm succeeded');
	logins.start(crm);
	expect(logins.paste(crm, 'x')).toEqual({});
	expect(desk.calls).toHaveLength(4);
});

test('what loading fails with is told by the login, and the next one tries again', async () => {
	const {logins, loads, desk, disposable} = lateLogins();
	logins.start(crm);
	loads[0]?.reject(new Error('no such file'));
	await turn();
	expect(logins.attempts()).toMatchObject([
		{server: 'crm', status: 'failed', reason: 'no such file', endedAt: 0},
	]);

	logins.start(crm);
	expect(logins.attempts()).toMatchObject([{status: 'starting'}]);
	loads[1]?.resolve(disposable);
	await turn();
	expect(desk.calls).toEqual([['start', crm, {}]]);
	expect(await logins.logOut(crm)).toBe(true);
});

test('disposal ends the desk, also one that is just being loaded; nothing begins any more', async () => {
	const {logins, loads, desk, disposable, disposed} = lateLogins();
	logins.start(crm);
	const ended = logins[Symbol.asyncDispose]();
	loads[0]?.resolve(disposable);
	await ended;

	expect(disposed).toEqual([desk]);
	expect(desk.calls).toEqual([]);
	await lateLogins().logins[Symbol.asyncDispose]();
});
