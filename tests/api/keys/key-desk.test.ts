import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {keyError, limitError} from '../../../source/api/http/api-error.ts';
import type {Admission, KeyDesk, KeyRefusal} from '../../../source/api/keys/desk.ts';
import {openKeyDesk} from '../../../source/api/keys/key-desk.ts';
import type {KeyGrant, KeyRecord} from '../../../source/core/api-key.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createSharedMemory} from '../../../source/store/shared-memory.ts';
import {createFakeClock, type FakeClock} from '../../helpers/fake-clock.ts';
import {createSqliteHome} from '../../store/sqlite-home.ts';

/** What a desk shares with none. */
const keyMemory = (clock: FakeClock) => {
	const {limits, events} = createSharedMemory(clock);
	return {limits: limits.keys, events};
};

const startMs = Date.parse('2026-11-23T12:00:00Z');
const prefix = 'svc';
const usual: KeyGrant = {
	name: 'laptop',
	kind: 'live',
	endpoints: ['chat', 'models'],
	models: ['*'],
	agents: true,
};

type World = {
	readonly desk: KeyDesk;
	readonly clock: FakeClock;
	readonly reopen: () => Promise<World>;
};

const withDesk = (body: (world: World) => Promise<void>) => async () => {
	await using home = await createSqliteHome();
	await using stack = new AsyncDisposableStack();
	const clock = createFakeClock(startMs);
	const open = async (): Promise<World> => {
		await using opening = new AsyncDisposableStack();
		const store = opening.use(await home.open(clock));
		const desk = opening.use(
			await openKeyDesk({
				clock,
				keys: store.keys,
				limits: store.limits.keys,
				events: store.events,
				log: silentLogger,
			}),
		);
		const opened = stack.use(opening.move());
		return {
			desk,
			clock,
			async reopen() {
				await opened.disposeAsync();
				return open();
			},
		};
	};

	await body(await open());
};

/** Of so many tokens, one of which is the answer. */
const need = (tokens: number) => ({input: Math.max(0, tokens - 1), most: 1, isWhole: true});

const permitOf = (admission: Admission) => {
	if (admission.kind === 'refused') {
		throw new Error(`refused: ${admission.refusal.kind}`);
	}

	return admission.permit;
};

const messageOf = (refusal: KeyRefusal | undefined) => refusal && limitError(refusal).body.message;

const refusalOf = (admission: Admission) =>
	admission.kind === 'refused' ? admission.refusal : undefined;

test(
	'the first key is made once, for whoever asks first, and never where there was one',
	withDesk(async ({desk, reopen}) => {
		const [one, other] = await Promise.all([desk.createFirst(prefix), desk.createFirst(prefix)]);
		expect(other).toBeUndefined();
		expect(one?.key).toMatchObject({name: 'first', kind: 'live', models: ['*'], agents: true});
		expect(desk.authenticate(one?.secret ?? '')).toMatchObject({key: {id: one?.key.id}});
		await desk.revoke(one?.key.id ?? '');
		const next = await reopen();
		expect(await next.desk.createFirst(prefix)).toBeUndefined();
	}),
);

test('each change of a key, and each second in which it was used, is told; so is another day', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(Date.parse('2026-11-23T23:59:57Z'));
	await using store = await home.open(clock);
	const told: string[] = [];
	await using desk = await openKeyDesk({
		clock,
		keys: store.keys,
		limits: store.limits.keys,
		events: store.events,
		log: silentLogger,
		onChange(keys) {
			told.push(keys.map(({name, usage}) => `${name} ${usage.day.requests}`).join());
		},
	});
	const {key} = await desk.create(usual, prefix);
	for (let count = 0; count < 3; count += 1) {
		const permit = permitOf(await desk.admit(key.id, need(1)));
		permit.settle({inputTokens: 5, outputTokens: 5});
		permit[Symbol.dispose]();
	}

	clock.advance(1000);
	await turn();
	// What was used is written meanwhile.
	for (let count = 0; count < 20; count += 1) {
		clock.advance(200);
		// oxlint-disable-next-line no-await-in-loop -- one turn after the other
		await turn();
	}

	expect(told).toEqual(['', 'laptop 0', 'laptop 3', 'laptop 0']);
	expect(desk.days(key.id)).toEqual([
		{day: '2026-11-23', requests: 3, inputTokens: 15, outputTokens: 15},
	]);
	expect(desk.days('key_other')).toBeUndefined();
	await desk.rotate(key.id, {overlapMs: 0, prefix});
	await desk.revoke(key.id);
	expect(told).toHaveLength(6);
});

