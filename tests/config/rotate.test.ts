import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {rotateRouteSecret} from '../../source/config/rotate-route.ts';
import {rotateSubscription} from '../../source/config/rotate-secret.ts';
import {buildRouteTable} from '../../source/config/route-table.ts';
import {systemClock} from '../../source/core/clock.ts';
import {codeOf, messageOf} from '../../source/core/errors.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {configOf, createTemporaryHome, type TemporaryHome} from './temporary-home.ts';

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 5, 1);
const tomorrow = '2026-06-02T00:00:00.000Z';
const to = {secret: 'new', now, overlapMs: day};

const entryAfter = (entry: JsonObject, rotation: Partial<typeof to> = {}) => {
	const rotated = rotateSubscription(entry, {...to, ...rotation});
	return rotated.ok ? rotated.entry : rotated.reason;
};

test.for([
	[{secret: 'old'}, [{secret: 'old', until: tomorrow}]],
	[
		{secret: ['a', 'b']},
		[
			{secret: 'a', until: tomorrow},
			{secret: 'b', until: tomorrow},
		],
	],
	[
		{secret: 'old', retired_secrets: [{secret: 'older', until: '2026-05-31T00:00:00Z'}]},
		[
			{secret: 'old', until: tomorrow},
			{secret: 'older', until: '2026-05-31T00:00:00Z'},
		],
	],
	// Back and forth: what is used again, or retired again, stands there once.
	[
		{
			secret: 'old',
			retired_secrets: [
				{secret: 'new', until: tomorrow},
				{secret: 'old', until: '2026-06-01T00:00:00Z'},
			],
		},
		[{secret: 'old', until: tomorrow}],
	],
	// 30 days after it was over it is forgotten.
	[
		{
			secret: 'old',
			retired_secrets: [
				{secret: 'x', until: '2026-05-02T00:00:00Z'},
				{secret: 'y', until: '2026-05-01T23:59:59Z'},
			],
		},
		[
			{secret: 'old', until: tomorrow},
			{secret: 'x', until: '2026-05-02T00:00:00Z'},
		],
	],
] as const)('%j keeps what it replaces for a while', ([entry, retired]) => {
	expect(entryAfter({prompt: 'p', ...entry})).toEqual({
		prompt: 'p',
		secret: 'new',
		rotated_on: '2026-06-01',
		retired_secrets: retired,
	});
});

test('nothing that was replaced before outlasts the overlap: without one the new secret is the only one', () => {
	const entry = {
		secret: 'old',
		retired_secrets: [{secret: 'older', until: tomorrow}],
	};
	const today = '2026-06-01T00:00:00.000Z';
	expect(entryAfter(entry, {overlapMs: 0})).toEqual({
		secret: 'new',
		rotated_on: '2026-06-01',
		retired_secrets: [
			{secret: 'old', until: today},
			{secret: 'older', until: today},
		],
	});
});

test('the literal that switches validation off is replaced and never kept', () => {
	expect(entryAfter({secret: 'INSECURE_NO_AUTH'})).toEqual({
		secret: 'new',
		rotated_on: '2026-06-01',
	});
	expect(rotateSubscription({secret: ['INSECURE_NO_AUTH', 'a']}, to)).toMatchObject({
		kept: 1,
		entry: {retired_secrets: [{secret: 'a'}]},
	});
});

test('without an overlap the old secret passes no more, and only explains refusals', () => {
	expect(rotateSubscription({secret: 'old'}, {...to, overlapMs: 0})).toMatchObject({
		kept: 0,
		entry: {retired_secrets: [{secret: 'old', until: '2026-06-01T00:00:00.000Z'}]},
	});
});

/** `entry` after as many rotations, one each `stepMs`. */
function rotatedOften(count: number, stepMs: number): JsonObject {
	let entry: JsonObject = {secret: 'first'};
	for (let index = 0; index < count; index += 1) {
		const rotated = rotateSubscription(entry, {
			...to,
			secret: `s${index}`,
			now: now + index * stepMs,
		});
		if (!rotated.ok) {
			throw new Error(`${index}: ${rotated.reason}`);
		}

		entry = rotated.entry;
	}

	return entry;
}

