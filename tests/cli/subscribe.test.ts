import {mkdir, writeFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import type {ModelView} from '../../source/core/config-view.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {installForgeClient} from '../helpers/forge-client.ts';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {makeDelivery} from '../helpers/make.ts';
import type {TemporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson, serveControl} from './command.ts';

const job = (name: string, id = 'job_abcd1234') => ({
	id,
	name,
	schedule: 'every 1h',
	prompt: 'Summarise',
	deliver: 'forge_comment',
	deliver_extra: {repo: 'acme/api', pr_number: '7'},
});

const withJobs = async (home: TemporaryHome, folder: string, jobs: readonly unknown[]) => {
	await mkdir(home.file(folder), {recursive: true});
	await writeFile(home.file(`${folder}/jobs.json`), JSON.stringify({jobs}), {mode: 0o600});
};

const entries = async (home: TemporaryHome) =>
	JSON.parse(await home.read('webhook_subscriptions.json'));

test('"The --cron-job reference is validated at creation time": it is an identifier or the name of one job', async () => {
	await using home = await gatewayHome();
	await withJobs(home, 'cron', [
		job('nightly'),
		job('twice', 'job_aaaa1111'),
		job('twice', 'job_bbbb2222'),
		{...job('broken', 'job_cccc3333'), schedule: 'now and then'},
	]);
	const subscribe = async (reference: string) =>
		command(['webhook', 'subscribe', 'hook', '--cron-job', reference], {home: home.path});
	for (const [reference, code] of [
		['nobody', 'job_not_found'],
		['twice', 'job_ambiguous'],
		['broken', 'job_invalid'],
	] as const) {
		expect(await subscribe(reference)).toMatchObject({
			code: 1,
			stdout: '',
			stderr: expect.stringContaining(`(${code})`),
		});
	}

	expect(await entries(home)).toEqual({});
	expect((await subscribe('job_bbbb2222')).code).toBe(0);
	expect((await subscribe('nightly')).stdout).toContain(
		'can     each event fires the job "nightly" unattended, without tools (no tool server is configured); the answer goes to a comment on acme/api#7',
	);
	expect((await entries(home)).hook).toMatchObject({cron_job: 'nightly'});
	expect(
		(await command(['webhook', 'subscribe', 'hook', '--coalesce-key', 'a'], {home: home.path}))
			.code,
		'"Mutually exclusive with deliver_only and coalesce"',
	).toBe(1);
});

test('a route whose job cannot be told from another, or is paused, says so in the list, at each change and in the status', async () => {
	await using home = await gatewayHome();
	const jobs = [job('twin', 'job_aaaa1111'), job('nightly', 'job_bbbb2222')];
	await withJobs(home, 'cron', jobs);
	const run = async (...args: readonly string[]) => command(args, {home: home.path});
	for (const [name, reference] of [
		['hook', 'twin'],
		['other', 'nightly'],
	] as const) {
		await run('webhook', 'subscribe', name, '--cron-job', reference);
	}

	// As somebody may write it by hand.
	await withJobs(home, 'cron', [
		...jobs.map(one => ({...one, paused: one.name === 'nightly'})),
		job('twin', 'job_cccc3333'),
	]);
	const ambiguous =
		'fires nothing now: several jobs are called "twin", use the identifier from "svc cron list"';
	const paused = 'fires nothing now: job "nightly" is paused';
	const {stdout} = await run('webhook', 'list');
	expect(stdout).toContain(ambiguous);
	expect(stdout).toContain(paused);
	expect(await commandJson(['webhook', 'list'], {home: home.path})).toMatchObject([
		{name: 'hook', troubles: [ambiguous]},
		{name: 'other', troubles: [paused]},
	]);

	const changed = await run('webhook', 'subscribe', 'hook', '--description', 'Changed');
	expect(changed).toMatchObject({code: 0, stderr: expect.stringContaining(`It ${ambiguous}`)});
	expect(changed.stdout).not.toContain('"?"');
	expect((await run('webhook', 'subscribe', 'other', '--description', 'x')).stderr).toContain(
		`It ${paused}`,
	);

	await using gateway = await startTestGateway({home});
	expect((await gateway.port.status()).slips).toEqual([
		{
			kind: 'route',
			name: 'hook',
			problem: `Route "hook" ${ambiguous}`,
			serving: false,
		},
	]);
	expect(await run('gateway', 'status')).toMatchObject({
		code: 1,
		stdout: expect.stringContaining(`${ambiguous}; its events are answered with 503`),
	});
});

test.for([
	['served', {prompt: 'x'}],
	['slipped', {events: 5}],
] as const)(
	'a name that a route of config.yaml has is refused, since the subscription would not be used: %s',
	async ([, route]) => {
		await using home = await gatewayHome({
			config: {
				platforms: {
					webhook: {
						enabled: true,
						host: '127.0.0.1',
						secret: 'of-all-routes',
						routes: {push: route},
					},
				},
			},
		});
		const before = await entries(home);
		const {code, stdout, stderr} = await command(['webhook', 'subscribe', 'push'], {
			home: home.path,
		});
		expect({code, stdout}).toEqual({code: 1, stdout: ''});
		expect(stderr).toContain(
			'config.yaml has a route "push", which wins over a dynamic route: take another name, or change that route there',
		);
		expect(await entries(home)).toEqual(before);
	},
);

test('a route that is bound to a profile has its path, and fires the jobs of that profile', async () => {
	await using home = await gatewayHome({config: {gateway: {multiplex_profiles: true}}});
	await mkdir(home.file('profiles/acme'), {recursive: true});
	await withJobs(home, 'profiles/acme/cron', [job('theirs')]);
	await withJobs(home, 'cron', [job('ours')]);
	const subscribe = async (...flags: readonly string[]) =>
		commandJson(['webhook', 'subscribe', 'hook', '--route-profile', 'acme', ...flags], {
			home: home.path,
		});
	const created = await subscribe('--cron-job', 'theirs');
	expect(created.url).toMatch(/\/p\/acme\/webhooks\/hook$/);
	expect(created.curl).toContain('/p/acme/webhooks/hook');
	expect(await entries(home)).toMatchObject({hook: {profile: 'acme', cron_job: 'theirs'}});
	const foreign = await command(['webhook', 'subscribe', 'hook', '--cron-job', 'ours'], {
		home: home.path,
	});
	expect(foreign.stderr).toContain('(job_not_found)');
	const elsewhere = await command(['webhook', 'subscribe', 'hook', '--route-profile', 'default'], {
		home: home.path,
	});
	expect(elsewhere.stderr, 'the job is looked for again').toContain('(job_not_found)');
	const [listed] = await commandJson(['webhook', 'list'], {home: home.path});
	expect(listed).toMatchObject({url: created.url, cronJob: 'theirs', profile: 'acme'});
});

test('a profile that this gateway does not serve is said, and so is one without a folder', async () => {
	await using home = await gatewayHome();
	const off = await command(['webhook', 'subscribe', 'hook', '--route-profile', 'acme'], {
		home: home.path,
	});
	expect(off).toMatchObject({code: 0, stdout: expect.stringContaining('/p/acme/webhooks/hook')});
	expect(off.stderr).toMatch(/multiplex_profiles/);
	await using served = await gatewayHome({config: {gateway: {multiplex_profiles: true}}});
	const missing = await command(['webhook', 'subscribe', 'hook', '--route-profile', 'acme'], {
		home: served.path,
	});
	expect(missing.code).toBe(0);
	expect(missing.stderr).toMatch(/profiles\/acme/);
	const blank = await command(['webhook', 'subscribe', 'hook', '--route-profile', ' '], {
		home: served.path,
	});
	expect(blank.stderr, '"blank … fails closed"').toContain('(subscription_refused)');
});

test('coalescing takes its key and both of its clocks from flags', async () => {
	await using home = await gatewayHome();
	const created = await commandJson(
		[
			'webhook',
			'subscribe',
			'hook',
			'--coalesce-key',
			'{repository.full_name}#{number}',
			'--coalesce-window',
			'2.5',
			'--coalesce-max-wait',
			'60',
		],
		{home: home.path},
	);
	expect((await entries(home)).hook.coalesce).toEqual({
		key: '{repository.full_name}#{number}',
		window_seconds: 2.5,
		max_wait_seconds: 60,
	});
	expect(created.capability).toMatchObject({
		starts: 'group',
		tools: [],
		asks: [],
		unattended: true,
		target: 'the log',
		line: expect.stringMatching(/^the events of one key start an agent run unattended/),
	});
	for (const window of ['0', '-1', 'soon', '1e9']) {
		expect(
			(
				await command(['webhook', 'subscribe', 'hook', '--coalesce-window', window], {
					home: home.path,
				})
			).code,
		).toBe(2);
	}

	const {stdout} = await command(['webhook', 'list'], {home: home.path});
	expect(stdout).toContain('log per {repository.full_name}#{number}');
});

test('one line says what whoever holds the secret can make happen', async () => {
	await using home = await gatewayHome();
	const line = async (...flags: readonly string[]) => {
		const {stdout} = await command(['webhook', 'subscribe', 'hook', ...flags], {home: home.path});
		return /^can +(.*)$/m.exec(stdout)?.[1];
	};
	expect(await line()).toBe(
		'each event starts an agent run unattended, without tools (no tool server is configured); the answer goes to the log',
	);
	expect(await line('--deliver', 'forge_comment')).toMatch(
		/the answer goes to a comment on \{repository\.full_name\}#\{pull_request\.number\}$/,
	);
	expect(await line('--deliver-only')).toMatch(
		/^no agent runs: each event sends its rendered prompt to a comment on /,
	);
});

test('answers that no language model would write are said to go to the log, while nobody allows them out', async () => {
	await using home = await gatewayHome();
	await using client = await installForgeClient();
	const world = {home: home.path, environment: {PATH: client.path}};
	const said = async (...flags: readonly string[]) =>
		(await command(['webhook', 'subscribe', 'hook', ...flags], world)).stderr;

	expect(await said('--deliver', 'forge_comment')).toContain(
		'Its answers go to the log alone: no language model is configured',
	);
	expect(await said('--deliver-only')).not.toContain('log alone');
	expect(await said('--no-deliver-only', '--deliver', 'log')).not.toContain('log alone');

	await using _ = await serveControl(
		home.path,
		withModel({provider: 'anthropic', name: 'claude', origin: 'configured'}),
	);
	expect(await said('--deliver', 'forge_comment')).not.toContain('log alone');
});

const withModel = (model: ModelView) => {
	const port = createFakePort();
	return {...port, status: async () => ({...(await port.status()), model})};
};

test('a client of the code host that cannot post now is told of, at once and in the check', async () => {
	await using home = await gatewayHome({
		config: {model: {provider: 'offline', allow_offline_delivery: true}},
	});
	await using client = await installForgeClient();
	const world = {home: home.path, environment: {PATH: client.path}};
	const subscribe = async (name: string) =>
		(await command(['webhook', 'subscribe', name, '--deliver', 'forge_comment'], world)).stderr;
	const says = '"gh" is not logged in; run "gh auth login" on this machine or set GH_TOKEN';
	expect(await subscribe('first')).toBe('');
	expect((await client.calls()).map(({args}) => args)).toEqual([['auth', 'status']]);

	await client.fail('You are not logged into any GitHub hosts. To log in, run: gh auth login');
	expect(await subscribe('second')).toContain(`Its answers cannot be delivered now: ${says}`);
	const check = async () => (await command(['config', 'check'], world)).stderr;
	expect((await check()).split('\n').filter(line => line.includes('delivered'))).toEqual([
		expect.stringMatching(
			/^warning .*webhook_subscriptions\.json.* first: its answers, and those of 1 other route, cannot be delivered now: "gh" is not logged in/,
		),
	]);
	// One of two hosts is broken: it may post to the other.
	await client.fail(
		'github.com\n  ✓ Logged in to github.com account me\n\nghe.example\n  X Failed to log in to ghe.example account me\n  - To re-authenticate, run: gh auth login -h ghe.example\n',
	);
	expect(await subscribe('fourth')).toBe('');
	expect(await check()).not.toContain('delivered');
	await client.fail('You are not logged in to any accounts on github.com');
	expect(await check()).toContain(says);
	// A client that does not know the question says nothing about it.
	await client.fail('unknown command "status" for "auth"');
	expect(await subscribe('third')).toBe('');
	expect(await check()).not.toContain('delivered');
	const missing = {...world, environment: {PATH: home.path}};
	const {stderr} = await command(['config', 'check'], missing);
	expect(stderr).toContain('"gh" is not installed; install it or set forge.cli');
});

test('"--prefetch diff": what it is for is told, and what keeps it from working', async () => {
	await using home = await gatewayHome({
		config: {
			model: {provider: 'offline', allow_offline_delivery: true},
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					secret: 'a-secret-of-the-test',
					routes: {pushes: {events: ['push'], prefetch: ['diff']}},
				},
			},
		},
	});
	await using client = await installForgeClient();
	const world = {home: home.path, environment: {PATH: client.path}};
	const subscribe = async (...flags: readonly string[]) =>
		command(['webhook', 'subscribe', 'review', ...flags], world);

	const made = await subscribe('--events', 'pull_request', '--prefetch', 'diff');
	expect(made).toMatchObject({code: 0, stderr: ''});
	expect(made.stdout).toContain(
		"can     each event starts an agent run unattended, with the diff of the event's pull request, without tools",
	);
	expect((await entries(home)).review).toMatchObject({prefetch: ['diff']});
	expect(await subscribe('--prefetch', 'files')).toMatchObject({
		code: 1,
		stderr: expect.stringMatching(/prefetch.*"files".* diff, checkout/s),
	});
	const both = await subscribe('--prefetch', 'diff,checkout');
	expect(both.stdout).toContain("with the diff of the event's pull request, without tools");
	expect(both.stderr).toBe(
		'webhook_subscriptions.json review.prefetch: prefetches no checkout: no tool of the route works in it; add "file" or "terminal" to its toolsets\n',
	);
	await home.write(
		'webhook_subscriptions.json',
		JSON.stringify({review: {...(await entries(home)).review, toolsets: ['file']}}),
	);
	expect((await subscribe()).stdout).toContain(
		"with the diff and the checkout of the event's pull request, with 4 tools",
	);
	const config = await home.read('config.yaml');
	const broken = {...JSON.parse(config), sandbox: {read: ['/nowhere/at/all']}};
	await home.write('config.yaml', JSON.stringify(broken));
	const dropped = await subscribe();
	expect(dropped.stdout).toContain("with the diff of the event's pull request, without tools");
	expect(dropped.stderr).toContain('Toolset "file" was dropped: sandbox.read');
	await home.write('config.yaml', config);
	expect((await subscribe('--events', 'merge_request')).stderr).toContain(
		'prefetches no checkout: its events are of GitLab, and checkouts are got from GitHub alone',
	);
	await subscribe('--events', 'pull_request', '--prefetch', 'diff');
	const routes = await commandJson(['webhook', 'list'], world);
	expect(routes).toContainEqual(expect.objectContaining({name: 'review', prefetch: ['diff']}));

	await client.fail('You are not logged into any GitHub hosts. To log in, run: gh auth login');
	expect((await subscribe()).stderr).toContain(
		'What it prefetches cannot be got now: "gh" is not logged in',
	);
	const {stderr} = await command(['config', 'check'], world);
	expect(stderr).toMatch(
		/warning .* review: what it prefetches cannot be got now: "gh" is not logged in/,
	);
	expect(stderr).toMatch(
		/pushes\.prefetch.* prefetches nothing: none of its events is about a pull request/,
	);
	const only = await subscribe('--deliver', 'forge_comment', '--deliver-only');
	expect(only.stderr).toContain('prefetches nothing: deliver_only starts no agent');
	expect((await subscribe('--no-prefetch')).code).toBe(0);
	expect((await entries(home)).review).not.toHaveProperty('prefetch');
});

