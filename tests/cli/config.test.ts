import {mkdir, readdir} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command} from './command.ts';

test('"svc config path": the file of the home, and of the profile', async () => {
	await using home = await temporaryHome();
	const options = {home: home.path};
	expect((await command(['config', 'path'], options)).stdout).toBe(`${home.file('config.yaml')}\n`);
	await mkdir(home.file('profiles/work'), {recursive: true});
	expect((await command(['-p', 'work', 'config', 'path'], options)).stdout).toBe(
		`${home.file('profiles/work/config.yaml')}\n`,
	);
	expect(JSON.parse((await command(['config', 'path', '--json'], options)).stdout)).toEqual({
		home: home.path,
		profile: 'default',
		config: home.file('config.yaml'),
		env: home.file('.env'),
		subscriptions: home.file('webhook_subscriptions.json'),
		stateDb: home.file('state.db'),
		gatewayLog: home.file('logs/gateway.log'),
	});
	expect(await command(['-p', '../x', 'config', 'path'], options)).toMatchObject({
		code: 2,
		stdout: '',
		stderr: expect.stringContaining('(profile_invalid)'),
	});
});

test('a profile that is not there is named, with the nearest one, and not made', async () => {
	await using home = await temporaryHome();
	await mkdir(home.file('profiles/work'), {recursive: true});
	for (const words of [
		['config', 'path'],
		['webhook', 'subscribe', 'x'],
		['gateway', 'run'],
		['gateway'],
		[],
	]) {
		expect(await command(['-p', 'wrok', ...words], {home: home.path})).toMatchObject({
			code: 2,
			stdout: '',
			stderr: expect.stringMatching(
				/^svc: Cannot use profile "wrok", did you mean "work": there is no folder .*\(profile_not_found\)/,
			),
		});
	}

	expect(await readdir(home.file('profiles'))).toEqual(['work']);
	const made = ['-p', 'fresh', 'gateway', 'setup', '--port', '8700'];
	expect(await command(made, {home: home.path})).toMatchObject({code: 0});
	expect(await readdir(home.file('profiles'))).toEqual(['fresh', 'work']);
});

test('"svc config schema" prints a JSON Schema that knows every section', async () => {
	await using home = await temporaryHome();
	const {code, stdout} = await command(['config', 'schema'], {home: home.path});
	const schema = JSON.parse(stdout);
	expect(code).toBe(0);
	expect(Object.keys(schema.properties)).toEqual(
		expect.arrayContaining(['platforms', 'model', 'runs', 'forge', 'retention']),
	);
});

test('"an unknown key is reported with file, line, column, path and the nearest known name": an error in check', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'platforms:\n  webhook:\n    enabled: true\n    rate_limitt: 5\n',
	});
	const {code, stdout, stderr} = await command(['config', 'check'], {home: home.path});
	expect({code, stdout}).toEqual({code: 3, stdout: ''});
	expect(stderr).toBe(
		'error  config.yaml:4:5 platforms.webhook.rate_limitt: unknown key, did you mean "rate_limit"\n',
	);
	const checked = await command(['config', 'check', '--json'], {home: home.path});
	expect(checked.code).toBe(3);
	expect(JSON.parse(checked.stdout)).toMatchObject({
		ok: false,
		problems: [{file: home.file('config.yaml'), line: 4, column: 5}],
	});
});

test('a valid home, an empty one, and one whose subscriptions or secrets are wrong', async () => {
	await using home = await temporaryHome();
	const check = async () => command(['config', 'check'], {home: home.path});
	expect(await check()).toMatchObject({code: 0, stdout: expect.stringContaining('does not exist')});
	await home.write('config.yaml', 'platforms: {webhook: {enabled: true, host: 127.0.0.1}}\n');
	await home.write('webhook_subscriptions.json', '{"gh": {"secret": "abc"}}');
	expect(await check()).toMatchObject({code: 0, stdout: expect.stringContaining('1 route,')});
	await home.write('webhook_subscriptions.json', '{"gh": {}}');
	expect(await check()).toMatchObject({code: 3, stderr: expect.stringContaining('"gh"')});
	await home.write('webhook_subscriptions.json', 'nonsense');
	expect(await check()).toMatchObject({code: 3, stderr: expect.stringContaining('not JSON')});
	await home.write('webhook_subscriptions.json', '{}');
	await home.write('config.yaml', 'model: [\n');
	expect(await check()).toMatchObject({code: 3, stderr: expect.stringContaining('config.yaml:')});
});

