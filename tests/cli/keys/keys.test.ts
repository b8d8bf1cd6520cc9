import {expect, test} from 'vitest';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {startTestGateway} from '../../helpers/gateway.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {command, commandJson} from '../command.ts';

const now = Date.parse('2026-11-23T12:00:00Z');

async function world() {
	const home = await temporaryHome();
	const context = {home: home.path, clock: createFakeClock(now)};
	return {
		run: async (...args: readonly string[]) => command(['keys', ...args], context),
		json: async (...args: readonly string[]) => commandJson(['keys', ...args], context),
		[Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
	};
}

test('a key is printed once, alone on its line, and listed by its ends', async () => {
	await using home = await world();
	const {code, stdout, stderr} = await home.run('create', '--name', 'laptop');
	expect(code).toBe(0);
	expect(stdout).toMatch(/^svc_live_[0-9A-Za-z]{36}\n$/);
	expect(stderr).toMatch(/^key_[0-9A-Za-z]{12}: this key is shown once, keep it\n$/);
	const listed = await home.run('list');
	expect(listed.stdout).toContain('laptop');
	expect(listed.stdout).toContain(`${stdout.slice(0, 13)}…${stdout.trim().slice(-4)}`);
	expect(listed.stdout).not.toContain(stdout.trim());
	expect(JSON.stringify(await home.json('list'))).not.toContain(stdout.trim().slice(-12));
});

test('without more words a key has chat, responses and models, of all models, and agents may act for it', async () => {
	await using home = await world();
	const created = await home.json('create');
	expect(created).toEqual({
		id: expect.stringMatching(/^key_[0-9A-Za-z]{12}$/),
		key: expect.stringMatching(/^svc_live_/),
	});
	expect(await home.json('list')).toEqual([
		{
			id: created.id,
			name: '',
			kind: 'live',
			hint: expect.any(String),
			endpoints: ['chat', 'responses', 'models'],
			models: ['*'],
			agents: true,
			createdAt: now,
			usage: {
				day: {requests: 0, inputTokens: 0, outputTokens: 0},
				period: {requests: 0, inputTokens: 0, outputTokens: 0},
				all: {requests: 0, inputTokens: 0, outputTokens: 0},
			},
		},
	]);
});

test('every bound can be given', async () => {
	await using home = await world();
	const {key} = await home.json(
		'create',
		'--test',
		'--models',
		'svc-*,other',
		'--endpoints',
		'chat,approvals',
		'--agents',
		'no',
		'--rpm',
		'60',
		'--parallel',
		'2',
		'--budget',
		'100000/week',
		'--expires',
		'2026-12-31',
	);
	expect(key).toMatch(/^svc_test_/);
	expect(await home.json('list')).toMatchObject([
		{
			kind: 'test',
			endpoints: ['chat', 'approvals'],
			models: ['svc-*', 'other'],
			agents: false,
			rpm: 60,
			parallel: 2,
			budget: {tokens: 100_000, per: 'week'},
			// The end of that day, by UTC.
			expiresAt: Date.parse('2027-01-01T00:00:00Z'),
		},
	]);
	expect((await home.run('list')).stdout).toContain('until 2026-12-31');
});

test.each([
	[['--expires', '2026-11-22'], 'passed'],
	[['--expires', '2026-11-23T11:59:59Z'], 'passed'],
	[['--expires', '2026-02-30'], 'Use a day'],
	[['--expires', 'soon'], 'Use a day'],
	[['--budget', '0/day'], 'Use tokens'],
	[['--budget', '100/year'], 'Use tokens'],
	[['--endpoints', 'chat,everything'], 'Use some of'],
	[['--agents', 'maybe'], 'yes, no'],
	[['--rpm', '0'], 'whole number'],
	[['--name', 'x'.repeat(65)], '64 characters'],
])('%j is refused with 2, and no key is made', async (words, said) => {
	await using home = await world();
	const {code, stderr, stdout} = await home.run('create', ...words);
	expect({code, stdout}).toEqual({code: 2, stdout: ''});
	expect(stderr).toContain(said);
	expect(await home.json('list')).toEqual([]);
});

test('a day lasts to its end by UTC: today is not over', async () => {
	await using home = await world();
	expect((await home.run('create', '--expires', '2026-11-23')).code).toBe(0);
});

test('a key is rotated under its identifier, and revoked', async () => {
	await using home = await world();
	const {id, key} = await home.json('create');
	const rotated = await home.json('rotate', id, '--overlap', '1h');
	expect(rotated).toEqual({id, key: expect.not.stringMatching(key)});
	expect((await home.run('list')).stdout).toContain('rotating until 2026-11-23 13:00Z');
	expect((await home.run('revoke', id)).stdout).toMatch(/^Revoked key_/);
	expect((await home.run('list')).stdout).toContain('revoked');
	expect(await home.run('rotate', id)).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('no key in force has that identifier or name'),
	});
	expect((await home.run('revoke', 'key_never')).code).toBe(1);
});