test('a client that commands cannot read the code host with is told of, at once and in the check', async () => {
	await using home = await gatewayHome({
		config: {
			model: {provider: 'offline', allow_offline_delivery: true},
			toolsets: {terminal: {forge: 'read'}},
		},
		subscriptions: {hook: {toolsets: ['terminal']}, other: {toolsets: ['file']}},
	});
	await using client = await installForgeClient();
	const world = {
		home: home.path,
		environment: {PATH: `${client.path}:${process.env['PATH'] ?? ''}`},
	};
	await client.fail('You are not logged into any GitHub hosts. To log in, run: gh auth login');
	const says =
		'hat its commands read of the code host cannot be got now: "gh" is not logged in; run "gh auth login"';
	const subscribe = async (name: string) =>
		(await command(['webhook', 'subscribe', name], world)).stderr;
	expect(await subscribe('hook')).toContain(`W${says}`);
	expect(await subscribe('other')).not.toContain('code host');
	const check = async () => (await command(['config', 'check'], world)).stderr;
	expect((await check()).split('\n').filter(line => line.includes('code host'))).toEqual([
		expect.stringContaining(`hook: w${says}`),
	]);
	await client.fail(undefined);
	expect(await subscribe('hook')).not.toContain('code host');
});

test('"No toolsets flag exists", and what was granted by hand stays', async () => {
	await using home = await gatewayHome({subscriptions: {hook: {toolsets: ['mcp-crm', 'mcp']}}});
	const subscribe = ['webhook', 'subscribe', 'hook', '--prompt', 'x'];
	const refused = await command([...subscribe, '--toolsets', 'mcp'], {home: home.path});
	expect(refused).toMatchObject({code: 2, stderr: expect.stringContaining('--toolsets')});
	await commandJson(subscribe, {home: home.path});
	expect((await entries(home)).hook.toolsets).toEqual(['mcp-crm', 'mcp']);
});

