// @module-tag slow
import {writeFile} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import {expect, test} from 'vitest';
import {SvcError} from '../../../source/core/errors.ts';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {type ForgeResource, installForgeClient} from '../../helpers/forge-client.ts';
import {gatewayHome} from '../../helpers/gateway.ts';
import {makeDelivery} from '../../helpers/make.ts';
import {readWhenThere} from '../../helpers/processes.ts';
import {startSvc} from '../../helpers/svc.ts';
import {command, type Ran, serveControl} from '../command.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

type Tried = {
	readonly id: number;
	readonly guid: string;
	readonly minutes: number;
	readonly status: number;
	readonly result?: string;
};

const item = ({id, guid, minutes, status, result = 'failed to connect'}: Tried) => ({
	id,
	guid,
	delivered_at: minutesAgo(minutes),
	redelivery: false,
	duration: 0.1,
	status: status === 202 ? 'OK' : result,
	status_code: status,
	event: 'push',
	action: null,
});

const detail = (guid: string, payload: string): ForgeResource => ({
	body: `{"guid":"${guid}","request":{"headers":{"X-GitHub-Event":"push","X-GitHub-Delivery":"${guid}","X-Hub-Signature-256":"sha256=00","content-type":"application/json"},"payload":${payload}},"response":{}}`,
});

const hooksPath = 'repos/acme/api/hooks';
const listPath = `${hooksPath}/11/deliveries`;

const hook = (id: number, url: string) => ({id, name: 'web', active: true, config: {url}});

/** One page of hooks, two of tries: `lost` failed twice, `late` came through at the second try, `here` is in our journal. */
const forge = (): Record<string, ForgeResource> => ({
	[`${hooksPath}?per_page=100`]: {
		body: [
			hook(10, 'https://hooks.example/p/other/webhooks/gh'),
			hook(11, 'https://hooks.example/svc/webhooks/gh'),
			hook(12, 'https://user:pass@hooks.example/webhooks/else?token=t'),
		],
	},
	[`${listPath}?per_page=100`]: {
		headers: {
			Link: `<https://api.forge.example/repositories/1/hooks/11/deliveries?per_page=100&cursor=v1_2>; rel="next"`,
		},
		body: [
			item({id: 5, guid: 'late', minutes: 10, status: 202}),
			item({id: 4, guid: 'lost', minutes: 20, status: 502}),
			item({id: 3, guid: 'late', minutes: 30, status: 0}),
		],
	},
	[`${listPath}?per_page=100&cursor=v1_2`]: {
		headers: {
			Link: `<https://api.forge.example/repositories/1/hooks/11/deliveries?per_page=100&cursor=v1_3>; rel="next"`,
		},
		body: [
			item({id: 2, guid: 'lost', minutes: 40, status: 0}),
			item({id: 1, guid: 'here', minutes: 50, status: 504}),
			item({id: 0, guid: 'old', minutes: 60 * 24 * 4, status: 500}),
		],
	},
	[`${listPath}/4`]: detail(
		'lost',
		'{"n":12345678901234567890,"repository":{"full_name":"acme/api"}}',
	),
});