const secretsAfter = ({retired_secrets: retired}: JsonObject) =>
	(retired as readonly JsonObject[]).map(({secret}) => secret);

test('however often it is done, the list is bounded: what is over since longest is dropped', () => {
	const entry = rotatedOften(100, day);
	expect(entry['secret']).toBe('s99');
	expect(entry['retired_secrets']).toHaveLength(20);
	expect(secretsAfter(entry).slice(0, 2)).toEqual(['s98', 's97']);
});

test('no secret that was promised to pass is dropped: while 20 of them do, a rotation is refused', () => {
	const entry = rotatedOften(20, 1);
	expect(secretsAfter(entry).at(-1)).toBe('first');
	expect(entryAfter(entry, {now: now + 20})).toBe(
		'would have 21 earlier secrets that still pass, at most 20 can: wait, or rotate without an overlap, which ends them all',
	);
	const ended = rotateSubscription(entry, {...to, now: now + 20, overlapMs: 0});
	expect(ended).toMatchObject({ok: true, kept: 0});
	const next = rotateSubscription(entry, {...to, now: now + day});
	const kept = secretsAfter(next.ok ? next.entry : {});
	expect([kept.length, kept[0], kept.at(-1)]).toEqual([20, 's19', 's0']);
});

test('what is over makes room for what still passes, wherever it stands', () => {
	const until = (text: string) => (_: unknown, index: number) => ({
		secret: `x${index}`,
		until: text,
	});
	const over = Array.from({length: 15}, until('2026-05-30T00:00:00Z'));
	const alive = {secret: 'alive', until: tomorrow};
	const entry = {secret: ['a', 'b', 'c', 'd', 'e', 'f'], retired_secrets: [...over, alive]};
	const {retired_secrets: kept} = entryAfter(entry) as {retired_secrets: readonly unknown[]};
	expect(kept).toHaveLength(20);
	expect(kept).toContainEqual(alive);
});