test('a key is in use from the moment a request of it begins, and everybody is told within a second', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(startMs);
	await using store = await home.open(clock);
	const told: Array<number | undefined> = [];
	await using desk = await openKeyDesk({
		clock,
		keys: store.keys,
		limits: store.limits.keys,
		events: store.events,
		log: silentLogger,
		onChange(keys) {
			told.push(keys[0]?.lastUsedAt);
		},
	});
	const {key} = await desk.create(usual, prefix);
	clock.advance(500);
	using permit = permitOf(await desk.admit(key.id, need(1)));
	expect(permit.signal.aborted).toBe(false);
	expect(desk.list()[0]?.lastUsedAt).toBe(startMs + 500);
	clock.advance(500);
	await turn();
	expect(told).toEqual([undefined, undefined, startMs + 500]);
	expect(desk.list()[0]?.usage.all.requests).toBe(0);
});

describe('a key', () => {
	test(
		'passes from its making on, also after a restart, and only its hash is kept',
		withDesk(async ({desk, reopen}) => {
			const {key, secret} = await desk.create(usual, prefix);
			expect(desk.authenticate(secret)).toMatchObject({key: {id: key.id, name: 'laptop'}});
			const after = await reopen();
			expect(after.desk.authenticate(secret)).toMatchObject({key: {id: key.id}});
			expect(JSON.stringify(after.desk.list())).not.toContain(secret.slice(-12));
			expect(after.desk.list()).toHaveLength(1);
		}),
	);

	test(
		'that nobody made, or is none, does not pass',
		withDesk(async ({desk}) => {
			const {secret} = await desk.create(usual, prefix);
			expect(desk.authenticate(`${secret.slice(0, -1)}!`)).toEqual({problem: 'malformed'});
			expect(desk.authenticate('')).toEqual({problem: 'malformed'});
			const {secret: other} = await desk.create(usual, 'acme');
			expect(other).toMatch(/^acme_live_/);
			expect(desk.authenticate(other)).toHaveProperty('key');
		}),
	);

	test(
		'passes no more once it is revoked or expired, and a request under way is ended',
		withDesk(async ({desk, clock}) => {
			const {key, secret} = await desk.create(usual, prefix);
			using permit = permitOf(await desk.admit(key.id, need(0)));
			await desk.revoke(key.id);
			expect(desk.authenticate(secret)).toEqual({problem: 'revoked'});
			expect(permit.signal.aborted).toBe(true);
			expect(await desk.revoke('key_never')).toBeUndefined();

			const short = await desk.create({...usual, expiresAt: startMs + 1000}, prefix);
			clock.advance(999);
			expect(desk.authenticate(short.secret)).toHaveProperty('key');
			clock.advance(1);
			expect(desk.authenticate(short.secret)).toEqual({problem: 'expired'});
			expect(await desk.rotate(short.key.id, {overlapMs: 0, prefix})).toBeUndefined();
		}),
	);

	test('a key that is changed at one gateway stands so at the other, and one that is revoked ends its requests there', async () => {
		await using home = await createSqliteHome();
		const clock = createFakeClock(startMs);
		await using store = await home.open(clock);
		const told: string[] = [];
		const shared = {clock, keys: store.keys, limits: store.limits.keys, events: store.events};
		await using desk = await openKeyDesk({...shared, log: silentLogger});
		await using other = await openKeyDesk({
			...shared,
			log: silentLogger,
			onChange(keys, gone) {
				told.push(...keys.map(({name, revokedAt}) => `${name} ${revokedAt ?? ''}`), ...gone);
			},
		});
		const {key, secret} = await desk.create(usual, prefix);
		await turn();
		expect(other.authenticate(secret)).toMatchObject({key: {id: key.id}});
		const rotated = await desk.rotate(key.id, {overlapMs: 0, prefix});
		await turn();
		expect(other.authenticate(secret)).toEqual({problem: 'unknown'});
		using permit = permitOf(await other.admit(key.id, need(0)));
		await desk.revoke(key.id);
		await turn();
		expect(permit.signal.aborted).toBe(true);
		expect(other.authenticate(rotated?.secret ?? '')).toEqual({problem: 'revoked'});
		expect(told).toEqual([`${usual.name} `, `${usual.name} `, `${usual.name} ${startMs}`]);
	});

	test('the last use at one gateway shows at the other once that hears of it', async () => {
		await using home = await createSqliteHome();
		const clock = createFakeClock(startMs);
		await using store = await home.open(clock);
		const shared = {
			clock,
			keys: store.keys,
			limits: store.limits.keys,
			events: store.events,
			log: silentLogger,
		};
		const desk = await openKeyDesk(shared);
		await using other = await openKeyDesk(shared);
		const {key} = await desk.create(usual, prefix);
		await turn();
		expect(other.list()[0]).not.toHaveProperty('lastUsedAt');
		permitOf(await desk.admit(key.id, need(0)))[Symbol.dispose]();
		// Writes what was used.
		await desk[Symbol.asyncDispose]();
		store.events.publish({kind: 'keys-used', keys: [key.id]});
		await turn();
		expect(other.list()).toMatchObject([{lastUsedAt: startMs, usage: {all: {requests: 1}}}]);
	});

	test('passes no more once it is revoked, also where the journal cannot take that down, and is asked for again', async () => {
		await using home = await createSqliteHome();
		const clock = createFakeClock(startMs);
		let isFull = false;
		await using store = await home.open(clock);
		const {keys} = store;
		const failing: typeof keys = {
			...keys,
			put: async (...args) =>
				isFull ? Promise.reject(new Error('the disk is full')) : keys.put(...args),
		};
		await using desk = await openKeyDesk({
			clock,
			keys: failing,
			limits: store.limits.keys,
			events: store.events,
			log: silentLogger,
		});
		const {key, secret} = await desk.create(usual, prefix);
		using permit = permitOf(await desk.admit(key.id, need(0)));
		isFull = true;
		await expect(desk.revoke(key.id)).rejects.toThrow('the disk is full');
		expect(desk.authenticate(secret)).toEqual({problem: 'revoked'});
		expect(permit.signal.aborted).toBe(true);
		expect((await keys.list())[0]?.revokedAt).toBeUndefined();

		isFull = false;
		await desk.revoke(key.id);
		expect((await keys.list())[0]?.revokedAt).toBe(startMs);
	});

	test(
		'that is rotated without an overlap, or twice, passes with no older secret',
		withDesk(async ({desk}) => {
			const first = await desk.create(usual, prefix);
			const second = await desk.rotate(first.key.id, {overlapMs: 0, prefix});
			expect(desk.authenticate(first.secret)).toEqual({problem: 'unknown'});
			const third = await desk.rotate(first.key.id, {overlapMs: 5000, prefix});
			const fourth = await desk.rotate(first.key.id, {overlapMs: 5000, prefix});
			expect(desk.authenticate(second?.secret ?? '')).toEqual({problem: 'unknown'});
			expect(desk.authenticate(third?.secret ?? '')).toHaveProperty('key');
			expect(desk.authenticate(fourth?.secret ?? '')).toHaveProperty('key');
		}),
	);

	test(
		'that is rotated keeps its identifier; both secrets pass until the overlap is over',
		withDesk(async ({desk, clock, reopen}) => {
			const first = await desk.create(usual, prefix);
			const second = await desk.rotate(first.key.id, {overlapMs: 5000, prefix});
			expect(second?.key.id).toBe(first.key.id);
			expect(second?.key.retiring).toEqual({hint: first.key.hint, until: startMs + 5000});
			expect(desk.authenticate(first.secret)).toHaveProperty('key');
			expect(desk.authenticate(second?.secret ?? '')).toHaveProperty('key');
			clock.advance(5000);
			expect(desk.authenticate(first.secret)).toEqual({problem: 'unknown'});
			expect(desk.authenticate(second?.secret ?? '')).toHaveProperty('key');
			// A third one: the first does not come back.
			const third = await desk.rotate(first.key.id, {overlapMs: 5000, prefix});
			const after = await reopen();
			expect(after.desk.authenticate(first.secret)).toEqual({problem: 'unknown'});
			expect(after.desk.authenticate(second?.secret ?? '')).toHaveProperty('key');
			expect(after.desk.authenticate(third?.secret ?? '')).toHaveProperty('key');
			await after.desk.revoke(first.key.id);
			expect(after.desk.authenticate(second?.secret ?? '')).toEqual({problem: 'revoked'});
			expect(after.desk.authenticate(third?.secret ?? '')).toEqual({problem: 'revoked'});
		}),
	);

	test(
		'is not revived by a rotation that began before it was revoked',
		withDesk(async ({desk, reopen}) => {
			const {key, secret} = await desk.create(usual, prefix);
			const [, , rotated] = await Promise.all([
				desk.rotate(key.id, {overlapMs: 60_000, prefix}),
				desk.revoke(key.id),
				desk.rotate(key.id, {overlapMs: 60_000, prefix}),
			]);
			expect(rotated).toBeUndefined();
			const after = await reopen();
			expect(after.desk.authenticate(secret)).toEqual({problem: 'revoked'});
		}),
	);
});