test('a toolset of a tool server that is not configured is a problem in the list, and a warning of the check', async () => {
	const toolsets = ['mcp-crm', 'mcp-lost'];
	await using home = await gatewayHome({
		config: {
			mcp_servers: {crm: {command: 'true'}},
			platforms: {webhook: {routes: {fixed: {secret: 'a-long-secret', toolsets}}}},
		},
		subscriptions: {
			hook: {toolsets},
			sound: {toolsets: ['mcp-crm', 'mcp', 'svc-webhook']},
			quiet: {toolsets, deliver_only: true, deliver: 'log'},
		},
	});
	const says = 'names a tool server that is not configured: "lost"';
	const lines = (await command(['webhook', 'list'], {home: home.path})).stdout.split('\n');
	const saying = (text: string) => lines.filter(line => line.includes(text));
	expect(saying(says).map(line => line.split(' ')[0])).toEqual(['fixed', 'hook']);
	const {stdout, stderr} = await command(['config', 'check'], {home: home.path});
	const checked = stdout + stderr;
	expect(checked).toContain(`platforms.webhook.routes.fixed.toolsets: ${says}`);
	expect(checked).toContain(`hook.toolsets: ${says}`);
	expect(checked).not.toContain('quiet.toolsets');
});

test('a toolset that there is none of is a problem in the list and the check, with the name that was meant', async () => {
	await using home = await gatewayHome({
		subscriptions: {hook: {toolsets: ['wbe', 'web', 'constructor']}},
	});
	const says =
		'names a toolset that does not exist: "wbe" (did you mean "web"?), and names a toolset that does not exist: "constructor"';
	expect((await command(['webhook', 'list'], {home: home.path})).stdout).toContain(says);
	const {stdout, stderr} = await command(['config', 'check'], {home: home.path});
	expect(stdout + stderr).toContain(`hook.toolsets: ${says}`);
});

