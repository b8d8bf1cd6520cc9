import {execFile} from 'node:child_process';
import {stat} from 'node:fs/promises';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway, testConfig} from '../helpers/gateway.ts';
import {need} from '../helpers/need.ts';
import {svc} from '../helpers/svc.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson} from './command.ts';

const json = async (home: TemporaryHome, ...args: readonly string[]) =>
	commandJson(args, {home: home.path});

const entries = async (home: TemporaryHome) =>
	JSON.parse(await home.read('webhook_subscriptions.json'));

/** Of the machine's clock, by UTC. */
const today = () => new Date().toISOString().slice(0, 10);

test('"creation returns the webhook URL and an auto-generated HMAC secret", once, with a ready curl line', async () => {
	await using home = await temporaryHome();
	const created = await json(home, 'webhook', 'subscribe', 'gh', '--events', 'push,pull_request');
	expect(created).toMatchObject({
		name: 'gh',
		url: 'http://127.0.0.1:8644/webhooks/gh',
		created: true,
		secret: expect.stringMatching(/^[\w-]{43}$/),
	});
	expect(created.curl).toMatch(/^curl -sS 'http:.*x-hub-signature-256: sha256=[0-9a-f]{64}'/);
	expect(created.curl).not.toContain(created.secret);
	expect(await entries(home)).toEqual({
		gh: {events: ['push', 'pull_request'], secret: created.secret, rotated_on: today()},
	});
	expect((await stat(home.file('webhook_subscriptions.json'))).mode & 0o777).toBe(0o600);

	const {stdout} = await command(['webhook', 'list'], {home: home.path});
	expect(stdout).toContain('gh');
	expect(stdout).not.toContain(created.secret);
	expect(JSON.stringify(await json(home, 'webhook', 'list'))).not.toContain(created.secret);
});

test('"a subscription that exists is updated: its secret and every key not named by a flag stay"', async () => {
	await using home = await temporaryHome({
		'webhook_subscriptions.json': JSON.stringify({
			gh: {secret: 'kept-secret', prompt: 'old', toolsets: ['web'], made_by_hand: {x: 1}},
			other: {secret: 'other-secret'},
		}),
	});
	const updated = await json(
		home,
		'webhook',
		'subscribe',
		'gh',
		'--prompt',
		'new',
		'--description',
		'd',
	);
	expect(updated).toMatchObject({created: false});
	expect(updated).not.toHaveProperty('secret');
	expect(await entries(home)).toEqual({
		gh: {
			secret: 'kept-secret',
			prompt: 'new',
			description: 'd',
			toolsets: ['web'],
			made_by_hand: {x: 1},
		},
		other: {secret: 'other-secret'},
	});
	const {stdout} = await command(['webhook', 'subscribe', 'gh'], {home: home.path});
	expect(stdout).toContain('secret  unchanged');
	expect(stdout).not.toContain('kept-secret');
	expect(await json(home, 'webhook', 'subscribe', 'gh', '--secret', 'new-secret')).toMatchObject({
		secret: 'new-secret',
	});
});

test('every flag of the contract is written under its property', async () => {
	await using home = await temporaryHome({
		'filters.json': '[{"field": "action", "equals": "opened"}]',
		'config.yaml': testConfig({
			platforms: {
				email: {enabled: true, from: 'a@b.c', home_channel: 'd@e.f', smtp: {host: 'mail.b.c'}},
			},
		}),
	});
	const flags = [
		['--events', 'push'],
		['--prompt', 'Say {x}'],
		['--deliver', 'email'],
		['--deliver-chat-id', 'me@example.org'],
		['--description', 'words'],
		['--mirror-to-session'],
		['--filters-file', home.file('filters.json')],
		['--script', 'f.sh'],
		['--skills', 'a,b'],
		['--secret', 's3cret'],
	];
	await json(home, 'webhook', 'subscribe', 'all', ...flags.flat());
	expect(await entries(home)).toEqual({
		all: {
			events: ['push'],
			prompt: 'Say {x}',
			deliver: 'email',
			deliver_extra: {chat_id: 'me@example.org'},
			description: 'words',
			mirror_to_session: true,
			filters: [{field: 'action', equals: 'opened'}],
			script: 'f.sh',
			skills: ['a', 'b'],
			secret: 's3cret',
			rotated_on: today(),
		},
	});
	await json(home, 'webhook', 'subscribe', 'all', '--deliver-only', '--no-mirror-to-session');
	expect((await entries(home)).all).toMatchObject({deliver_only: true, mirror_to_session: false});
});