test('a key is shown, rotated and revoked by its name, where one key alone has it', async () => {
	await using home = await world();
	const {id} = await home.json('create', '--name', 'laptop');
	const others = [
		await home.json('create', '--name', 'ci'),
		await home.json('create', '--name', 'ci'),
	];
	expect((await home.run('show', 'laptop')).stdout).toContain(id);
	expect(await home.json('rotate', 'laptop')).toMatchObject({id});
	expect(await home.json('revoke', 'laptop')).toMatchObject({id});
	for (const verb of ['show', 'rotate', 'revoke']) {
		// oxlint-disable-next-line no-await-in-loop -- one command after the other
		expect(await home.run(verb, 'ci')).toMatchObject({
			code: 1,
			stdout: '',
			stderr: `svc: Cannot tell which key "ci" is meant: use ${others[0].id} or ${others[1].id} (key_ambiguous)\n`,
		});
	}

	expect(await home.run('revoke', 'nobody')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('no key in force has that identifier or name'),
	});
	expect(await home.json('revoke', others[0].id)).toMatchObject({id: others[0].id});
});

test('a running gateway heeds a change at once, and where it serves is said', async () => {
	await using gateway = await startTestGateway({config: {api: {enabled: true, port: 0}}});
	await gateway.until(({api}) => api?.state === 'listening');
	const said = await command(['keys', 'create', '--name', 'first'], {home: gateway.home.path});
	expect(said.stderr).toMatch(/The chat API: http:\/\/127\.0\.0\.1:\d+\/v1/);
	const [{id: first} = {id: ''}] = await gateway.port.listKeys();
	await gateway.port.revokeKey(first);
	const context = {home: gateway.home.path};
	const {id} = await commandJson(['keys', 'create', '--name', 'ci'], context);
	expect(await gateway.port.listKeys()).toMatchObject([{name: 'first'}, {id, name: 'ci'}]);
	await commandJson(['keys', 'revoke', id], context);
	expect(await gateway.port.listKeys()).toMatchObject([
		{name: 'first'},
		{id, revokedAt: expect.any(Number)},
	]);
});

test('keys that are made at the same time are all made, one after the other', async () => {
	await using home = await temporaryHome();
	const context = {home: home.path};
	const made = await Promise.all(
		['a', 'b', 'c'].map(async name => commandJson(['keys', 'create', '--name', name], context)),
	);
	const listed = (await commandJson(['keys', 'list'], context)) as ReadonlyArray<{id: string}>;
	expect(new Set(listed.map(({id}) => id))).toEqual(
		new Set(made.map((one: {id: string}) => one.id)),
	);
	expect(listed).toHaveLength(3);
});

test('a key can be ended without a gateway while config.yaml cannot be read; none is made then', async () => {
	await using home = await temporaryHome();
	const context = {home: home.path};
	const {id} = await commandJson(['keys', 'create'], context);
	await home.write('config.yaml', 'api: [');
	expect(await command(['keys', 'create'], context)).toMatchObject({
		code: 3,
		stdout: '',
		stderr: expect.stringMatching(
			/^svc: Cannot read the configuration: config\.yaml:\d+:\d+: .*\(config_refused\)\n$/,
		),
	});
	expect(await commandJson(['keys', 'revoke', id], context)).toMatchObject({
		id,
		revokedAt: expect.any(Number),
	});
});