test('jobs are checked too, and routes that fire one', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'platforms: {webhook: {enabled: true, host: 127.0.0.1}}\n',
		'webhook_subscriptions.json':
			'{"gh": {"secret": "abc", "cron_job": "nightly"}, "far": {"secret": "abc", "profile": "acme"}}',
	});
	await mkdir(home.file('cron'));
	const check = async () => command(['config', 'check'], {home: home.path});
	const missing = await check();
	expect(missing).toMatchObject({code: 0, stdout: expect.stringContaining('1 route,')});
	expect(missing.stderr).toContain('gh: fires nothing now: there is no job "nightly"');
	expect(missing.stderr).toMatch(/^warning .*far\.profile: .*multiplex_profiles/m);

	const job = {id: 'job_abcd1234', name: 'nightly', schedule: 'every 1h', prompt: 'x'};
	await home.write('cron/jobs.json', JSON.stringify({jobs: [{...job, paused: true}]}));
	expect((await check()).stderr).toContain('job "nightly" is paused');
	await home.write('cron/jobs.json', JSON.stringify({jobs: [job]}));
	expect((await check()).stderr).not.toContain('nightly');
	await home.write('cron/jobs.json', JSON.stringify({jobs: [{...job, schedule: 'soon'}]}));
	expect(await check()).toMatchObject({
		code: 3,
		stderr: expect.stringMatching(/^error .*nightly/m),
	});
	await home.write('cron/jobs.json', 'nonsense');
	const broken = await check();
	expect(broken).toMatchObject({code: 3, stderr: expect.stringContaining('jobs.json')});
	expect(broken.stderr).not.toContain('there is no job');
});

test('what a file holds that cannot be used is not said to be nothing', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'platforms: {webhook: {enabled: true, host: 127.0.0.1}}\n',
		'webhook_subscriptions.json': '{"gh": {"secret": "abc", "cron_job": "nightly"}}',
	});
	await mkdir(home.file('cron'));
	await home.write('cron/jobs.json', 'nonsense');
	const run = async (...args: readonly string[]) => command(args, {home: home.path});
	const lastGood = 'a running gateway goes on with the last good version';
	for (const args of [
		['cron', 'list'],
		['cron', 'show', 'nightly'],
		['runs', 'list', '--job', 'nightly'],
		['webhook', 'subscribe', 'x', '--cron-job', 'nightly'],
	]) {
		const {code, stdout, stderr} = await run(...args);
		expect({args, code, stdout}).toEqual({args, code: 1, stdout: ''});
		expect(stderr).toMatch(/Cannot use ".*jobs\.json": it is not JSON/);
		expect(stderr).not.toMatch(/No jobs yet|Cannot find/);
	}

	expect((await run('cron', 'list')).stderr).toContain(lastGood);
	expect(await run('webhook', 'list')).toMatchObject({
		stdout: expect.stringMatching(/may fire nothing: Cannot use ".*jobs\.json".*last good version/),
	});

	await home.write('webhook_subscriptions.json', '\nx');
	const {code, stdout, stderr} = await run('webhook', 'list');
	expect({code, stdout}).toEqual({code: 1, stdout: ''});
	expect(stderr).toMatch(/it is not JSON at line 2, column 1; its routes are not listed/);
	expect(stderr).toContain(lastGood);
	expect(stderr).not.toContain('No routes yet');
});

test('a rule of a route or a job that is nowhere is a warning, with the name that was meant', async () => {
	await using home = await temporaryHome({
		'config.yaml': `platforms: {webhook: {enabled: true, host: 127.0.0.1, routes: {static-one: {secret: abc}}}}
approvals:
  allow:
    - {route: gh-reviw, tool: x}
    - {route: static-one, tool: x}
    - {job: nightyl, tool: x}
    - {job: job_abcd1234, tool: x}
    - {job: nightly, profile: acme, tool: x}
`,
		'webhook_subscriptions.json': '{"gh-review": {"secret": "abc"}}',
	});
	await mkdir(home.file('cron'));
	const job = {id: 'job_abcd1234', name: 'nightly', schedule: 'every 1h', prompt: 'x'};
	await home.write('cron/jobs.json', JSON.stringify({jobs: [job]}));
	const check = async () => command(['config', 'check'], {home: home.path});
	const {code, stderr} = await check();
	expect(code).toBe(0);
	expect(stderr.split('\n').filter(line => line.includes('approvals.allow'))).toEqual([
		'warning  config.yaml approvals.allow: the rule of config.yaml:4 is for route gh-reviw, which does not exist: it allows nothing, did you mean gh-review',
		'warning  config.yaml approvals.allow: the rule of config.yaml:6 is for job nightyl, which does not exist: it allows nothing, did you mean nightly',
		'warning  config.yaml approvals.allow: the rule of config.yaml:8 is for job nightly of profile acme, which does not exist: it allows nothing',
	]);

	// What cannot be read may hold them all.
	await home.write('cron/jobs.json', 'nonsense');
	await home.write('webhook_subscriptions.json', 'nonsense');
	expect((await check()).stderr).not.toMatch(/approvals\.allow.*(?:gh-reviw|nightyl)/);
});