test('a toolset that gives nothing is said', async () => {
	await using home = await gatewayHome({
		config: {sandbox: {read: ['/nowhere/at/all']}},
		subscriptions: {hook: {toolsets: ['terminal', 'mcp-crm']}},
	});
	const {stderr} = await command(['webhook', 'subscribe', 'hook', '--prompt', 'x'], {
		home: home.path,
	});
	expect(stderr).toContain('Toolset "terminal" was dropped: sandbox.read: "/nowhere/at/all"');
	expect(stderr).toContain('no tool server "crm" gives tools');
});

test('"rotate": the new secret is printed once, the old one passes for the overlap', async () => {
	await using home = await gatewayHome({subscriptions: {hook: {secret: 'old-secret-1'}}});
	const rotated = await commandJson(['webhook', 'rotate', 'hook', '--overlap', '2h'], {
		home: home.path,
	});
	expect(rotated).toMatchObject({
		name: 'hook',
		source: 'dynamic',
		secret: expect.stringMatching(/^[\w-]{43}$/),
		kept: 1,
	});
	expect(JSON.stringify(rotated)).not.toContain('old-secret-1');
	expect((await entries(home)).hook).toMatchObject({
		secret: rotated.secret,
		retired_secrets: [{secret: 'old-secret-1', until: rotated.until}],
	});

	const again = await command(
		['webhook', 'rotate', 'hook', '--secret', 'given-secret', '--overlap', '0s'],
		{
			home: home.path,
		},
	);
	expect(again).toMatchObject({code: 0, stderr: ''});
	expect(again.stdout).toContain('secret  given-secret   (shown once)');
	expect(again.stdout).toContain('does not pass any more');
	const {stdout} = await command(['webhook', 'list'], {home: home.path});
	expect(stdout).not.toContain('given-secret');
	expect((await command(['webhook', 'rotate', 'nobody'], {home: home.path})).stderr).toContain(
		'(route_not_found)',
	);
	expect(
		(await command(['webhook', 'rotate', 'hook', '--overlap', '60d'], {home: home.path})).stderr,
	).toContain('(rotation_refused)');
});

