import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {oauthWorld, remoteServer} from '../mcp/oauth/oauth-world.ts';
import {startAuthorizationServer} from '../mcp/servers/authorization-server.ts';

const prompt = '/tool mcp__crm__whoami {}';

const homeOf = async (url: string, runs = {}) =>
	gatewayHome({
		config: {
			runs: {concurrency: 1, ...runs},
			mcp_servers: {crm: {url, auth: 'oauth', trust: 'full'}},
			model: {provider: 'offline'},
		},
		subscriptions: {
			named: {prompt, toolsets: ['mcp-crm']},
			general: {prompt},
			other: {prompt: 'hello', toolsets: []},
		},
	});

/** The run, as soon as it waits for a login. */
async function waiting(gateway: TestGateway, runId: number) {
	const {runs} = await gateway.until(state =>
		state.runs.some(({id, awaitsLogins}) => id === runId && awaitsLogins !== undefined),
	);
	return runs.find(({id}) => id === runId);
}

test('"runs that wait for it go on": a run that names a server awaits its login without a place, and goes on once somebody has logged in, in whatever shell', async () => {
	await using site = await startAuthorizationServer();
	await using home = await homeOf(site.url);
	await using gateway = await startTestGateway({home});
	await gateway.send('named', {});
	expect(await waiting(gateway, 1)).toMatchObject({
		state: 'queued',
		attempt: 0,
		awaitsLogins: ['crm'],
		nextAttemptAt: expect.closeTo(Date.now() + 3_600_000, -5),
	});
	expect(await gateway.port.status()).toMatchObject({
		runs: {active: 0, queued: 1, awaiting_login: 1},
	});
	expect((await gateway.port.getRun(1))?.transcript.map(({text}) => text)).toContain(
		'Waits for a login to tool server "crm", 3600 s at most: svc mcp login crm',
	);

	await gateway.send('other', {});
	expect((await gateway.ended(2)).state, 'the only place is free').toBe('done');
	await gateway.send('general', {});
	const {transcript} = await gateway.ended(3);
	expect(
		transcript.map(({text}) => text),
		'what comes with a general toolset holds nobody up',
	).toContainEqual(expect.stringMatching(/^Tool server "crm" gives no tools: needs login/));

	await using shell = await oauthWorld({home: home.path});
	await shell.login(remoteServer(site.url));
	const run = await gateway.ended(1);
	expect(run.fullAnswer).toContain('alice');
	expect(run).toMatchObject({state: 'done', attempt: 1});
});

test('a run that awaits a login still does after a restart, and goes on without it when a person asks, or the server is switched off', async () => {
	await using site = await startAuthorizationServer();
	await using home = await homeOf(site.url);
	{
		await using gateway = await startTestGateway({home});
		await gateway.send('named', {});
		await waiting(gateway, 1);
		await gateway.send('named', {});
		await waiting(gateway, 2);
		await gateway.send('named', {});
		await waiting(gateway, 3);
	}

	await using gateway = await startTestGateway({home});
	// The start lets each of them look for its server once.
	await gateway.gateway.idle();
	await Promise.all([1, 2, 3].map(async id => waiting(gateway, id)));
	expect(await gateway.port.retryRun(1)).toBe(true);
	const {state, transcript} = await gateway.ended(1);
	expect(state).toBe('done');
	expect(transcript.map(({text}) => text)).toContain(
		'Goes on without a login to tool server "crm"',
	);

	expect(await gateway.port.cancelRun(2)).toBe(true);
	expect((await gateway.ended(2)).state).toBe('cancelled');

	const config = await home.read('config.yaml');
	await home.write('config.yaml', config.replace('"auth"', '"enabled":false,"auth"'));
	expect((await gateway.ended(3)).state).toBe('done');
});

test('"runs.login_wait_seconds": 0 waits for nobody', async () => {
	await using site = await startAuthorizationServer();
	await using home = await homeOf(site.url, {login_wait_seconds: 0});
	await using gateway = await startTestGateway({home});
	await gateway.send('named', {});
	const {state, transcript} = await gateway.ended(1);
	expect(state).toBe('done');
	expect(transcript.map(({text}) => text)).toContain(
		'Goes on without a login to tool server "crm"',
	);
});