describe('limits of a key', () => {
	test(
		'so many requests in a minute, then one each time that a place in it becomes free',
		withDesk(async ({desk, clock}) => {
			const {key} = await desk.create({...usual, rpm: 3}, prefix);
			for (let count = 0; count < 3; count += 1) {
				permitOf(await desk.admit(key.id, need(0)))[Symbol.dispose]();
			}

			expect(refusalOf(await desk.admit(key.id, need(0)))).toEqual({
				kind: 'rpm',
				most: 3,
				retryMs: 20_000,
			});
			expect(desk.left(key.id)).toEqual({requests: 0, resetMs: 60_000});
			clock.advance(19_999);
			expect(refusalOf(await desk.admit(key.id, need(0)))?.kind).toBe('rpm');
			clock.advance(1);
			permitOf(await desk.admit(key.id, need(0)))[Symbol.dispose]();
			expect(refusalOf(await desk.admit(key.id, need(0)))?.kind).toBe('rpm');
		}),
	);

	test(
		'so many at a time',
		withDesk(async ({desk}) => {
			const {key} = await desk.create({...usual, parallel: 2}, prefix);
			const first = permitOf(await desk.admit(key.id, need(0)));
			using second = permitOf(await desk.admit(key.id, need(0)));
			expect(refusalOf(await desk.admit(key.id, need(0)))).toMatchObject({
				kind: 'parallel',
				most: 2,
			});
			first[Symbol.dispose]();
			first[Symbol.dispose]();
			using third = permitOf(await desk.admit(key.id, need(0)));
			expect(refusalOf(await desk.admit(key.id, need(0)))?.kind).toBe('parallel');
			expect([second, third].every(({signal}) => !signal.aborted)).toBe(true);
		}),
	);

	test(
		'so many tokens in a day, with what requests under way may still use',
		withDesk(async ({desk, clock, reopen}) => {
			const {key} = await desk.create({...usual, budget: {tokens: 100, per: 'day'}}, prefix);
			const permit = permitOf(await desk.admit(key.id, need(60)));
			const refused = refusalOf(await desk.admit(key.id, {input: 40, isWhole: true}));
			expect(messageOf(refused)).toBe(
				"Cannot serve the request: it needs at least 41 tokens, but 0 of the 100 tokens of the key's budget are used, 60 are held for requests under way",
			);
			expect(refused).toEqual({
				kind: 'budget',
				used: 0,
				held: 60,
				asked: 41,
				most: 100,
				retryMs: 12 * 3_600_000,
			});
			permit.settle({inputTokens: 10, outputTokens: 15});
			permit[Symbol.dispose]();
			const counting = permitOf(await desk.admit(key.id, need(75)));
			counting.settle({inputTokens: 70, outputTokens: 5});
			counting[Symbol.dispose]();
			const spent = refusalOf(await desk.admit(key.id, need(0)));
			expect(spent).toMatchObject({kind: 'budget', used: 100});
			expect(messageOf(spent)).toBe(
				"Cannot serve the request: 100 of the 100 tokens of the key's budget are used",
			);

			const after = await reopen();
			expect(refusalOf(await after.desk.admit(key.id, need(0)))).toMatchObject({
				kind: 'budget',
				used: 100,
			});
			expect(after.desk.list()[0]).toMatchObject({
				lastUsedAt: startMs,
				usage: {
					day: {requests: 2, inputTokens: 80, outputTokens: 20},
					period: {requests: 2},
					all: {requests: 2},
				},
			});
			clock.advance(12 * 3_600_000);
			// It said nothing of its use: what it was told counts.
			permitOf(await after.desk.admit(key.id, need(75)))[Symbol.dispose]();
			expect(after.desk.list()[0]?.usage.all.inputTokens).toBe(154);
		}),
	);

	test(
		'a budget of a month counts all of its days',
		withDesk(async ({desk, clock}) => {
			const {key} = await desk.create({...usual, budget: {tokens: 100, per: 'month'}}, prefix);
			permitOf(await desk.admit(key.id, need(61)))[Symbol.dispose]();
			clock.advance(3 * 86_400_000);
			permitOf(await desk.admit(key.id, need(40)))[Symbol.dispose]();
			expect(refusalOf(await desk.admit(key.id, need(2)))?.kind).toBe('budget');
			clock.advance(6 * 86_400_000);
			permitOf(await desk.admit(key.id, need(100)))[Symbol.dispose]();
		}),
	);

	test(
		'a budget is held in slices by an answer that grows, and as a share by one that comes whole',
		withDesk(async ({desk}) => {
			const {key} = await desk.create({...usual, budget: {tokens: 1600, per: 'day'}}, prefix);
			const held = async () => {
				const refusal = refusalOf(await desk.admit(key.id, {input: 9000, isWhole: true}));
				return refusal?.kind === 'budget' ? refusal.held : undefined;
			};
			const growing = permitOf(await desk.admit(key.id, {input: 0, isWhole: false}));
			// It may have all that is left, but holds a sixteenth of it.
			expect([growing.bound, await held()]).toEqual([1600, 100]);
			expect(growing.grow(100)).toBeUndefined();
			expect(await held()).toBe(100);
			expect(growing.grow(101)).toBeUndefined();
			expect(await held()).toBe(101 + 94);

			const whole = permitOf(await desk.admit(key.id, {input: 5, isWhole: true}));
			expect([whole.bound, await held()]).toEqual([350, 195 + 5 + 350]);
			const asking = permitOf(await desk.admit(key.id, {input: 50, most: 5000, isWhole: true}));
			expect([asking.bound, await held()]).toEqual([1000, 1600]);
			expect(growing.grow(195)).toBeUndefined();
			expect(growing.grow(196)).toMatchObject({kind: 'budget', asked: 196, held: 1405});
			asking[Symbol.dispose]();
			expect(growing.grow(196)).toBeUndefined();

			// What the model said is told to it again.
			expect(growing.reserve({input: 1180, most: 10, isWhole: false})).toEqual({bound: 10});
			expect(growing.reserve({input: 1195, isWhole: false})).toMatchObject({
				refusal: {kind: 'budget', asked: 1196},
			});
		}),
	);

	test(
		'no bound is sent to a model that nobody asked for, as long as more is left than an answer comes to',
		withDesk(async ({desk}) => {
			const {key} = await desk.create({...usual, budget: {tokens: 1e6, per: 'day'}}, prefix);
			for (const isWhole of [true, false]) {
				using permit = permitOf(await desk.admit(key.id, {input: 5, isWhole}));
				using asking = permitOf(await desk.admit(key.id, {input: 5, most: 40_000, isWhole}));
				expect([permit.bound, asking.bound]).toEqual([undefined, 40_000]);
			}
		}),
	);

	test(
		'a count that cannot be true is none, and sums stay numbers that can be stored and read',
		withDesk(async ({desk, reopen}) => {
			const {key} = await desk.create(usual, prefix);
			const use = async (tokens: number) => {
				const permit = permitOf(await desk.admit(key.id, {input: 7, isWhole: true}));
				permit.settle({inputTokens: tokens, outputTokens: 0});
				permit[Symbol.dispose]();
			};
			for (const count of [Number.MAX_SAFE_INTEGER, 2 ** 31 + 1, -1, 0.5, Number.NaN]) {
				await use(count);
			}

			expect(desk.list()[0]?.usage.all).toMatchObject({requests: 5, inputTokens: 35});
			await use(2 ** 31);
			const {desk: after} = await reopen();
			expect(after.list()[0]?.usage.all).toMatchObject({inputTokens: 35 + 2 ** 31});
		}),
	);
});

