// @module-tag slow
import type {Pool} from 'pg';
import {afterAll, describe, expect, test} from 'vitest';
import type {KeyDesk} from '../../source/api/keys/desk.ts';
import {openKeyDesk} from '../../source/api/keys/key-desk.ts';
import type {KeyRecord} from '../../source/core/api-key.ts';
import {systemClock} from '../../source/core/clock.ts';
import {codeOf} from '../../source/core/errors.ts';
import {silentLogger} from '../../source/core/log.ts';
import {integerOf} from '../../source/store/columns.ts';
import type {Store} from '../../source/store/port.ts';
import {createStoredApprovals} from '../../source/store/postgres/approvals.ts';
import {createBatch, createDeferred, createLateBatch} from '../../source/store/postgres/batch.ts';
import {createDatabase} from '../../source/store/postgres/database.ts';
import {createQueuedNote} from '../../source/store/postgres/enqueue.ts';
import {createStoredKeys} from '../../source/store/postgres/keys.ts';
import {openPostgresStore} from '../../source/store/postgres/open-postgres-store.ts';
import {createPool} from '../../source/store/postgres/pool.ts';
import {journalUnavailable} from '../../source/store/postgres/postgres-errors.ts';
import type {StoreNote} from '../../source/store/shared-port.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {
	acceptGrouped,
	groupedEntry,
	hourMs,
	logPlan,
	sampleDelivery,
	sampleEntry,
	sampleJob,
} from './samples.ts';

const hook = {profile: 'default', route: 'hook'};
const members = [0, 1, 2] as const;

/** One of each, from the members in turn. */
const spread = async <Result>(
	stores: readonly Store[],
	count: number,
	ask: (store: Store, index: number) => Promise<Result>,
): Promise<readonly Result[]> =>
	Promise.all(
		Array.from({length: count}, async (_, index) => {
			const store = stores[index % stores.length];
			if (!store) {
				throw new Error('there is no member');
			}

			return ask(store, index);
		}),
	);

const taken = sampleEntry({deliveryId: 'taken'});

const countOf = (values: readonly unknown[], wanted: unknown) =>
	values.filter(value => value === wanted).length;