test.for([
	['a name that is no name', ['Bad.Name'], /Bad\.Name/],
	['a name that leaves its folder', ['../x'], /\.\.\/x/],
	['a name that every object has', ['__proto__'], /__proto__/],
	['"deliver_only" to the log', ['x', '--deliver-only'], /deliver/],
	['an unknown target', ['x', '--deliver', 'pigeon'], /pigeon/],
	[
		'no authentication on a public address',
		['x', '--secret', 'INSECURE_NO_AUTH'],
		/INSECURE_NO_AUTH/,
	],
] as const)(
	'"what the receiver would refuse at start is refused at creation": %s',
	async ([, args, words]) => {
		await using home = await temporaryHome({
			'config.yaml': 'platforms: {webhook: {enabled: true, host: 0.0.0.0}}\n',
			'webhook_subscriptions.json': '{"kept": {"secret": "s"}}',
		});
		const {code, stdout, stderr} = await command(['webhook', 'subscribe', ...args], {
			home: home.path,
		});
		expect(code).toBe(1);
		expect(stdout).toBe('');
		expect(stderr).toMatch(words);
		expect(await entries(home)).toEqual({kept: {secret: 's'}});
	},
);

test('"a file that does not parse is never overwritten"', async () => {
	const text = '{"gh": {"secret": "precious-value"}';
	await using home = await temporaryHome({'webhook_subscriptions.json': text});
	for (const args of [
		['webhook', 'subscribe', 'new'],
		['webhook', 'remove', 'gh'],
		['webhook', 'list'],
	]) {
		const {code, stdout, stderr} = await command(args, {home: home.path});
		expect(code).toBe(1);
		expect(stderr).toContain('webhook_subscriptions.json');
		expect(stdout + stderr).not.toContain('precious-value');
	}

	expect(await home.read('webhook_subscriptions.json')).toBe(text);
});

test('"two processes that write at once lose nothing"', async () => {
	await using home = await temporaryHome();
	const names = Array.from({length: 4}, (_, index) => `hook-${index}`);
	const results = await Promise.all(
		names.map(async name => svc(['webhook', 'subscribe', name], {home: home.path})),
	);
	expect(results.map(({code}) => code)).toEqual(names.map(() => 0));
	expect(Object.keys(await entries(home)).toSorted()).toEqual(names);
	const [removed, added] = await Promise.all([
		svc(['webhook', 'remove', 'hook-0'], {home: home.path}),
		svc(['webhook', 'subscribe', 'late'], {home: home.path}),
	]);
	expect([removed.code, added.code]).toEqual([0, 0]);
	expect(Object.keys(await entries(home)).toSorted()).toEqual([...names.slice(1), 'late']);
});

test('a subscription is paused and resumed from the command line, and the list says which is paused', async () => {
	const entry = {secret: 'of-the-hook-itself', unheard: [1]};
	await using home = await temporaryHome({
		'webhook_subscriptions.json': JSON.stringify({gh: entry, other: entry}),
	});
	const list = async () => (await command(['webhook', 'list'], {home: home.path})).stdout;

	expect(await command(['webhook', 'pause', 'gh'], {home: home.path})).toMatchObject({code: 0});
	expect(await entries(home)).toEqual({gh: {...entry, enabled: false}, other: entry});
	expect(await list()).toMatch(/^gh .* paused *$/m);

	expect(await command(['webhook', 'resume', 'gh'], {home: home.path})).toMatchObject({code: 0});
	expect(await entries(home)).toEqual({gh: entry, other: entry});
	expect(await list()).not.toContain('paused');
	const {code, stderr} = await command(['webhook', 'pause', 'nobody'], {home: home.path});
	expect(code).toBe(1);
	expect(stderr).toContain('(subscription_not_found)');
});