test('a key that is used while a change of it is written was used then, and each of 40 days is remembered', async () => {
	const clock = createFakeClock(startMs);
	const gates: Array<() => void> = [];
	let kept: KeyRecord[] = [];
	const keys = {
		list: async () => kept,
		usesSince: async () => [],
		totals: async () => [],
		async put(record: KeyRecord) {
			await new Promise<void>(resolve => {
				gates.push(resolve);
			});
			kept = [record];
			return [];
		},
		async add() {},
	};
	await using desk = await openKeyDesk({
		clock,
		keys,
		...keyMemory(clock),
		log: silentLogger,
	});
	const making = desk.create(usual, prefix);
	await turn();
	gates.shift()?.();
	const {key} = await making;
	const permit = permitOf(await desk.admit(key.id, need(1)));
	const rotating = desk.rotate(key.id, {overlapMs: 0, prefix});
	await turn();
	clock.advance(10);
	permit[Symbol.dispose]();
	gates.shift()?.();
	await rotating;
	expect(desk.list()[0]?.lastUsedAt).toBe(startMs + 10);

	for (let day = 0; day < 41; day += 1) {
		clock.advance(86_400_000);
		permitOf(await desk.admit(key.id, need(1)))[Symbol.dispose]();
	}

	const days = desk.days(key.id) ?? [];
	expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([40, '2026-11-25', '2027-01-03']);
});