async function open({serve = true, path}: {serve?: boolean; path?: string} = {}) {
	const stack = new AsyncDisposableStack();
	const client = stack.use(await installForgeClient());
	await client.serve(forge());
	const home = stack.use(
		await gatewayHome({
			config: {forge: {cli: 'gh'}},
			subscriptions: {gh: {prompt: 'x'}, other: {prompt: 'y'}},
		}),
	);
	await home.write('.env', 'GH_TOKEN=token-of-the-profile\nUNRELATED=must-not-leak\n');
	const port: FakePort = createFakePort();
	port.deliveries.set('d1', {
		...makeDelivery({id: 'd1', route: 'gh', deliveryId: 'here', receivedAt: now}),
		headers: {},
		body: Buffer.from('{"repository":{"full_name":"acme/api"}}'),
	});
	if (serve) {
		stack.use(await serveControl(home.path, port));
	}

	return {
		client,
		home,
		port,
		recover: async (...args: readonly string[]): Promise<Ran> =>
			command(['webhook', 'recover', 'gh', ...args], {
				home: home.path,
				environment: {PATH: path ?? client.path},
				clock: {now: () => now, monotonic: () => 0, after: () => () => {}},
			}),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('events that nobody took come back, once, with the identifiers that they had', async () => {
	await using setup = await open();
	const {code, stdout, stderr} = await setup.recover('--yes');
	expect({code, stderr}).toMatchObject({code: 0});
	expect(stderr).toContain('failed deliveries of acme/api since');
	expect(stderr).toContain('1 event that failed there is here already');
	expect(stdout).toMatch(/push +502 failed to connect +lost$/m);
	expect(stdout).toMatch(/push {2}lost {2}202 accepted$/m);
	expect(stdout).toMatch(/^1 event: 1 accepted$/m);
	for (const other of ['late', 'old']) {
		expect(stdout).not.toContain(other);
	}

	expect(setup.port.calls).toEqual([
		{
			name: 'recoverDelivery',
			args: [
				'gh',
				{
					delivery_id: 'lost',
					headers: {
						'content-type': 'application/json',
						'x-github-event': 'push',
						'x-github-delivery': 'lost',
					},
					body: '{"n":12345678901234567890,"repository":{"full_name":"acme/api"}}',
				},
			],
		},
	]);

	// The code host still says that it failed; our journal knows better.
	setup.port.deliveries.set('d2', {
		...makeDelivery({id: 'd2', route: 'gh', deliveryId: 'lost', receivedAt: now}),
		headers: {},
	});
	const again = await setup.recover('--yes');
	expect(again).toMatchObject({code: 0, stdout: ''});
	expect(again.stderr).toContain('2 events that failed there are here already');
	expect(setup.port.calls).toHaveLength(1);
});

test('the client is called without a shell, with its own environment and nothing of ours', async () => {
	await using setup = await open();
	await setup.recover('--dry-run');
	const calls = await setup.client.calls();
	expect(calls.map(({args}) => args)).toEqual(
		[
			`${hooksPath}?per_page=100`,
			`${listPath}?per_page=100`,
			`${listPath}?per_page=100&cursor=v1_2`,
		].map(resource => [
			'api',
			'--include',
			'--method',
			'GET',
			'--header',
			'Accept: application/vnd.github+json',
			resource,
		]),
	);
	for (const {environment} of calls) {
		expect(environment).toMatchObject({GH_TOKEN: 'token-of-the-profile', GH_PROMPT_DISABLED: '1'});
		expect(environment).not.toHaveProperty('UNRELATED');
		expect(environment).not.toHaveProperty('SVC_HOME');
	}
});

test('nothing is taken in unless somebody agrees; --dry-run needs no gateway', async () => {
	await using setup = await open();
	const unasked = await setup.recover();
	expect(unasked).toMatchObject({code: 1});
	expect(unasked.stderr).toContain('Take 1 event into route "gh"?');
	expect(unasked.stderr).toContain('(confirmation_needed)');
	const {stdout} = await setup.recover('--dry-run', '--json');
	expect(JSON.parse(stdout)).toMatchObject({
		route: 'gh',
		repo: 'acme/api',
		hook: '11',
		known: 1,
		events: [{guid: 'lost', event: 'push', status: 502}],
	});
	expect(setup.port.calls).toEqual([]);

	await using alone = await open({serve: false});
	expect((await alone.recover('--yes')).stderr).toContain('(gateway_not_running)');
	expect((await alone.recover('--dry-run')).stderr).toContain('(repo_unknown)');
	expect(await alone.recover('--dry-run', '--repo', 'acme/api')).toMatchObject({
		code: 0,
		stdout: expect.stringContaining('lost'),
	});
});

/** Two events that nobody took: `first`, then `second`. */
const twoLost = (): Record<string, ForgeResource> => ({
	...forge(),
	[`${listPath}?per_page=100`]: {
		body: [
			item({id: 4, guid: 'second', minutes: 20, status: 502}),
			item({id: 3, guid: 'first', minutes: 30, status: 0}),
		],
	},
	[`${listPath}/3`]: detail('first', '{}'),
	[`${listPath}/4`]: detail('second', '{}'),
});

test.for(['Too many runs are queued', 'Gateway is stopping'])(
	'a gateway that says "%s" ends it with 1: the rest can be had by asking again',
	async error => {
		await using setup = await open();
		await setup.client.serve(twoLost());
		setup.port.answers.receiver = {status: 503, body: JSON.stringify({error})};
		const full = await setup.recover('--yes');
		expect(full.code).toBe(1);
		expect(full.stdout).toContain(`first  503 ${error}\n`);
		expect(full.stdout).toContain(
			`\n1 event: 1 ${error}; 1 not tried after "${error}": ask again later\n`,
		);
		expect(setup.port.calls).toMatchObject([{args: ['gh', {delivery_id: 'first'}]}]);
	},
);

test.for(['Cron job is not available', 'Script failed'])(
	'another 503, "%s", is said, and the next event is tried',
	async error => {
		await using setup = await open();
		await setup.client.serve(twoLost());
		setup.port.answers.receiver = {status: 503, body: JSON.stringify({error})};
		const {code, stdout} = await setup.recover('--yes');
		expect(code).toBe(1);
		expect(stdout).toMatch(new RegExp(`^2 events: 2 ${error}$`, 'm'));
		expect(stdout).not.toContain('room');
		expect(setup.port.calls).toHaveLength(2);
	},
);

test('answers are said one by one', async () => {
	await using setup = await open();
	await setup.client.serve(twoLost());
	setup.port.answers.receiver = {status: 200, body: '{"status":"ignored","reason":"filter"}'};
	const {code, stdout} = await setup.recover('--yes', '--json');
	expect(code).toBe(0);
	expect(JSON.parse(stdout)).toMatchObject({
		events: [
			{guid: 'first', answered: 200, outcome: 'ignored (filter)'},
			{guid: 'second', answered: 200, outcome: 'ignored (filter)'},
		],
		left: 0,
	});
});

test.for([
	['the code host does not know any more', undefined, 'HTTP 404'],
	['whose payload was not kept', {body: {request: {payload: null}}}, 'has not kept its payload'],
] as const)('an event that %s does not hold up the others', async ([, lost, words]) => {
	await using setup = await open();
	const {[`${listPath}/3`]: _first, ...others} = twoLost();
	await setup.client.serve({...others, ...(lost && {[`${listPath}/3`]: lost})});
	const {code, stdout, stderr} = await setup.recover('--yes', '--json');
	expect({code, stderr}).toEqual({code: 1, stderr: ''});
	expect(JSON.parse(stdout)).toMatchObject({
		events: [
			{guid: 'first', answered: 0, outcome: expect.stringContaining(words)},
			{guid: 'second', answered: 202, outcome: 'accepted'},
		],
		left: 0,
	});
	const said = await setup.recover('--yes');
	expect(said.code).toBe(1);
	expect(said.stdout).toMatch(new RegExp(`first {2}not recovered: .*${words}`));
	expect(said.stdout).toMatch(/^2 events: 1 not recovered, 1 accepted$/m);
});

test('what the gateway refuses of one event does not hold up the others; one that is gone ends it, and what was taken in is said', async () => {
	await using setup = await open();
	await setup.client.serve(twoLost());
	setup.port.answers.failure = new SvcError('bad_request', 'Cannot take the request body');
	const refused = await setup.recover('--yes');
	expect(refused).toMatchObject({code: 1, stderr: expect.not.stringContaining('bad_request')});
	expect(refused.stdout).toContain('2 events: 2 not recovered');

	setup.port.answers.failure = undefined;
	let count = 0;
	setup.port.recoverDelivery = async () => {
		count++;
		if (count > 1) {
			throw new SvcError('webhook_not_listening', 'Cannot recover: nothing listens');
		}

		return setup.port.answers.receiver;
	};
	const {code, stdout, stderr} = await setup.recover('--yes', '--json');
	expect(code).toBe(1);
	expect(stderr).toContain('(webhook_not_listening)');
	expect(JSON.parse(stdout)).toMatchObject({
		events: [{guid: 'first', answered: 202, outcome: 'accepted'}],
		left: 1,
	});
});

test('a form comes back as a form', async () => {
	await using setup = await open();
	await setup.client.serve({
		...forge(),
		[`${listPath}/4`]: {
			body: {
				request: {
					headers: {'Content-Type': 'application/x-www-form-urlencoded'},
					payload: {a: 'b&c'},
				},
			},
		},
	});
	await setup.recover('--yes');
	expect(setup.port.calls).toMatchObject([
		{
			args: [
				'gh',
				{body: 'payload=%7B%22a%22%3A%22b%26c%22%7D', headers: {'x-github-event': 'push'}},
			],
		},
	]);
});

test.for([
	['HTTP 401: Bad credentials', 'forge_not_authenticated'],
	['gh: Not Found (HTTP 404)', 'forge_target_not_found'],
	['gh: Resource not accessible by integration (HTTP 403)', 'forge_forbidden'],
	['gh: API rate limit exceeded for user ID 1. (HTTP 403)', 'forge_rate_limited'],
	['something else', 'forge_failed'],
] as const)('a client that complains "%s" is a failure with a name: %s', async ([words, code]) => {
	await using setup = await open();
	await setup.client.fail(`${words}\n\u001b[2Jtoken-of-the-profile`);
	const ran = await setup.recover('--yes');
	expect(ran).toMatchObject({code: 1, stdout: ''});
	expect(ran.stderr).toContain(`(${code})`);
	expect(ran.stderr).not.toContain('token-of-the-profile');
	expect(ran.stderr).not.toContain('\u001b');
});

test('a client that is not installed, or that says what is no answer, is a failure with a name', async () => {
	await using missing = await open({path: '/nowhere'});
	expect((await missing.recover('--yes')).stderr).toContain('(forge_client_missing)');
	await using setup = await open();
	await setup.client.serve({[`${hooksPath}?per_page=100`]: {body: 'no JSON'}});
	expect((await setup.recover('--yes')).stderr).toContain('(forge_failed)');
});

test('a webhook that is not there, or one of several, is named; --hook chooses', async () => {
	await using setup = await open();
	await setup.client.serve({
		...forge(),
		[`${hooksPath}?per_page=100`]: {
			body: [hook(12, 'https://user:pass@hooks.example/webhooks/else?token=t')],
		},
	});
	const none = await setup.recover('--yes');
	expect(none.stderr).toContain('(hook_not_found)');
	expect(none.stderr).toContain('12 (https://hooks.example/webhooks/else)');
	expect(none.stderr).not.toContain('pass');
	expect(none.stderr).not.toContain('token=');
	expect((await setup.recover('--dry-run', '--hook', '11')).stdout).toContain('lost');

	await setup.client.serve({
		...forge(),
		[`${hooksPath}?per_page=100`]: {
			body: [hook(11, 'https://a.example/webhooks/gh'), hook(13, 'https://b.example/webhooks/gh/')],
		},
	});
	expect((await setup.recover('--yes')).stderr).toMatch(/11, 13 .*\(hook_ambiguous\)/);
});

test('what the person names is checked before anybody is asked', async () => {
	await using setup = await open();
	expect((await setup.recover('--repo', '../../user')).stderr).toContain('(repo_unknown)');
	expect((await setup.recover('--hook', 'x')).code).toBe(2);
	expect((await setup.recover('--since', 'soon')).code).toBe(2);
	const kept = 'keep deliveries for three days';
	expect((await setup.recover('--since', '4d', '--repo', '../x')).stderr).toContain(kept);
	expect((await setup.recover('--since', '3d', '--repo', '../x')).stderr).not.toContain(kept);
	const nobody = await command(['webhook', 'recover', 'nobody'], {home: setup.home.path});
	expect(nobody.stderr).toContain('(route_not_found)');
	expect(await setup.client.calls()).toEqual([]);
});

test('Ctrl-C ends it, and the client with it', async () => {
	await using setup = await open({serve: false});
	const folder = setup.client.path.split(delimiter)[0] ?? '';
	await writeFile(
		join(folder, 'gh'),
		'#!/bin/sh\necho $$ > "$0.tmp" && mv "$0.tmp" "$(dirname "$0")/pid"\nexec tail -f /dev/null\n',
	);
	await using svc = startSvc(['webhook', 'recover', 'gh', '--repo', 'acme/api', '--dry-run'], {
		home: setup.home.path,
		env: {PATH: setup.client.path},
	});
	await svc.waitFor(/Asking for/);
	const pid = Number(await readWhenThere(join(folder, 'pid')));
	svc.kill('SIGINT');
	const {code, stderr} = await svc.finished;
	expect(code).toBe(130);
	expect(stderr).toContain('(interrupted)');
	expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