test('"rename": a route moves in its file with all that it has, the senders are told of, and a taken name is refused', async () => {
	const entry = {secret: 'of-the-hook-itself', unheard: [1]};
	await using home = await temporaryHome({
		'webhook_subscriptions.json': JSON.stringify({gh: entry, other: entry}),
		'config.yaml':
			'platforms:\n  webhook:\n    routes:\n      fixed: # few\n        secret: of-the-fixed-one\n',
	});
	const rename = async (...names: readonly string[]) =>
		command(['webhook', 'rename', ...names], {home: home.path});

	const {code, stdout, stderr} = await rename('gh', 'pulls');
	expect({code, stdout}).toEqual({code: 0, stdout: 'Renamed gh to pulls\n'});
	expect(stderr).toContain('/webhooks/gh is answered 404');
	expect(stdout + stderr).not.toContain(entry.secret);
	expect(JSON.stringify(await entries(home))).toBe(JSON.stringify({pulls: entry, other: entry}));
	expect(await rename('fixed', 'stays')).toMatchObject({code: 0});
	expect(await home.read('config.yaml')).toContain('      stays: # few\n');
	for (const [from, name, problem] of [
		['pulls', 'stays', '(route_refused)'],
		['pulls', 'pulls', '(route_refused)'],
		['nobody', 'new', '(route_not_found)'],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- in order
		expect(await rename(from, name)).toMatchObject({
			code: 1,
			stderr: expect.stringContaining(problem),
		});
	}
});

test('a subscription that is not there cannot be removed', async () => {
	await using home = await temporaryHome({'webhook_subscriptions.json': '{}'});
	const {code, stderr} = await command(['webhook', 'remove', 'gh'], {home: home.path});
	expect(code).toBe(1);
	expect(stderr).toContain('(subscription_not_found)');
	expect((await command(['webhook', 'remove', '__proto__'], {home: home.path})).code).toBe(1);
});

type Shown = {
	readonly name: string;
	readonly source: string;
	readonly url: string;
	readonly problem?: string;
};

test('the list has every route, also those that are not served, with the reason', async () => {
	await using home = await gatewayHome({
		config: {
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 1234,
					routes: {fixed: {secret: 'a', prompt: 'x'}, gh: {secret: 'b'}},
				},
			},
		},
		subscriptions: {gh: {}, open: {secret: 'INSECURE_NO_AUTH'}, odd: {events: 'push'}},
	});
	const list: readonly Shown[] = await json(home, 'webhook', 'list');
	const places = list.map(({name, source, url}) => [name, source, url]);
	expect(places).toContainEqual(['fixed', 'static', 'http://127.0.0.1:1234/webhooks/fixed']);
	expect(places).toContainEqual(['open', 'dynamic', 'http://127.0.0.1:1234/webhooks/open']);
	const refused = list.filter(({problem}) => problem !== undefined);
	expect(refused.map(({name, source}) => `${source} ${name}`).toSorted()).toEqual([
		'dynamic gh',
		'dynamic odd',
	]);
	const {stdout} = await command(['webhook', 'list'], {home: home.path});
	expect(stdout).toContain('INSECURE_NO_AUTH');
});

test('"test prints status and body"; it works "only for dynamic subscriptions, not for routes from config.yaml"', async () => {
	await using home = await gatewayHome({
		config: {
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					routes: {fixed: {secret: 'a', prompt: 'x'}},
				},
			},
		},
		subscriptions: {gh: {prompt: '{ref}'}, picky: {events: ['release']}},
	});
	const without = await command(['webhook', 'test', 'gh'], {home: home.path});
	expect(without.code).toBe(1);
	expect(without.stderr).toContain('(gateway_not_running)');

	await using _ = await startTestGateway({home});
	const answered = await command(['webhook', 'test', 'gh', '--payload', '{"ref":"main"}'], {
		home: home.path,
	});
	expect(answered).toMatchObject({
		code: 0,
		stderr: expect.stringMatching(/^See "svc deliveries show \w+"\n$/),
	});
	expect(answered.stdout).toMatch(/^202 \{"status":"accepted","route":"gh"/);
	expect(await json(home, 'webhook', 'test', 'gh', '--event', 'push')).toMatchObject({
		status: 202,
		body: expect.stringContaining('"event":"push"'),
	});
	const ignored = await command(['webhook', 'test', 'picky', '--event', 'push'], {home: home.path});
	expect(ignored).toMatchObject({code: 0, stdout: expect.stringContaining('"status":"ignored"')});
	const malformed = await command(['webhook', 'test', 'gh', '--payload', '{'], {home: home.path});
	expect(malformed).toMatchObject({code: 1, stdout: expect.stringMatching(/^400 /)});
	const fixed = await command(['webhook', 'test', 'fixed'], {home: home.path});
	expect(fixed).toMatchObject({code: 1, stderr: expect.stringContaining('(route_is_static)')});
	const nobody = await command(['webhook', 'test', 'nobody'], {home: home.path});
	expect(nobody).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(subscription_not_found)'),
	});
});

test('the curl line that subscribe prints is accepted as it is', async context => {
	need('curl', context);
	await using gateway = await startTestGateway();
	const {curl} = await json(gateway.home, 'webhook', 'subscribe', 'gh', '--prompt', "it's");
	// The file names port 0, the gateway has a real one.
	const line = curl.replace(/http:\/\/127\.0\.0\.1:\d+/, gateway.url());
	const {stdout} = await promisify(execFile)('sh', ['-c', line]);
	expect(JSON.parse(stdout)).toMatchObject({status: 'accepted', route: 'gh'});
});