test('what could not be written is written later as it was, with the last use, and what came since behind it; that it could not is said once', async () => {
	const clock = createFakeClock(startMs);
	const warned: string[] = [];
	const log = {...silentLogger, warn: (message: string) => warned.push(message)};
	const tried: unknown[] = [];
	const added: unknown[] = [];
	let used: readonly string[] = [];
	let isFull = true;
	const keys = {
		list: async () => [],
		usesSince: async () => [],
		totals: async () => [],
		put: async () => [],
		async add(...entry: readonly unknown[]) {
			tried.push(entry.at(-1));
			if (isFull) {
				throw new Error('the disk is full');
			}

			added.push(entry);
		},
	};
	{
		await using desk = await openKeyDesk({clock, keys, ...keyMemory(clock), log});
		const {key} = await desk.create(usual, prefix);
		permitOf(await desk.admit(key.id, need(8)))[Symbol.dispose]();
		const {key: other} = await desk.create(usual, prefix);
		permitOf(await desk.admit(other.id, need(4)))[Symbol.dispose]();
		used = [key.id, other.id];
		for (let second = 0; second < 3; second += 1) {
			clock.advance(1000);
			// oxlint-disable-next-line no-await-in-loop -- one second after the other
			await turn();
		}

		permitOf(await desk.admit(key.id, need(6)))[Symbol.dispose]();
		isFull = false;
	}

	expect(warned).toEqual(['Cannot write what keys have used; it is tried again']);
	const [first = '', second = ''] = used;
	const nothing = {day: '2026-11-23', requests: 1, outputTokens: 0};
	// The batch that may have been written is told again as it was; what came since is another.
	const batch = tried[0];
	expect(added).toEqual([
		[
			[
				{...nothing, id: first, inputTokens: 7},
				{...nothing, id: second, inputTokens: 3},
			],
			new Map([
				[first, startMs],
				[second, startMs],
			]),
			batch,
		],
		[[{...nothing, id: first, inputTokens: 5}], new Map([[first, startMs + 3000]]), tried.at(-1)],
	]);
	expect(new Set(tried)).toEqual(new Set([batch, tried.at(-1)]));
	expect(tried.at(-1)).not.toBe(batch);
});

test('whose key has ended is told that of the key, not of the request', () => {
	expect(keyError('revoked').body.message).toBe('Cannot serve the request: the key was revoked');
	expect(keyError('expired').body.message).toBe('Cannot serve the request: the key has expired');
});