test('the secret of a static route is rotated where it stands', async () => {
	await using home = await gatewayHome({
		config: `# mine
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    routes:
      fixed:
        secret: old-secret-1 # until spring
        prompt: x
`,
	});
	const rotated = await commandJson(['webhook', 'rotate', 'fixed'], {home: home.path});
	expect(rotated.source).toBe('static');
	const text = await home.read('config.yaml');
	expect(text).toContain('# mine');
	expect(text).toContain(rotated.secret);
	expect(text).toContain('old-secret-1');
	expect((await command(['config', 'check'], {home: home.path})).code).toBe(0);
});

test.for([
	['null', 'null'],
	['a list', '[]'],
	['a word', '"later"'],
] as const)(
	'in the place of an entry that is %s comes a new one, whose secret is shown once',
	async ([, written]) => {
		await using home = await gatewayHome();
		await home.write('webhook_subscriptions.json', `{"gh": ${written}}`);
		const created = await commandJson(['webhook', 'subscribe', 'gh', '--prompt', 'x'], {
			home: home.path,
		});
		expect(created).toMatchObject({created: true, secret: expect.stringMatching(/^[\w-]{43}$/)});
		expect((await entries(home)).gh).toEqual({
			prompt: 'x',
			secret: created.secret,
			rotated_on: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
		});
	},
);