describe.runIf(hasPostgres)('members of one database at once', async () => {
	// Nothing is written to the log that is not waited for.
	const server = await (hasPostgres
		? startPostgres({settings: ['wal_writer_delay=10s']})
		: undefined);
	afterAll(() => server?.[Symbol.asyncDispose]());
	let made = 0;

	/** Three members on an empty database, opened at once; real clocks. */
	const withThree =
		(body: (stores: readonly Store[], url: string) => Promise<void>) => async () => {
			made += 1;
			const url = (await server?.create(`svc_members_${process.pid}_${made}`)) ?? '';
			await using stack = new AsyncDisposableStack();
			const stores = await Promise.all(
				members.map(async member => {
					const place = `node-${member}`;
					return stack.use(
						await openPostgresStore({clock: systemClock}, {url, node: place, place}),
					);
				}),
			);
			await body(stores, url);
		};

	test(
		'three open an empty database at once, and each of them sees what another wrote',
		withThree(async stores => {
			const [first, second, third] = stores;
			await first?.jobs.plan(sampleJob, {nextAt: 1, basis: 'x'});
			expect(await second?.jobs.get(sampleJob)).toMatchObject({nextAt: 1});
			expect(await third?.jobs.get(sampleJob)).toMatchObject({nextAt: 1});
		}),
	);

	test(
		'a rule that ends with its gateway ends for all as that closes its store, and they are told',
		withThree(async ([first, second], url) => {
			const told: StoreNote[] = [];
			const last = await openPostgresStore(
				{clock: systemClock},
				{url, node: 'last', place: 'last'},
			);
			const rule = {
				profile: 'default',
				tool: 'write_file',
				definition: 'd',
				createdAt: 1,
				createdBy: 'cli',
			} as const;
			const kept = await last.approvals.addRule({
				...rule,
				scope: 'always',
				expiresAt: Date.now() + hourMs,
			});
			await last.approvals.addRule({...rule, scope: 'process'});
			expect(await first?.approvals.rules()).toHaveLength(2);
			second?.events.subscribe(note => {
				told.push(note);
			});
			await last[Symbol.asyncDispose]();
			expect(await first?.approvals.rules()).toMatchObject([{id: kept}]);
			await expect.poll(() => told.map(({kind}) => kind)).toContain('approval-rules-changed');
		}),
	);

	test(
		'a key that was revoked and a rule that was removed are in force at no member a second later, whatever becomes of the notes, and no member makes them so again',
		withThree(async ([first, second], url) => {
			if (!first || !second) {
				throw new Error('there is no member');
			}

			await using stack = new AsyncDisposableStack();
			const told: StoreNote[] = [];
			const desks: KeyDesk[] = [];
			for (const {keys, limits, events} of [first, second]) {
				const desk = openKeyDesk({
					clock: systemClock,
					keys,
					limits: limits.keys,
					events,
					log: silentLogger,
				});
				// oxlint-disable-next-line no-await-in-loop -- two
				desks.push(stack.use(await desk));
			}

			const [one, other] = desks;
			const key = await one?.create(
				{name: 'team', kind: 'live', endpoints: ['chat'], models: ['*'], agents: true},
				'svc',
			);
			const passes = () => other?.authenticate(key?.secret ?? '');
			await expect.poll(passes).toHaveProperty('key');
			const rule = await first.approvals.addRule({
				profile: 'default',
				tool: 'write_file',
				definition: 'd',
				createdAt: 1,
				createdBy: 'cli',
				scope: 'always',
			});
			const [before] = await second.keys.list();
			second.events.subscribe(note => {
				told.push(note);
			});

			// What a member leaves that ends between its commit and its notes.
			const database = createDatabase({clock: systemClock}, {url});
			stack.defer(() => database.close());
			const silent = {database, owner: 'silent', publish() {}};
			const revoked = {...before, revokedAt: 5} as KeyRecord;
			await createStoredKeys(silent).put(revoked, 5);
			await createStoredApprovals(silent).removeRules([rule]);
			expect(await other?.rotate(revoked.id, {overlapMs: hourMs, prefix: 'svc'})).toBe(undefined);
			await expect
				.poll(() => one?.authenticate(key?.secret ?? ''), {timeout: 3000})
				.toEqual({
					problem: 'revoked',
				});
			expect(passes()).toEqual({problem: 'revoked'});
			await expect
				.poll(() => told, {timeout: 3000})
				.toContainEqual({
					kind: 'approval-rules-changed',
				});
			await second.keys.put({...revoked, revokedAt: undefined, name: 'crew'} as never, 6);
			expect(await first.keys.list()).toMatchObject([{name: 'crew', revokedAt: 5}]);
		}),
	);

	test(
		'of 64 that bring one identifier to three members at once exactly one is accepted, in each of 20 rounds',
		withThree(async stores => {
			for (let round = 0; round < 20; round += 1) {
				const answers = await spread(stores, 64, async store =>
					store.intake.accept(sampleEntry({deliveryId: `same-${round}`})),
				);
				const kinds = answers.map(({kind}) => kind);
				expect([countOf(kinds, 'accepted'), countOf(kinds, 'duplicate')]).toEqual([1, 63]);
			}
		}),
	);

	test(
		'of 64 that want to send one identifier at three members at once one may, and who comes next knows whether it arrived',
		withThree(async (stores, url) => {
			const [first] = stores;
			const send = async (deliveryId: string) =>
				spread(stores, 64, async store => {
					const {delivery} = sampleEntry({deliveryId});
					return {delivery, ...(await store.intake.reserve(delivery, hourMs))};
				});
			const answers = await send('same');
			const kinds = answers.map(({kind}) => kind);
			expect([countOf(kinds, 'reserved'), countOf(kinds, 'under-way')]).toEqual([1, 63]);

			const one = answers.find(({kind}) => kind === 'reserved')?.delivery;
			await first?.intake.record({delivery: one ?? sampleEntry().delivery, claim: true});
			expect(
				countOf(
					(await send('same')).map(({kind}) => kind),
					'duplicate',
				),
			).toBe(64);

			// One that vanished while it sent.
			await send('lost');
			const database = createDatabase({clock: systemClock}, {url});
			await database.run('update claim set at = at - 30000');
			await database.close();
			expect(
				countOf(
					(await send('lost')).map(({kind}) => kind),
					'duplicate',
				),
			).toBe(64);
		}),
	);

	test(
		'of 64 that bring one body under as many identifiers to three members at once one is taken, accepted or sent',
		withThree(async stores => {
			const bodyHash = 'same';
			const kindsOf = async (ask: (store: Store) => Promise<{readonly kind: string}>) =>
				(await spread(stores, 64, ask)).map(({kind}) => kind);
			const accepted = await kindsOf(async ({intake}) =>
				intake.accept({...sampleEntry({route: 'accepted'}), bodyHash}),
			);
			expect([countOf(accepted, 'accepted'), countOf(accepted, 'duplicate')]).toEqual([1, 63]);
			const sent = await kindsOf(async ({intake}) =>
				intake.reserve({...sampleEntry({route: 'sent'}).delivery, bodyHash}, hourMs),
			);
			expect([countOf(sent, 'reserved'), countOf(sent, 'under-way')]).toEqual([1, 63]);
		}),
	);

	test(
		'a delivery whose record was on disk without an answer is recorded again without an error',
		withThree(async ([first]) => {
			const {delivery} = sampleEntry();
			await first?.intake.record({delivery, claim: true});
			await first?.intake.record({delivery, claim: true});
			expect(await first?.intake.holderOf(delivery, hourMs)).toBe(delivery.id);
		}),
	);

	test(
		'the bound of the queue holds over all members, whatever comes to them at once',
		withThree(async stores => {
			// Far below the second bound nothing need be counted.
			let queued = 0;
			for (const [maxQueued, events] of [
				[40, 90],
				[2000, 2600],
			] as const) {
				const answers = await spread(stores, events, async (store, index) =>
					store.intake.accept(sampleEntry({route: `route-${index}`}, {maxQueued})),
				);
				queued += answers.filter(({kind}) => kind === 'accepted').length;
				expect(queued).toBe(maxQueued);
			}

			const bounded = {job: {...sampleJob, maxQueued: 3}, maxQueued: 4000};
			const ofJob = await spread(stores, 30, async store =>
				store.intake.accept(sampleEntry({route: 'job'}, bounded)),
			);
			expect(ofJob.filter(({kind}) => kind === 'accepted')).toHaveLength(3);
		}),
	);

	test(
		'events of one key that come to three members at once wait in one group, and each is counted once',
		withThree(async stores => {
			const answers = await spread(stores, 60, async store =>
				store.intake.accept(groupedEntry('acme/api#7')),
			);
			const [first] = stores;
			const groups = (await first?.groups.list({limit: 9})) ?? [];
			expect(new Set(answers.map(({kind}) => kind))).toEqual(new Set(['coalesced']));
			expect(groups).toMatchObject([{count: 60, state: 'pending'}]);
			expect((await first?.groups.get(groups[0]?.id ?? 0))?.members).toHaveLength(60);
		}),
	);

	test(
		'members that dispatch a due group at once make one run of it',
		withThree(async stores => {
			const [first] = stores;
			for (let round = 0; round < 10; round += 1) {
				const window = {windowMs: 1, maxWaitMs: 1};
				const {group} = await acceptGrouped(
					first as Store,
					groupedEntry('k', {}, {group: {...window, key: `k-${round}`}}),
				);
				const answers = await spread(stores, 6, async (store, index) =>
					index < 3
						? store.groups.dispatch('all', 'stop')
						: store.groups.dispatch({id: group.id}, 'person'),
				);
				expect(answers.flat().map(({id}) => id)).toEqual([group.id]);
				expect(await first?.groups.get(group.id)).toMatchObject({
					state: 'dispatched',
					runId: answers.flat()[0]?.runId,
				});
			}
		}),
	);

	test(
		'a tick of a job fires once, whichever members see that it is due',
		withThree(async stores => {
			const [first] = stores;
			for (let round = 0; round < 10; round += 1) {
				const job = {...sampleJob, id: `job_${round}`};
				await first?.jobs.plan(job, {nextAt: 1000, basis: 'x'});
				const answers = await spread(stores, 9, async store =>
					store.jobs.fire({
						job,
						plan: logPlan,
						maxQueued: 1000,
						tick: {dueAt: 1000, nextAt: 2000},
					}),
				);
				const kinds = answers.map(({kind}) => kind);
				expect([countOf(kinds, 'fired'), countOf(kinds, 'stale')]).toEqual([1, 8]);
			}

			// The clock of a member is ahead.
			const dueAt = Date.now() + hourMs;
			await first?.jobs.plan(sampleJob, {nextAt: dueAt, basis: 'x'});
			const early = {job: sampleJob, plan: logPlan, maxQueued: 100, tick: {dueAt, nextAt: 0}};
			expect(await first?.jobs.fire(early)).toEqual({kind: 'stale'});
		}),
	);

	test(
		'a window of 30 lets exactly 30 of 64 pass, however many members count it',
		withThree(async stores => {
			for (let round = 0; round < 5; round += 1) {
				const route = {...hook, route: `hook-${round}`};
				const verdicts = await spread(stores, 64, async store =>
					store.limits.windows.take(route, 30),
				);
				expect(verdicts.filter(({ok}) => ok)).toHaveLength(30);
				expect(
					verdicts
						.filter(({ok}) => ok)
						.map(({count}) => count)
						.toSorted((a, b) => a - b),
				).toEqual(Array.from({length: 30}, (_, index) => index + 1));
				expect(await stores[0]?.limits.windows.used(route)).toMatchObject({used: 30});
			}
		}),
	);

	test(
		'promised starts of three members are spread as those of one; what is given back is given out again',
		withThree(async stores => {
			const entered = await spread(stores, 30, async store => store.limits.paces.enter(hook, 10));
			expect(entered.filter(place => place !== undefined)).toHaveLength(10);
			const promised = await spread(stores, 20, async store =>
				store.limits.paces.promise(hook, 10),
			);
			// Whatever time passed meanwhile.
			const minutes = promised.map(({inMs}) => Math.floor((inMs + 5000) / 60_000));
			expect([countOf(minutes, 1), countOf(minutes, 2)]).toEqual([10, 10]);
			await Promise.all(promised.map(async start => start.giveBack()));
			const [again] = await spread(stores, 1, async store => store.limits.paces.promise(hook, 10));
			expect(again?.inMs).toBeLessThanOrEqual(60_000);
		}),
	);

	test(
		'a named lease has one holder of all members, and tokens only grow',
		withThree(async stores => {
			let last = 0;
			for (let round = 0; round < 10; round += 1) {
				const leases = await spread(stores, 12, async store => store.leases('purge').take(60_000));
				const [held, ...others] = leases.flatMap(lease => lease ?? []);
				expect(others).toEqual([]);
				expect(held?.token).toBeGreaterThan(last);
				last = held?.token ?? 0;
				await held?.release();
			}
		}),
	);

	test(
		'members hear that runs were queued',
		withThree(async ([first, second]) => {
			const heard = new Promise<StoreNote>(resolve => {
				second?.events.subscribe(resolve);
			});
			await first?.intake.accept(sampleEntry());
			expect(await heard).toEqual({kind: 'runs-queued'});
		}),
	);

	test(
		'a delivery that another member has written fails alone',
		withThree(async ([first, second]) => {
			const delivery = sampleDelivery();
			await first?.intake.record({delivery, claim: true});
			const entries = [sampleEntry(), sampleEntry({id: delivery.id}), sampleEntry()];
			const answers = await Promise.allSettled(
				entries.map(async entry => second?.intake.accept(entry)),
			);
			expect(answers.map(({status}) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
			expect(answers[1]?.status === 'rejected' && codeOf(answers[1].reason)).toBe(
				'journal_unavailable',
			);
			expect(await second?.intake.holderOf(delivery, hourMs)).toBe(delivery.id);
		}),
	);

	test(
		'a last statement that fails, a commit that fails and a connection that breaks before it leave nothing and are told',
		withThree(async (_, url) => {
			const database = createDatabase({clock: systemClock}, {url});
			await database.run('create table kept (n integer unique deferrable initially deferred)');
			const lastOf = async (text: string) =>
				database.transact(async ({query, run, finish}) => {
					await run('insert into kept values (1)');
					const [row] = await query('select pg_backend_pid() as pid');
					return finish(text, text.includes('$1') ? [integerOf(row?.['pid'])] : []);
				}, 'accept');
			for (const [last, reason] of [
				['insert into nowhere values (1)', /relation "nowhere" does not exist/],
				['insert into kept values (1)', /duplicate key/],
				['select pg_terminate_backend($1)', /is being shut down/],
			] as const) {
				await expect(lastOf(last)).rejects.toThrow(reason);
				expect(await database.query('select n from kept')).toEqual([]);
			}

			await lastOf('insert into kept values (2)');
			expect(await database.query('select n from kept order by n')).toEqual([{n: 1}, {n: 2}]);
			await database.close();
		}),
	);

	test(
		'what a transaction itself throws is told as it is, and neither ends its neighbours nor counts as a failure of the database',
		withThree(async (_, url) => {
			const database = createDatabase({clock: systemClock}, {url});
			const add = createBatch<number, number>(
				async items =>
					database.transact(async ({query}) => {
						await query('select 1');
						return items.map(item => {
							if (item === 2) {
								throw new TypeError('not a row');
							}

							return item;
						});
					}),
				{most: 10, name: 'the database'},
			);
			expect(await Promise.allSettled([1, 2, 3].map(async item => add(item)))).toEqual([
				{status: 'fulfilled', value: 1},
				{status: 'rejected', reason: new TypeError('not a row')},
				{status: 'fulfilled', value: 3},
			]);
			await database.run('create table named (name text primary key)');
			const long = Array.from({length: 20_000}, (__, index) => String.fromCharCode(index + 256));
			await expect(database.run('insert into named values ($1)', [long.join('')])).rejects.toThrow(
				'index row requires',
			);
			expect(database.failing()).toBe(undefined);
			await database.close();
		}),
	);

	test(
		'an answer that is read late does not set the time of the database back',
		withThree(async (_, url) => {
			let lateMs = 0;
			const clock = {...systemClock, monotonic: () => systemClock.monotonic() + lateMs};
			const pool = createPool(url);
			let isStalled = false;
			const stalling = {
				async connect() {
					const client = await pool.connect();
					const query = async (text: string) => {
						const answer: unknown = await client.query(text);
						lateMs += isStalled && text.startsWith('begin') ? 20_000 : 0;
						return answer;
					};
					return {
						query,
						release() {
							client.release();
						},
					};
				},
			} as unknown as Pool;
			const database = createDatabase({clock, pool: stalling}, {url});
			await database.transact(async () => {});
			const before = database.now();
			isStalled = true;
			await database.transact(async () => {});
			expect(database.now() - before).toBeGreaterThanOrEqual(20_000);
			await pool.end();
		}),
	);

	test.each([
		['an event that was accepted', false, async ({intake}: Store) => intake.accept(taken)],
		[
			'what a duplicate was told of, by the accept',
			true,
			async ({intake}: Store) => intake.accept(taken),
		],
		[
			'what a duplicate was told of, outside of the lock',
			true,
			async ({intake}: Store) => intake.holderOf(taken.delivery, hourMs),
		],
	] as const)('%s is there after a crash of the database at once', async (_, isTaken, ask) => {
		made += 1;
		const url = (await server?.create(`svc_members_${process.pid}_${made}`)) ?? '';
		await using store = await openPostgresStore(
			{clock: systemClock},
			{url, node: 'one', place: 'one'},
		);
		const database = createDatabase({clock: systemClock}, {url});
		if (isTaken) {
			// Another member has committed, and waits for the disk yet.
			await database.transact(async ({run, now}) => {
				await run('set local synchronous_commit = off');
				await run(
					'insert into claim (profile, route, delivery_id, delivery, at) values ($1, $2, $3, 7, $4)',
					[taken.delivery.profile, taken.delivery.route, taken.delivery.deliveryId, now],
				);
			});
		}

		expect(await ask(store)).toBeDefined();
		await server?.kill('SIGQUIT');
		await server?.start();
		await expect
			.poll(async () => database.query('select 1 as held from claim').catch(() => undefined))
			.toEqual([{held: 1}]);
		await database.close();
	});
});

test('that runs were queued is told at once, and of a burst every 50 milliseconds', () => {
	const clock = createFakeClock();
	let told = 0;
	using queued = createQueuedNote({
		clock,
		publish() {
			told += 1;
		},
	});
	const burst = () => {
		for (const _ of [1, 2, 3]) {
			queued.tell();
		}

		return told;
	};

	expect(burst()).toBe(1);
	clock.advance(49);
	expect(burst()).toBe(1);
	clock.advance(1);
	expect(told).toBe(2);
	clock.advance(50);
	expect([told, clock.timersLeft]).toEqual([2, 0]);
	expect(burst()).toBe(3);
});

test('a late batch takes what came until it asks, the same when it asks again, and fails it all when it cannot ask', async () => {
	const gates: Array<PromiseWithResolvers<void>> = [];
	const call = createLateBatch<number, readonly number[]>(
		async take => {
			const gate = Promise.withResolvers<void>();
			gates.push(gate);
			await gate.promise;
			return take().map(() => take());
		},
		{most: 3, name: 'the database'},
	);
	const next = async (count: number) => {
		await expect.poll(() => gates.length, {interval: 1}).toBe(count);
	};
	const first = call(1);
	await next(1);
	const later = [call(2), call(3), call(4)];
	gates[0]?.resolve();
	await next(2);
	gates[1]?.reject(new Error('it does not answer'));
	expect(await Promise.all([first, ...later.slice(0, 2)])).toEqual([
		[1, 2, 3],
		[1, 2, 3],
		[1, 2, 3],
	]);
	await expect(later[2]).rejects.toThrow('it does not answer');
});

test('of all that wait for deferred writes at a time, those that came after it began wait for one more write and not for each other', async () => {
	const gates: Array<PromiseWithResolvers<never>> = [];
	const deferred = createDeferred({
		clock: createFakeClock(),
		database: {
			...createDatabase({clock: createFakeClock()}, {url: 'postgres://nowhere/svc'}),
			async transact() {
				const gate = Promise.withResolvers<never>();
				gates.push(gate);
				return gate.promise;
			},
		},
	});
	const silence = journalUnavailable('the database', new Error('Query read timeout'));
	deferred.defer(async () => {});
	const first = deferred.flush();
	await expect.poll(() => gates.length, {interval: 1}).toBe(1);
	const others = [1, 2, 3].map(async () => deferred.flush());
	gates[0]?.reject(silence);
	await first;
	await expect.poll(() => gates.length, {interval: 1}).toBe(2);
	gates[1]?.reject(silence);
	await Promise.all(others);
	expect(gates).toHaveLength(2);
});

test('calls that come together are performed together, up to a number and a weight of them, and a heavy one alone', async () => {
	const batches: Array<readonly number[]> = [];
	const call = createBatch(
		async (items: readonly number[]) => {
			batches.push(items);
			return items;
		},
		{most: 3, name: 'the database', weight: {of: item => item, most: 10}},
	);
	const items = [1, 1, 1, 1, 8, 2, 12, 5];

	expect(await Promise.all(items.map(async item => call(item)))).toEqual(items);
	expect(batches).toEqual([[1, 1, 1], [1, 8], [2], [12], [5]]);
});

test('what waits behind a call that the database did not answer fails with it, and does not wait as long again', async () => {
	const batches: Array<readonly number[]> = [];
	const call = createBatch<number, number>(
		async items => {
			batches.push(items);
			throw new Error('Query read timeout');
		},
		{most: 1, name: 'the database'},
	);
	const calls = [1, 2, 3].map(async item => call(item));

	expect((await Promise.allSettled(calls)).map(({status}) => status)).toEqual([
		'rejected',
		'rejected',
		'rejected',
	]);
	expect(batches).toEqual([[1]]);
});
