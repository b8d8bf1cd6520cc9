import {mkdir} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway} from '../../helpers/gateway.ts';
import {post} from '../../helpers/post.ts';
import {command, commandJson} from '../command.ts';

const job = {id: 'job_abcd1234', name: 'nightly', schedule: 'every 1h', prompt: 'Summarise'};

/** A home that serves profiles, with one of them. */
const servingHome = async () => {
	const home = await gatewayHome({config: {gateway: {multiplex_profiles: true}}});
	await home.write('profiles/acme/cron/jobs.json', JSON.stringify({jobs: [job]}));
	return home;
};

test('a subscription in the files of a profile that the home serves is served by nobody, which is said', async () => {
	await using home = await servingHome();
	const created = await command(['-p', 'acme', 'webhook', 'subscribe', 'zz'], {home: home.path});
	expect(created.code).toBe(0);
	expect(created.stderr).toBe(
		`Route "zz" is served by nobody: the gateway of "${home.path}" serves the routes of this profile; use "svc webhook subscribe zz --route-profile acme" without "-p acme"\n`,
	);
	const [listed] = await commandJson(['-p', 'acme', 'webhook', 'list'], {home: home.path});
	expect(listed.problem).toBe(created.stderr.trimEnd());
	const right = await command(['webhook', 'subscribe', 'zz', '--route-profile', 'acme'], {
		home: home.path,
	});
	expect(right).toMatchObject({code: 0, stderr: ''});
	expect((await commandJson(['webhook', 'list'], {home: home.path}))[0]).not.toHaveProperty(
		'problem',
	);
});

test('what is asked of a profile that the gateway of the home serves names that gateway, and how it is asked', async () => {
	await using home = await servingHome();
	await using gateway = await startTestGateway({home});
	expect(gateway.url()).toMatch(/^http:/);
	const run = async (...args: readonly string[]) =>
		command(['-p', 'acme', ...args], {home: home.path});
	const words = `No gateway runs for "${home.file('profiles/acme')}" itself: the gateway of "${home.path}" (process ${process.pid}) serves profile "acme": leave out "-p acme"`;
	expect(await run('gateway', 'status')).toEqual({code: 1, stdout: `${words}\n`, stderr: ''});
	expect(await run('gateway', 'stop')).toEqual({code: 0, stdout: '', stderr: `${words}\n`});
	expect(await run('webhook', 'test', 'zz')).toEqual({
		code: 1,
		stdout: '',
		stderr: `svc: ${words} (gateway_not_running)\n`,
	});
	const second = await run('gateway', 'run');
	expect(second.stderr).toContain(
		`process ${process.pid} runs one already, that of "${home.path}", which serves profile "acme" too; leave out "-p acme" (gateway_running)`,
	);
	expect(second.stderr).not.toContain('svc gateway stop');
});

test('keys and sessions of a profile that the home serves stay its own', async () => {
	await using home = await servingHome();
	const at = {home: home.path};
	await commandJson(['keys', 'create'], at);
	const own = await commandJson(['-p', 'acme', 'keys', 'create'], at);
	expect(await commandJson(['-p', 'acme', 'keys', 'list'], at)).toMatchObject([{id: own.id}]);
	expect(await commandJson(['-p', 'acme', 'sessions', 'list'], at)).toEqual([]);
	expect(await commandJson(['-p', 'acme', 'runs', 'list'], at)).toEqual([]);
	// The one has nothing to do with the other.
	await home.write('state.db', 'no database');
	expect(await commandJson(['-p', 'acme', 'keys', 'list'], at)).toHaveLength(1);
	expect((await command(['-p', 'acme', 'runs', 'list'], at)).stderr).toMatch(/store_unreadable/);
});

test('a run that is queued for a profile is shown by the gateway that has it', async () => {
	await using home = await servingHome();
	await using gateway = await startTestGateway({home});
	expect(await command(['-p', 'acme', 'cron', 'run', 'nightly'], {home: home.path})).toEqual({
		code: 0,
		stdout: 'Run #1 of nightly is queued (svc runs show 1, without "-p acme")\n',
		stderr: '',
	});
	await gateway.ended(1);
	expect((await command(['runs', 'show', '1'], {home: home.path})).stdout).toContain(
		'profile   acme',
	);
});

test('what a home did for a profile is listed and shown when the profile is asked, whether its gateway runs or not', async () => {
	await using home = await gatewayHome({
		config: {gateway: {multiplex_profiles: true}},
		subscriptions: {
			ours: {prompt: 'x'},
			theirs: {prompt: 'x', profile: 'acme'},
		},
	});
	await home.write('profiles/acme/.env', '');
	const look = async (...args: readonly string[]) =>
		commandJson(['-p', 'acme', ...args], {home: home.path});
	const listed = async () => {
		const deliveries = await look('deliveries', 'list');
		const runs = await look('runs', 'list', '--limit', '1');
		expect(deliveries).toMatchObject([{route: 'theirs', profile: 'acme'}]);
		expect(runs).toMatchObject([{route: 'theirs', profile: 'acme'}]);
		expect(await look('usage')).toMatchObject([{route: 'theirs', profile: 'acme', runs: 1}]);
		expect(await look('runs', 'show', String(runs[0].id))).toMatchObject({route: 'theirs'});
		expect(await look('deliveries', 'show', deliveries[0].id)).toMatchObject({route: 'theirs'});
		const [others] = await commandJson(['runs', 'list', '--route', 'ours'], {home: home.path});
		expect(
			(await command(['-p', 'acme', 'runs', 'show', String(others.id)], {home: home.path})).stderr,
		).toContain('(run_not_found)');
		return {deliveries, runs};
	};
	const live = await (async () => {
		await using gateway = await startTestGateway({home});
		for (const [path, route] of [
			['/p/acme/webhooks/theirs', 'theirs'],
			['/webhooks/ours', 'ours'],
		] as const) {
			// oxlint-disable-next-line no-await-in-loop -- the order of the runs is looked at
			expect((await post(`${gateway.url()}${path}`, {payload: {route}})).status).toBe(202);
		}

		await gateway.ended(1);
		await gateway.ended(2);
		return await listed();
	})();
	expect(await listed()).toEqual(live);
});

test('a home that serves profiles says so when it does not run; one that serves none is not named', async () => {
	await using home = await servingHome();
	expect((await command(['-p', 'acme', 'gateway', 'status'], {home: home.path})).stdout).toContain(
		`the gateway of "${home.path}" serves profile "acme" when it runs`,
	);
	await using alone = await gatewayHome();
	await mkdir(alone.file('profiles/acme'), {recursive: true});
	expect((await command(['-p', 'acme', 'gateway', 'status'], {home: alone.path})).stdout).toBe(
		`No gateway runs for "${alone.file('profiles/acme')}"\n`,
	);
});