test('there is no ready curl line for a route that holds nothing to sign with', async () => {
	const publicKey = `whpk_${Buffer.alloc(32, 7).toString('base64')}`;
	await using home = await gatewayHome();
	const {stdout, code} = await command(
		['webhook', 'subscribe', 'hook', '--prompt', 'x', '--secret', publicKey],
		{home: home.path},
	);
	expect(code).toBe(0);
	expect(stdout).toContain(`secret  ${publicKey}`);
	expect(stdout).not.toContain('curl');
	expect(
		await commandJson(['webhook', 'subscribe', 'hook', '--prompt', 'y'], {home: home.path}),
	).not.toHaveProperty('curl');
});

test('groups and jobs are taken out of a subscription again', async () => {
	await using home = await gatewayHome();
	await withJobs(home, 'cron', [job('nightly')]);
	const subscribe = async (...flags: readonly string[]) =>
		command(['webhook', 'subscribe', 'hook', ...flags], {home: home.path});
	await subscribe('--coalesce-key', 'a', '--coalesce-window', '5');
	expect((await subscribe('--no-coalesce', '--coalesce-key', 'a')).code).toBe(2);
	expect((await subscribe('--prompt', 'x')).code).toBe(0);
	expect((await entries(home)).hook).toHaveProperty('coalesce');
	expect((await subscribe('--no-coalesce', '--cron-job', 'nightly')).code).toBe(0);
	expect((await entries(home)).hook).toEqual({
		prompt: 'x',
		cron_job: 'nightly',
		secret: expect.any(String),
		rotated_on: expect.any(String),
	});
	expect((await subscribe('--no-cron-job')).stdout).toContain('each event starts an agent run');
	expect((await entries(home)).hook).toEqual({
		prompt: 'x',
		secret: expect.any(String),
		rotated_on: expect.any(String),
	});
});