test('a command that reads the configuration refuses one that does not parse with 3, and works with one that has a slip', async () => {
	await using home = await temporaryHome({'config.yaml': 'runs: {concurrency: [\n'});
	const {code, stderr} = await command(['webhook', 'subscribe', 'gh'], {home: home.path});
	expect(code).toBe(3);
	expect(stderr).toContain('config.yaml:');
	await home.write('config.yaml', 'runs: {concurrency: lots}\n');
	expect((await command(['webhook', 'subscribe', 'gh'], {home: home.path})).code).toBe(0);
	expect(await command(['config', 'check'], {home: home.path})).toMatchObject({
		code: 3,
		stderr: expect.stringContaining('config.yaml:1:21 runs.concurrency'),
	});
});

test('"svc keymap": the key bindings as Markdown', async () => {
	await using home = await temporaryHome();
	const {code, stdout} = await command(['keymap'], {home: home.path});
	expect(code).toBe(0);
	expect(stdout).toMatch(/^\|.*\|$/m);
	expect(stdout).toMatch(/\bquit\b/);
});

test.for([
	[['nonsense'], /unknown command "nonsense"/],
	// What "svc gateway" does by itself is not what was wanted.
	[['status'], /unknown command "status", did you mean "gateway status" or "mcp status"/],
	[['subscribe'], /did you mean "webhook subscribe"/],
	[['list'], /unknown command "list"\n/],
	[['allow'], /unknown command "allow"\n/],
	[['gateway', 'stpo'], /unknown command "stpo", did you mean "stop"/],
	[['webhook', 'sub', 'x'], /unknown command "sub", did you mean "subscribe"/],
	[['webhook', 'lst'], /unknown command "lst", did you mean "list"/],
	[['keys', 'create', 'mine'], /too many words: to call the key so, use --name mine/],
	[['keys', 'create', 'my', 'key'], /too many words: to call the key so, use --name "my key"/],
	[['gateway', 'status', 'now'], /too many arguments/],
	[['runs', 'list', 'all'], /too many arguments/],
	[['gatewy'], /did you mean "gateway"/],
	[['--nonsense'], /unknown option '--nonsense'/],
	[['runs', 'show'], /missing required argument/],
	[['runs', 'show', 'seven'], /whole number/],
	[['runs', 'list', '--limit', '0'], /whole number/],
	[['webhook'], /Usage: svc webhook/],
	[['gateway', 'setup'], /--enable/],
	[['--output', 'xml'], /Allowed choices/],
] as const)('"2 wrong usage": svc %j says so on stderr', async ([args, words]) => {
	await using home = await temporaryHome();
	const {code, stdout, stderr} = await command(args, {home: home.path});
	expect({code, stdout}).toEqual({code: 2, stdout: ''});
	expect(stderr).toMatch(words);
});

test('help and version are results', async () => {
	await using home = await temporaryHome();
	expect(await command(['--version'], {home: home.path})).toMatchObject({
		code: 0,
		stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
		stderr: '',
	});
	for (const args of [['--help'], ['gateway', '--help'], ['webhook', 'subscribe', '--help']]) {
		expect(await command(args, {home: home.path})).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('Usage: svc'),
		});
	}
});

test('"with no terminal it prints a hint naming svc gateway run and exits 2", and writes nothing', async () => {
	await using home = await temporaryHome();
	expect(await command([], {home: home.file('new')})).toMatchObject({
		code: 2,
		stdout: '',
		stderr: expect.stringContaining('svc gateway run'),
	});
	await expect(home.read('new/config.yaml')).rejects.toThrow('ENOENT');
});