test('a secret that is made has the form of the old one', () => {
	const made = (secret: string) => {
		const rotated = rotateSubscription({secret}, {now, overlapMs: day});
		return rotated.ok ? rotated.secret : rotated.reason;
	};

	expect(made('plain')).toMatch(/^[\w-]{43}$/);
	expect(made('plain')).not.toBe(made('plain'));
	expect(made('whsec_AAAA')).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test.for([
	[{}, {}, 'no secret of its own'],
	[{secret: ''}, {}, 'no secret of its own'],
	[{secret: 7}, {}, 'no secret of its own'],
	[{secret: '${HOOK}'}, {}, 'takes its secret from ${HOOK}: change the variable in .env'],
	[{secret: ['a', 'x${env:HOOK}']}, {}, 'takes its secret from ${env:HOOK}'],
	[{secret: 'old'}, {overlapMs: -1}, '0 to 30 days'],
	[{secret: 'old'}, {overlapMs: 31 * day}, '0 to 30 days'],
	[{secret: 'old'}, {overlapMs: Number.NaN}, '0 to 30 days'],
	[{secret: 'old'}, {secret: 'old'}, 'has this secret already'],
	[{secret: ['x', 'old']}, {secret: 'old'}, 'has this secret already'],
	[{secret: 'old'}, {secret: ' '}, 'this is none'],
	[{secret: 'old'}, {secret: 'INSECURE_NO_AUTH'}, 'this is none'],
	[{secret: 'old'}, {secret: 'whsec_?'}, 'cannot be given a secret with "whsec_"'],
	[{secret: 'old', signature: 'stripe'}, {secret: undefined}, 'give the new one with --secret'],
	[
		{secret: 'old', signature: {preset: 'stripe', header: 'X-Sig'}},
		{secret: undefined},
		'give the new one with --secret',
	],
	[{secret: 'whpk_x'}, {secret: undefined}, 'give the new one with --secret'],
] as const)('%j with %j is refused: %s', ([entry, rotation, reason]) => {
	expect(entryAfter(entry as never, rotation as never)).toContain(reason);
});

test('a new secret may be a reference, and one of a sender with a scheme of its own is taken as it is', () => {
	expect(entryAfter({secret: 'old'}, {secret: 'whsec_${HOOK}'})).toMatchObject({
		secret: 'whsec_${HOOK}',
	});
	expect(entryAfter({secret: 'old', signature: 'stripe'}, {secret: 'whsec_a_b'})).toMatchObject({
		secret: 'whsec_a_b',
	});
});

const rotate = async (home: TemporaryHome, name: string, secret?: string) =>
	rotateRouteSecret(configOf(home.load()), name, {
		overlapMs: day,
		clock: {...systemClock, now: () => now},
		...(secret !== undefined && {secret}),
	});

test('a subscription is changed in its file, and nothing else in it', async () => {
	using home = createTemporaryHome();
	const entries = {a: {secret: 'old', prompt: 'p', unknown: [1]}, b: {secret: 'other'}};
	writeFileSync(home.paths.subscriptions, JSON.stringify(entries));
	expect(await rotate(home, 'a', 'new')).toEqual({
		source: 'dynamic',
		secret: 'new',
		kept: 1,
		until: now + day,
	});
	const written: unknown = JSON.parse(readFileSync(home.paths.subscriptions, 'utf8'));
	expect(written).toEqual({
		...entries,
		a: {
			...entries.a,
			secret: 'new',
			rotated_on: '2026-06-01',
			retired_secrets: [{secret: 'old', until: tomorrow}],
		},
	});
	expect(statSync(home.paths.subscriptions).mode & 0o777).toBe(0o600);
	const {routes} = buildRouteTable(configOf(home.load()), {entries: written as never});
	expect(routes.get('a')).toMatchObject({
		secrets: ['new'],
		retiredSecrets: [{secret: 'old', until: now + day}],
	});
});

const written = `# head
platforms:
  webhook:
    host: 127.0.0.1 # here alone
    routes:
      # the first
      a:
        events: [push]
        secret: old # from the sender
        # what it does
        prompt: hello

      # the second
      b: {secret: "\${HOOK}"}
      c: {secret: [x, y], prompt: flow} # beside
      d: {}
`;

test('"Edits the program makes to `config.yaml` keep the user\'s comments and order": a static route', async () => {
	using home = createTemporaryHome();
	home.load({config: written, env: 'HOOK=h\nWEBHOOK_SECRET=g'});
	expect(await rotate(home, 'a', 'new: one')).toMatchObject({source: 'static', secret: 'new: one'});
	expect(readFileSync(home.paths.config, 'utf8')).toBe(
		written
			.replace('secret: old #', 'secret: "new: one" #')
			.replace(
				'        prompt: hello\n',
				`        prompt: hello\n        retired_secrets:\n          - secret: old\n            until: ${tomorrow}\n`,
			),
	);
	await rotate(home, 'c');
	const text = readFileSync(home.paths.config, 'utf8');
	for (const comment of [
		'head',
		'here alone',
		'the first',
		'from the sender',
		'what it does',
		'the second',
		'beside',
	]) {
		expect(text).toContain(`# ${comment}`);
	}

	expect(parse(text)).toMatchObject({
		platforms: {
			webhook: {
				routes: {
					c: {
						secret: expect.stringMatching(/^[\w-]{43}$/),
						prompt: 'flow',
						retired_secrets: [{secret: 'x'}, {secret: 'y'}],
					},
				},
			},
		},
	});
	expect(configOf(home.load()).webhook.routes.get('a')).toMatchObject({
		secrets: ['new: one'],
		retiredSecrets: [{secret: 'old', until: now + day}],
	});
	// Once more, with a list that is there already.
	await rotate(home, 'a', 'newer');
	expect(configOf(home.load()).webhook.routes.get('a')?.retiredSecrets).toEqual([
		{secret: 'new: one', until: now + day},
		{secret: 'old', until: now + day},
	]);
});

test('a route under `extra` is changed there', async () => {
	using home = createTemporaryHome();
	home.load({
		config:
			'platforms: {webhook: {routes: {a: {secret: unused}}, extra: {routes: {a: {secret: old}}}}}',
	});
	await rotate(home, 'a', 'new');
	expect(parse(readFileSync(home.paths.config, 'utf8'))).toMatchObject({
		platforms: {
			webhook: {routes: {a: {secret: 'unused'}}, extra: {routes: {a: {secret: 'new'}}}},
		},
	});
});

test.for([
	['b', 'rotation_refused', 'route "b" takes its secret from ${HOOK}: change the variable in .env'],
	['d', 'rotation_refused', 'route "d" has no secret of its own'],
	['nobody', 'route_not_found', 'Cannot find route "nobody"'],
	['constructor', 'route_not_found', 'Cannot find route "constructor"'],
] as const)(
	'%s is refused as %s, with what to do, and nothing is written',
	async ([name, code, message]) => {
		using home = createTemporaryHome();
		home.load({config: written, env: 'HOOK=h\nWEBHOOK_SECRET=g'});
		const error = await rotate(home, name).catch((thrown: unknown) => thrown);
		expect(codeOf(error)).toBe(code);
		expect(messageOf(error)).toContain(message);
		expect(readFileSync(home.paths.config, 'utf8')).toBe(written);
		expect(statSync(home.paths.subscriptions, {throwIfNoEntry: false})).toBeUndefined();
	},
);

test.for([
	['a: {secret: &s old}\n      b: {secret: *s}', 'a', 's'],
	['a: &r {secret: old}\n      b: *r', 'a', 'r'],
	['a: &r {secret: old}\n      b: *r', 'b', 'r'],
] as const)(
	'a secret that another place shares through an anchor is not rotated: %s, %s',
	async ([routes, name, anchor]) => {
		using home = createTemporaryHome();
		const text = `platforms:\n  webhook:\n    host: 127.0.0.1\n    routes:\n      ${routes}\n`;
		home.load({config: text});
		const error = await rotate(home, name, 'new').catch((thrown: unknown) => thrown);
		expect(codeOf(error)).toBe('config_not_editable');
		expect(messageOf(error)).toContain(`shared through the anchor "&${anchor}"`);
		expect(readFileSync(home.paths.config, 'utf8')).toBe(text);
	},
);

test('"A file that does not parse is never overwritten"', async () => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.subscriptions, '{"a": {"secret": "old"');
	const rotation = rotateRouteSecret(configOf(home.load()), 'a', {
		overlapMs: 0,
		clock: createFakeClock(),
	});
	expect(await rotation.catch(codeOf)).toBe('subscriptions_broken');
	expect(readFileSync(home.paths.subscriptions, 'utf8')).toBe('{"a": {"secret": "old"');
});

test.for([
	['a\0b', 'cannot be given a secret that holds a control character (U+0000)'],
	['copied-with\n', 'cannot be given a secret that holds a control character (U+000A)'],
	['\u001B[31mred', 'cannot be given a secret that holds a control character (U+001B)'],
	['half \uD800', 'cannot be given a secret that is no text'],
	['x'.repeat(4097), 'cannot be given a secret that has 4097 bytes, at most 4096 are allowed'],
] as const)('a secret that nobody could use is refused: %j', ([secret, reason]) => {
	const after = entryAfter({secret: 'old'}, {secret});
	expect(after).toContain(reason);
	expect(after).not.toContain(secret);
});

test('a secret of 4096 bytes is taken', () => {
	expect(entryAfter({secret: 'old'}, {secret: 'x'.repeat(4096)})).toMatchObject({
		secret: 'x'.repeat(4096),
	});
});
