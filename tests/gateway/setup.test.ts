import {readFileSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {systemClock} from '../../source/core/clock.ts';
import {connectGateway} from '../../source/gateway/control/remote-port.ts';
import {startTestGateway} from '../helpers/gateway.ts';

const oldSecret = 'the-secret-that-was-there';

const yaml = `# mine
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1 # this machine
    port: 0
    secret: ${oldSecret} # of all
    routes:
      # reviews
      other: {prompt: hi}
model: {provider: offline}
`;

test('a plan shows what changes without a secret, and writes nothing', async () => {
	await using gateway = await startTestGateway({config: yaml});
	const plan = await gateway.port.planSetup({
		secret: 'another-long-secret',
		route: {name: 'first', events: ['push'], prompt: 'Look at {number}'},
	});

	expect(plan).toMatchObject({
		problems: [],
		warnings: [expect.stringContaining('the old secret is replaced')],
		restartNeeded: [],
	});
	const diff = plan.diff.join('\n');
	expect(diff).toMatch(/^\+ +secret: .*<hidden>|new secret, 19 bytes/m);
	expect(diff).toMatch(/^\+ +first:$/m);
	expect(diff).toMatch(/^\+ +prompt: Look at \{number\}$/m);
	expect(diff).not.toMatch(/another-long-secret|the-secret-that-was-there/);
	expect(readFileSync(gateway.paths.config, 'utf8')).toBe(yaml);
});

test('what is written keeps comments, serves the route, and says what waits for a restart', async () => {
	await using gateway = await startTestGateway({config: yaml});
	const {fingerprint} = await gateway.port.planSetup({port: 1});
	const written = await gateway.port.setUp({
		port: 1,
		makeSecret: true,
		route: {name: 'first', events: ['push']},
		fingerprint,
	});

	expect(written.restartNeeded).toEqual(['platforms.webhook.port']);
	expect(written.secret).toMatch(/^[\w-]{43}$/);
	const text = readFileSync(gateway.paths.config, 'utf8');
	expect(text).toContain('# mine\n');
	expect(text).toContain('host: 127.0.0.1 # this machine\n    port: 1\n');
	expect(text).toContain(`secret: ${written.secret} # of all\n`);
	expect(text).toContain('# reviews\n      other: {prompt: hi}\n');
	expect(gateway.port.getState().routes.map(({name}) => name)).toContain('first');
});

test('what the receiver would not serve, a name that is taken, and a file that changed are refused', async () => {
	await using gateway = await startTestGateway({config: yaml});
	const {port, paths} = gateway;
	const plan = await port.planSetup({route: {name: 'other'}});
	expect(plan.problems).toEqual(['there is a route "other" already: choose another name']);
	for (const name of ['other', 'A Name']) {
		// oxlint-disable-next-line no-await-in-loop -- one file
		await expect(port.setUp({route: {name}})).rejects.toMatchObject({code: 'setup_refused'});
	}

	await expect(port.setUp({secret: ''})).rejects.toMatchObject({code: 'setup_refused'});
	await expect(port.setUp({port: 1, fingerprint: 'old'})).rejects.toMatchObject({
		code: 'setup_conflict',
	});
	expect(readFileSync(paths.config, 'utf8')).toBe(yaml);
	writeFileSync(paths.config, 'platforms: [');
	await expect(port.planSetup({port: 1})).rejects.toMatchObject({code: 'config_broken'});
});

test('it goes the same way for a face that is attached', async () => {
	await using gateway = await startTestGateway({config: yaml});
	await using attached = await connectGateway({clock: systemClock}, gateway.paths);
	const plan = await attached.planSetup({host: '::1'});
	expect(plan.restartNeeded).toEqual(['platforms.webhook.host']);
	await attached.setUp({host: '::1', fingerprint: plan.fingerprint});
	expect(readFileSync(gateway.paths.config, 'utf8')).toContain('host: ::1 # this machine\n');
});

test('a platform is set up with comments kept, without its secrets in the diff, and is asked at once', async () => {
	await using gateway = await startTestGateway({config: yaml});
	const draft = {
		platform: {
			name: 'telegram',
			settings: {
				bot_token: '123:a-token-of-a-bot-0123',
				api_base: 'http://127.0.0.1:9',
				home_channel: '-1001',
			},
		},
	};
	const plan = await gateway.port.planSetup(draft);
	expect(plan).toMatchObject({problems: [], restartNeeded: []});
	expect(plan.diff.join('\n')).toMatch(/^\+ +home_channel: "-1001"$/m);
	expect(plan.diff.join('\n')).not.toContain('a-token-of-a-bot');
	await gateway.port.setUp({...draft, fingerprint: plan.fingerprint});

	const text = readFileSync(gateway.paths.config, 'utf8');
	expect(text).toContain('# mine\n');
	expect(text).toContain('bot_token: 123:a-token-of-a-bot-0123\n');
	await gateway.until(({platforms}) =>
		platforms.some(({name, state}) => name === 'telegram' && state === 'failed'),
	);
});

test.for([
	[{name: 'telgram', settings: {}}, /there is no platform "telgram"/],
	[{name: 'telegram', settings: {bot_token: 7}}, /platforms\.telegram\.bot_token/],
	[{name: 'telegram', settings: {api_base: 'http://example.org'}}, /must begin with https/],
] as const)('a platform as %j is refused, and nothing is written', async ([platform, said]) => {
	await using gateway = await startTestGateway({config: yaml});
	const draft = {platform: structuredClone(platform)};
	expect((await gateway.port.planSetup(draft)).problems).toEqual([expect.stringMatching(said)]);
	await expect(gateway.port.setUp(draft)).rejects.toMatchObject({code: 'setup_refused'});
	expect(readFileSync(gateway.paths.config, 'utf8')).toBe(yaml);
});

const oldHook = 'https://example.org/hooks/old-0123456789abcdef';

test('a platform that is there keeps what the draft does not name, and no address of a webhook is in the diff', async () => {
	await using gateway = await startTestGateway({
		config: {
			platforms: {
				teams: {enabled: true, webhooks: {ops: {url: oldHook}}, home_channel: 'ops'},
				email: {from: 'a@example.org', smtp: {host: 'old.example.org', port: 2525, secure: true}},
				googlechat: {service_account: '/etc/key.json'},
			},
		},
	});
	const url = 'https://example.org/hooks/new-0123456789abcdef';
	const account = {client_email: 'a@example.org', private_key: 'a-private-key-of-google'};
	const draft = {platform: {name: 'teams', settings: {webhooks: {main: {url}}}}};
	const {diff} = await gateway.port.planSetup(draft);
	expect(diff.join('\n')).toContain('main');
	expect(diff.join('\n')).not.toMatch(/0123456789abcdef/);
	const drafts = [
		draft,
		{platform: {name: 'email', settings: {smtp: {host: 'new.example.org'}}}},
		// A mapping takes the place of a path.
		{platform: {name: 'googlechat', settings: {service_account: account}}},
	];
	for (const one of drafts) {
		// oxlint-disable-next-line no-await-in-loop -- one file
		await gateway.port.setUp(one);
	}

	expect(parse(readFileSync(gateway.paths.config, 'utf8'))).toMatchObject({
		platforms: {
			teams: {webhooks: {ops: {url: oldHook}, main: {url}}, home_channel: 'ops'},
			email: {enabled: true, smtp: {host: 'new.example.org', port: 2525, secure: true}},
			googlechat: {service_account: account},
		},
	});
});

test('a reference is shown in the diff, and what it stands for is not', async () => {
	await using gateway = await startTestGateway({
		config: {platforms: {teams: {webhooks: {ops: {url: oldHook}}}}},
		environment: {PATH: process.env['PATH'] ?? '', OPS_HOOK: oldHook},
	});
	const {diff} = await gateway.port.planSetup({
		// oxlint-disable-next-line no-template-curly-in-string -- a reference
		platform: {name: 'teams', settings: {webhooks: {ops: {url: '${OPS_HOOK}'}}}},
	});
	// oxlint-disable-next-line no-template-curly-in-string -- a reference
	expect(diff.join('\n')).toContain('${OPS_HOOK}');
	expect(diff.join('\n')).not.toContain('0123456789abcdef');
});

test.for([
	['feishu', {}, /platforms\.feishu lacks "app_id" and "app_secret", or "webhooks"/],
	['feishu', {app_id: 'cli_a'}, /platforms\.feishu lacks "app_secret"/],
	['email', {from: 'a@example.org'}, /platforms\.email lacks "smtp\.host"/],
	['signal', {}, /platforms\.signal\.number/],
] as const)('%s with %j is incomplete, which the plan says', async ([name, settings, said]) => {
	await using gateway = await startTestGateway({
		config: {platforms: {signal: {number: 'none'}}},
	});
	const draft = {platform: {name, settings: {...settings}}};
	const before = readFileSync(gateway.paths.config, 'utf8');
	expect((await gateway.port.planSetup(draft)).problems).toEqual([expect.stringMatching(said)]);
	await expect(gateway.port.setUp(draft)).rejects.toMatchObject({
		code: 'setup_refused',
		message: expect.stringContaining(`Cannot set up ${name}: `),
	});
	expect(readFileSync(gateway.paths.config, 'utf8')).toBe(before);
});