test('"svc gateway setup" writes what its flags name and keeps comments and order', async () => {
	await using home = await temporaryHome({
		'config.yaml': '# mine\nmodel: {provider: offline} # no model yet\n',
	});
	const {code, stdout} = await command(
		['gateway', 'setup', '--enable', '--host', '127.0.0.1', '--port', '9000', '--secret', 's3cret'],
		{home: home.path},
	);
	expect(code).toBe(0);
	expect(stdout).not.toContain('s3cret');
	const text = await home.read('config.yaml');
	expect(text).toMatch(/^# mine\nmodel: \{provider: offline\} # no model yet\n/);
	expect(text).toMatch(
		/webhook:\n +enabled: true\n +host: 127\.0\.0\.1\n +port: 9000\n +secret: s3cret\n/,
	);
	expect((await command(['config', 'check'], {home: home.path})).code).toBe(0);
	expect(stdout).toContain('Where:  senders post to http://127.0.0.1:9000/webhooks/NAME\n');
});

test('"when the same key appears in both, the `extra` value wins": setup writes it there', async () => {
	const text =
		'platforms:\n  webhook:\n    extra:\n      port: 8700 # here\n      secret: a-long-old-secret\n';
	await using home = await temporaryHome({'config.yaml': text});
	const flags = ['--enable', '--port', '8800', '--secret', 'another-long-secret'];
	const {stdout} = await command(['gateway', 'setup', ...flags], {home: home.path});
	expect(stdout).toContain('Wrote platforms.webhook.enabled, platforms.webhook.extra.port, ');
	expect(stdout).toContain('http://127.0.0.1:8800/webhooks/NAME');
	expect(await home.read('config.yaml')).toBe(
		`${text.replace('8700', '8800').replace('a-long-old-secret', 'another-long-secret')}    enabled: true\n`,
	);
});

test('"svc gateway setup --secret" says that it replaces a secret, and that senders must change theirs', async () => {
	await using home = await temporaryHome();
	const setup = async (secret: string) =>
		command(['gateway', 'setup', '--secret', secret], {home: home.path});
	const replaced = 'the old secret is replaced: change it at each sender that signs with it, too\n';
	expect(await setup('long-enough-secret')).toMatchObject({code: 0, stderr: ''});
	expect(await setup('long-enough-secret')).toMatchObject({code: 0, stderr: ''});
	expect(await setup('another-long-secret')).toMatchObject({code: 0, stderr: replaced});
	await home.write('.env', 'WEBHOOK_SECRET=another-long-secret\n');
	// Only the place of the secret changes.
	expect(await setup('${WEBHOOK_SECRET}')).toMatchObject({code: 0, stderr: ''});
});

test('a home that cannot be used is said in one line', async () => {
	await using home = await temporaryHome({file: 'not a folder'});
	await mkdir(home.file('ok'));
	for (const args of [['gateway', 'run'], ['gateway'], ['webhook', 'subscribe', 'gh']]) {
		const {code, stderr} = await command(args, {home: home.file('file')});
		expect(code).toBe(1);
		expect(stderr).toMatch(/^svc: Cannot .*file.*\n$/);
		expect(stderr).not.toContain('    at ');
	}
});

test('a key without a value is named in both files, and is no error', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'platforms: {webhook: {routes: {r: {secret: abcdefgh, events: null}}}}\n',
		'webhook_subscriptions.json': '{"gh": {"secret": "abcdefgh", "events": null}}',
	});
	expect(await command(['config', 'check'], {home: home.path})).toMatchObject({
		code: 0,
		stdout: expect.stringContaining('2 routes, 2 warnings'),
		stderr: [
			'warning  config.yaml:1:54 platforms.webhook.routes.r.events: has no value, which is the same as no such key: give it one or remove it\n',
			'warning  webhook_subscriptions.json:1:41 gh.events: has no value, which is the same as no such key: give it one or remove it\n',
		].join(''),
	});
});

test('a misspelt key of a subscription is an error in check, and a warning where it is served', async () => {
	await using home = await temporaryHome({
		'config.yaml': 'platforms: {webhook: {enabled: true, host: 127.0.0.1}}\n',
		'webhook_subscriptions.json': JSON.stringify({
			gh: {secret: 'long-enough', overflw: 'queue', coalesce: {key: 'a', windw_seconds: 3}},
		}),
	});
	const checked = await command(['config', 'check'], {home: home.path});
	expect(checked).toEqual({
		code: 3,
		stdout: '',
		stderr: [
			'error  webhook_subscriptions.json:1:41 gh.overflw: unknown key, did you mean "overflow"\n',
			'error  webhook_subscriptions.json:1:87 gh.coalesce.windw_seconds: unknown key, did you mean "window_seconds"\n',
		].join(''),
	});
	const changed = await command(['webhook', 'subscribe', 'gh', '--prompt', 'x'], {
		home: home.path,
	});
	expect(changed.code).toBe(0);
	expect(changed.stderr).toContain('gh.overflw: unknown key, did you mean "overflow"');
});