test('a target that is not enabled is said where it is chosen, and in the listings', async () => {
	await using home = await gatewayHome();
	const words = 'delivers to "email", which is not enabled: see platforms.email';
	const flags = ['--deliver', 'email', '--deliver-chat-id', 'ann@example.org'];
	const created = await command(['webhook', 'subscribe', 'hook', ...flags], {home: home.path});
	expect(created).toMatchObject({code: 0, stderr: expect.stringContaining(words)});
	expect((await command(['webhook', 'list'], {home: home.path})).stdout).toContain(words);
	const add = ['cron', 'add', '--name', 'digest', '--schedule', 'every 1h', '--prompt', 'x'];
	const added = await command([...add, ...flags], {home: home.path});
	expect(added).toMatchObject({code: 0, stderr: `Job "digest" ${words}\n`});
	expect((await command(['cron', 'list'], {home: home.path})).stdout).toContain(words);
	await home.write(
		'config.yaml',
		JSON.stringify({
			platforms: {email: {enabled: true, from: 'svc@example.org', smtp: {host: 'localhost'}}},
		}),
	);
	for (const args of [
		['webhook', 'list'],
		['cron', 'list'],
	]) {
		expect((await command(args, {home: home.path})).stdout).not.toContain('not enabled');
	}
});

test('the next time of a job stands on the clocks of its zone wherever it is said', async () => {
	await using home = await gatewayHome();
	await withJobs(home, 'cron', [
		{...job('nightly'), schedule: '30 9 * * *', time_zone: 'Asia/Tokyo', deliver: 'log'},
	]);
	expect((await command(['cron', 'list'], {home: home.path})).stdout).toMatch(
		/ \d{4}-\d\d-\d\d 09:30:00 Asia\/Tokyo/,
	);
	await using gateway = await startTestGateway({home});
	expect(gateway.url()).toMatch(/^http:/);
	expect((await command(['gateway', 'status'], {home: home.path})).stdout).toMatch(
		/^jobs {7}1, the next one fires \d{4}-\d\d-\d\d 09:30:00 Asia\/Tokyo$/m,
	);
});

test('a misspelt operator in a file of filters is named', async () => {
	await using home = await gatewayHome();
	await home.write('filters.yaml', '- any:\n    - field: action\n      equls: opened\n');
	const {code, stderr} = await command(
		['webhook', 'subscribe', 'hook', '--filters-file', home.file('filters.yaml')],
		{home: home.path},
	);
	expect(code).toBe(1);
	expect(stderr).toContain(
		'0.any.0.equls: unknown key, did you mean "equals" (filters_unreadable)',
	);
	expect(await entries(home)).toEqual({});
});

test('a secret that can be guessed is said wherever one is given', async () => {
	await using home = await gatewayHome();
	for (const args of [
		['webhook', 'subscribe', 'hook', '--secret', 'short'],
		['webhook', 'rotate', 'hook', '--secret', 'tiny'],
		['gateway', 'setup', '--secret', 'weak'],
	]) {
		expect(await command(args, {home: home.path})).toMatchObject({
			code: 0,
			stderr: expect.stringContaining('fewer than 8 bytes'),
		});
	}
});

test('"2 wrong usage" ends with where the help of that command is', async () => {
	await using home = await gatewayHome();
	for (const [args, words] of [
		[['webhook', 'subscribe'], 'svc webhook subscribe'],
		[['webhook', 'test', 'gh', '--event', ''], 'svc webhook test'],
		[['runs', 'list', '--limit', '0'], 'svc runs list'],
		[['--nonsense'], 'svc'],
	] as const) {
		const {code, stderr} = await command(args, {home: home.path});
		expect(code).toBe(2);
		expect(stderr).toContain(`(see ${words} --help)`);
	}
});

test('a test event that is ignored names the step, and what to show', async () => {
	await using gateway = await startTestGateway({subscriptions: {picky: {events: ['release']}}});
	const {code, stdout, stderr} = await command(['webhook', 'test', 'picky', '--event', 'push'], {
		home: gateway.home.path,
	});
	expect({code, stdout}).toEqual({code: 0, stdout: expect.stringMatching(/^200 /)});
	expect(stderr).toMatch(/^Ignored by its event: .*; see "svc deliveries show \w+"\n$/);
});

test('a test event that lacks what the template names says so', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: '{zen} by {made.up} of {nobody}: /tool read {"path": 1}'}},
	});
	const {stderr} = await command(
		['webhook', 'test', 'hook', '--payload', '{"zen": "Speak like a human."}'],
		{home: gateway.home.path},
	);
	expect(stderr).toMatch(
		/^See "svc deliveries show \w+"\nThe template names \{made\.up\} \{nobody\}, which this payload does not have\n$/,
	);
});

test('events of a code host above the rate: how to keep them is said until somebody has decided', async () => {
	await using home = await gatewayHome();
	const subscribe = async (...flags: readonly string[]) =>
		commandJson(['webhook', 'subscribe', 'gh', ...flags], {home: home.path});
	const advice =
		'--overflow queue keeps events above 30 a minute: code hosts never send again what is answered 429';
	expect(await subscribe('--events', 'push,pull_request')).toMatchObject({advice});
	const {stdout} = await command(['webhook', 'subscribe', 'gh'], {home: home.path});
	expect(stdout).toContain(`advice  ${advice}\n`);

	for (const overflow of ['reject', 'queue']) {
		// oxlint-disable-next-line no-await-in-loop -- in order
		expect(await subscribe('--overflow', overflow)).not.toHaveProperty('advice');
		// oxlint-disable-next-line no-await-in-loop -- in order
		expect((await entries(home)).gh.overflow).toBe(overflow);
	}

	const other = ['webhook', 'subscribe', 'other', '--events', 'invoice.paid'];
	expect(await commandJson(other, {home: home.path})).not.toHaveProperty('advice');
	const wrong = ['webhook', 'subscribe', 'gh', '--overflow', 'drop'];
	expect((await command(wrong, {home: home.path})).code).toBe(2);
});

test('a route that turned events away says so in the list and in the check, for an hour', async () => {
	await using home = await gatewayHome({
		subscriptions: {
			gh: {prompt: 'x'},
			queue: {prompt: 'x', overflow: 'queue'},
			calm: {prompt: 'x'},
		},
	});
	const now = systemClock.now();
	{
		await using store = await openSqliteStore({clock: systemClock}, {file: home.file('state.db')});
		for (const [route, ageMs] of [
			['gh', 1000],
			['gh', 2000],
			['gh', 3_700_000],
			['queue', 1000],
			['calm', 3_700_000],
		] as const) {
			const delivery = makeDelivery({
				route,
				outcome: 'rate',
				status: 429,
				receivedAt: now - ageMs,
			});
			// oxlint-disable-next-line no-await-in-loop -- in order
			await store.intake.record({delivery: {...delivery, headers: {}}, claim: false});
		}
	}

	const loss = 'loses events: 2 events answered 429 within the hour, overflow: queue keeps them';
	const list: ReadonlyArray<{name: string; loss?: string; day?: object}> = await commandJson(
		['webhook', 'list'],
		{home: home.path},
	);
	expect(list.map(({name, loss: said}) => [name, said])).toEqual([
		['gh', loss],
		['queue', undefined],
		['calm', undefined],
	]);
	expect(list.map(({day}) => day)).toEqual(
		[3, 1, 1].map(refused => ({taken: 0, ignored: 0, refused})),
	);
	const table = await command(['webhook', 'list'], {home: home.path});
	expect(table.stdout).toMatch(/NAME .* TAKEN +IGNORED +REFUSED /);
	expect(table.stdout).toMatch(/gh .* - +- +3 .*loses events: 2 events/);
	const check = await command(['config', 'check'], {home: home.path});
	expect(check).toMatchObject({code: 0, stderr: expect.stringContaining(`gh: ${loss}`)});
});

test('`--deliver-extra sticky=true` keeps one comment up to date; anything but true or false is refused', async () => {
	await using home = await gatewayHome();
	const subscribe = async (sticky: string) =>
		command(
			[
				'webhook',
				'subscribe',
				'hook',
				'--deliver',
				'forge_comment',
				'--deliver-extra',
				`sticky=${sticky}`,
			],
			{home: home.path},
		);
	expect((await subscribe('true')).code).toBe(0);
	expect((await entries(home)).hook.deliver_extra).toMatchObject({
		repo: '{repository.full_name}',
		sticky: 'true',
	});
	const refused = await subscribe('perhaps');
	expect(refused.code).toBe(1);
	expect(refused.stderr).toContain('deliver_extra.sticky is "perhaps" and must be true or false');
	expect((await entries(home)).hook.deliver_extra).toMatchObject({sticky: 'true'});
});
