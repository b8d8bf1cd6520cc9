// @module-tag slow
import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {afterAll, describe, expect, test, vi} from 'vitest';
import {createKeyUsages} from '../../source/api/keys/key-usage.ts';
import {startUsageWriter} from '../../source/api/keys/usage-writer.ts';
import {createIdSource} from '../../source/core/ids.ts';
import {silentLogger} from '../../source/core/log.ts';
import {refuseMembers} from '../../source/store/migrate/copy-counts.ts';
import type {Lease, RouteLimit, Store} from '../../source/store/port.ts';
import {createDatabase, type Database} from '../../source/store/postgres/database.ts';
import {enqueue} from '../../source/store/postgres/enqueue.ts';
import {openPostgresStore} from '../../source/store/postgres/open-postgres-store.ts';
import {createFakeClock, type FakeClock} from '../helpers/fake-clock.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {randomOf, runSeed} from '../helpers/random.ts';
import {startCuttingProxy} from '../soak/cluster/cutting-proxy.ts';
import {sampleKey} from './contract-keys.ts';
import {logPlan, sampleAnswer, sampleEntryOfTranscript, startMs} from './samples.ts';

const leaseMs = 30_000;

/** Several gateways on one database, which goes by `clock`. */
type Cluster = AsyncDisposable & {
	readonly url: string;
	readonly database: Database;
	readonly clock: FakeClock;
	/** Opens a store of a gateway with a home of its own; `own` is its clock. */
	open(place: string, own?: FakeClock, location?: string): Promise<Store>;
	/** Queues runs of these routes; their numbers. */
	queue(routes: readonly string[]): Promise<readonly number[]>;
};

describe.runIf(hasPostgres)('gateways that share runs', async () => {
	if (!hasPostgres) {
		return;
	}

	const server = await startPostgres();
	afterAll(() => server[Symbol.asyncDispose]());
	let made = 0;

	const createCluster = async (): Promise<Cluster> => {
		made += 1;
		const url = await server.create(`leases_${made}`);
		const clock = createFakeClock(startMs);
		const time = () => clock.monotonic();
		const stack = new AsyncDisposableStack();
		const database = createDatabase({clock, time}, {url});
		stack.defer(() => database.close());
		return {
			url,
			database,
			clock,
			open: async (place, own = clock, location = '') =>
				stack.use(await openPostgresStore({clock: own, time}, {url, node: place, place, location})),
			queue: async routes =>
				database.transact(async transaction => {
					const runs = await enqueue(
						transaction,
						routes.map((route, index) => ({
							// One with an event, of which nothing else is needed here.
							delivery: index + 1,
							profile: 'default',
							route,
							target: 'log',
							createdAt: startMs + index,
							dueAt: startMs + index,
						})),
					);
					await transaction.run(
						"insert into job_run (run, event, plan) select id, 'push', $2 from unnest($1::bigint[]) as id",
						[runs, JSON.stringify(logPlan)],
					);
					return runs;
				}, 'accept'),
			[Symbol.asyncDispose]: () => stack.disposeAsync(),
		};
	};

	const openThree = async (cluster: Cluster) =>
		Promise.all(['one', 'two', 'three'].map(async place => cluster.open(place)));

	const routes = Array.from({length: 10}, (_, index) => `route-${index}`);
	/** 30 runs of each of 10 routes, the first route first. */
	const manyRoutes = routes.flatMap(route => Array.from({length: 30}, () => route));

	test.for([
		[{side: 'before', commits: false, nth: 2}, 1],
		[{side: 'after', commits: false, nth: 2}, 1],
		[{side: 'before', commits: true, nth: 1}, 'refused'],
		[{side: 'after', commits: true, nth: 1}, 'refused'],
	] as const)(
		'a transaction whose connection breaks (%j) is done on another one, unless it may have been committed',
		async ([cut, result]) => {
			made += 1;
			const url = await server.create(`cut_${made}`);
			await using proxy = await startCuttingProxy(url);
			await using stack = new AsyncDisposableStack();
			const database = createDatabase({clock: createFakeClock(startMs)}, {url: proxy.url});
			stack.defer(async () => database.close());
			await database.run('create table done (id bigint)');
			const isCut = proxy.cut(cut, 60_000);
			const done = await database
				.transact(async ({run}) => run('insert into done values ($1)', [1]))
				.catch(({code}: {code?: string}) => (code === 'journal_unavailable' ? 'refused' : code));
			expect(await isCut).toBe(true);
			expect(done).toBe(result);
			const count = cut.commits && cut.side === 'before' ? 0 : 1;
			await vi.waitFor(async () => {
				expect(await database.query('select id from done')).toHaveLength(count);
			});
		},
	);

	test('a database that ends as soon as it has let a gateway in ends no gateway', async () => {
		const message = (type: string, body: Buffer) => {
			const length = Buffer.alloc(4);
			length.writeInt32BE(4 + body.length);
			return Buffer.concat([Buffer.from(type), length, body]);
		};
		const ending = createServer(socket => {
			socket.on('error', () => {});
			socket.once('data', () => {
				// All at once, as it comes when both are busy.
				socket.end(
					Buffer.concat([
						message('R', Buffer.alloc(4)),
						message('Z', Buffer.from('I')),
						message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0')),
					]),
				);
			});
		}).listen(0, '127.0.0.1');
		await once(ending, 'listening');
		const {port} = ending.address() as AddressInfo;
		const url = `postgres://svc@127.0.0.1:${port}/svc`;
		const database = createDatabase({clock: createFakeClock(startMs)}, {url});
		await expect(database.transact(async () => true)).rejects.toMatchObject({
			code: 'journal_unavailable',
		});
		await database.close();
		ending.close();
	});

	test('a database that hangs does not keep a gateway that ends', async () => {
		await using cluster = await createCluster();
		const {clock, database} = cluster;
		expect(await database.query('select 1 as one')).toEqual([{one: 1}]);
		server.signal('SIGSTOP');
		try {
			const closing = database.close();
			clock.advance(1000);
			await closing;
		} finally {
			server.signal('SIGCONT');
		}
	});

	test('runs are leased in turn over all gateways, whichever asks', async () => {
		await using cluster = await createCluster();
		const stores = await openThree(cluster);
		await cluster.queue(manyRoutes);
		cluster.clock.advance(1000);
		const leases = await Promise.all(
			stores.flatMap(store => Array.from({length: 10}, async () => store.runs.lease(1, leaseMs))),
		);
		const perRoute = Map.groupBy(leases.flat(), ({run}) => run.route);
		expect(routes.map(route => perRoute.get(route)?.length)).toEqual(routes.map(() => 3));
		expect(new Set(leases.flat().map(({run}) => run.id)).size).toBe(30);
	});

	test('each of 300 runs is leased once, and no limit is exceeded, while three gateways lease and settle at once', async () => {
		const random = randomOf(runSeed);
		await using cluster = await createCluster();
		const stores = await openThree(cluster);
		const ids = await cluster.queue(manyRoutes);
		cluster.clock.advance(1000);
		const limits: readonly RouteLimit[] = routes.map((route, index) => ({
			profile: 'default',
			route,
			most: 1 + (index % 3),
		}));
		const underWay = new Map<string, number>();
		const leased: number[] = [];
		let worst = 0;
		const settled: boolean[] = [];
		const work = async (store: Store) => {
			const held: Lease[] = [];
			for (let idle = 0; leased.length < ids.length || held.length > 0;) {
				for (const lease of await store.runs.lease(1 + Math.trunc(random() * 4), leaseMs, limits)) {
					const {id, route} = lease.run;
					leased.push(id);
					held.push(lease);
					const count = (underWay.get(route) ?? 0) + 1;
					underWay.set(route, count);
					worst = Math.max(worst, count - (limits.find(limit => limit.route === route)?.most ?? 0));
				}

				idle = held.length === 0 ? idle + 1 : 0;
				expect(idle).toBeLessThan(1000);
				const [ended] = held.splice(Math.trunc(random() * held.length), 1);
				if (ended) {
					underWay.set(ended.run.route, (underWay.get(ended.run.route) ?? 0) - 1);
					settled.push(await store.runs.settle(ended, {state: 'done'}));
				}
			}
		};
		await Promise.all(stores.map(work));
		expect(worst).toBeLessThanOrEqual(0);
		expect(leased.toSorted((a, b) => a - b)).toEqual(ids);
		expect(settled).toEqual(ids.map(() => true));
		expect(await stores[0]?.runs.counts()).toEqual({queued: 0, active: 0});
	}, 60_000);

	test('what a gateway holds counts at the others, and is leased there once its lease has run out', async () => {
		await using cluster = await createCluster();
		const {clock} = cluster;
		const [one, two] = [await cluster.open('one'), await cluster.open('two')];
		const [first] = await cluster.queue(['github', 'github']);
		const limits = [{profile: 'default', route: 'github', most: 1}];
		const [lease] = await one.runs.lease(9, leaseMs, limits);
		expect(lease?.run.id).toBe(first);
		expect(await two.runs.lease(9, leaseMs, limits)).toEqual([]);
		expect(await two.runs.nextDue(limits)).toBe(startMs + leaseMs);
		clock.advance(20_000);
		expect(lease && (await one.runs.beat(lease, leaseMs))).toBe(true);
		clock.advance(20_000);
		expect(await two.runs.lease(9, leaseMs, limits)).toEqual([]);
		clock.advance(10_000);
		const [again] = await two.runs.lease(9, leaseMs, limits);
		expect(again).toMatchObject({run: {id: first, attempt: 2}, phase: 'agent'});
	});

	test('a gateway that was stopped and goes on settles, answers, marks, prolongs and writes nothing of what another has leased since', async () => {
		await using cluster = await createCluster();
		const {clock} = cluster;
		const [one, two] = [await cluster.open('one'), await cluster.open('two')];
		const [id = 0] = await cluster.queue(['github']);
		const [stale] = await one.runs.lease(1, leaseMs);
		clock.advance(leaseMs);
		const [lease] = await two.runs.lease(1, leaseMs);
		if (!stale || !lease) {
			throw new Error('both have leased the run');
		}

		two.runs.append(lease, [sampleEntryOfTranscript('from the living')]);
		const before = await two.runs.get(id);
		one.runs.append(stale, [sampleEntryOfTranscript('from the dead')]);
		one.runs.work(stale, {model: 'old', toolCalls: 99});
		expect(
			await Promise.all([
				one.runs.markSideEffect(stale),
				one.runs.answer(stale, sampleAnswer),
				one.runs.markDeliveryStarted(stale, {isRepeatable: false}),
				one.runs.settle(stale, {state: 'done'}),
				one.runs.settle(stale, {state: 'retry', at: startMs, error: 'x'}),
				one.runs.settle(stale, {state: 'awaits-logins', servers: ['crm'], mostMs: 1}),
				one.runs.beat(stale, leaseMs),
			]),
		).toEqual([false, false, false, false, false, false, false]);
		expect(await two.runs.get(id)).toEqual(before);
		expect(before?.transcript).toHaveLength(1);
		expect(await two.runs.settle(lease, {state: 'done'})).toBe(true);
	});

	test('runs whose lease was written and not heard of are leased again by the next call, and none counts as lost', async () => {
		await using cluster = await createCluster();
		const {clock, database} = cluster;
		await using proxy = await startCuttingProxy(cluster.url);
		await using store = await openPostgresStore(
			{clock, time: () => clock.monotonic()},
			{url: proxy.url, node: 'cut', place: 'cut', location: ''},
		);
		const [held, ...runs] = await cluster.queue(['a', 'b', 'c']);
		clock.advance(10);
		const [own] = await store.runs.lease(1, leaseMs);
		expect(own?.run.id).toBe(held);
		const isCut = proxy.cut({side: 'after', commits: true, nth: 1}, 60_000);
		await expect(store.runs.lease(2, leaseMs)).rejects.toMatchObject({
			code: 'journal_unavailable',
		});
		expect(await isCut).toBe(true);
		await vi.waitFor(async () => {
			expect(await database.query('select id from run where lease_owner is not null')).toHaveLength(
				3,
			);
		});

		const leases = await store.runs.lease(9, leaseMs);
		expect(leases.map(({run}) => run.id)).toEqual(runs);
		expect(await database.query('select sum(lost_leases) as lost from run')).toEqual([{lost: 0}]);
		for (const lease of [own, ...leases]) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			expect(lease && (await store.runs.settle(lease, {state: 'done'}))).toBe(true);
		}
	});

	test('what keys used is added once, though the answer to its commit was lost', async () => {
		await using cluster = await createCluster();
		const {clock} = cluster;
		await using proxy = await startCuttingProxy(cluster.url);
		await using store = await openPostgresStore(
			{clock, time: () => clock.monotonic()},
			{url: proxy.url, node: 'cut', place: 'cut', location: ''},
		);
		await store.keys.put(sampleKey(), startMs);
		const usages = createKeyUsages({recent: [], totals: []});
		const use = () => {
			usages.add('key_one', startMs, {requests: 1, inputTokens: 10, outputTokens: 20});
		};
		use();
		const writer = startUsageWriter({
			clock,
			keys: store.keys,
			usages,
			log: silentLogger,
			onUsed() {},
		});
		const isCut = proxy.cut({side: 'after', commits: true, nth: 1}, 60_000);
		clock.advance(1000);
		expect(await isCut).toBe(true);
		use();
		await writer[Symbol.asyncDispose]();
		const added = {requests: 2, inputTokens: 20, outputTokens: 40};
		expect(await store.keys.totals()).toMatchObject([added]);
		expect(await store.keys.usesSince('')).toMatchObject([added]);
		await store.journal.purge({bodyMs: 1, bodyBytes: 1, rowMs: 1});
		expect(await cluster.database.query('select name from memo')).toHaveLength(1);
	});

	test('beats of many runs tell each of them whether it is still held', async () => {
		await using cluster = await createCluster();
		const store = await cluster.open('one');
		const other = await cluster.open('two');
		await cluster.queue(routes);
		cluster.clock.advance(1000);
		const leases = await store.runs.lease(10, leaseMs);
		const [lost] = leases;
		await other.runs.cancel(lost?.run.id ?? 0);
		const beats = await Promise.all(leases.map(async lease => store.runs.beat(lease, leaseMs)));
		expect(beats).toEqual(leases.map(lease => lease !== lost));
	});

	test('a gateway that closes gives its runs to the others at once, and none counts as lost', async () => {
		await using cluster = await createCluster();
		const last = await cluster.open('last');
		const told: string[] = [];
		last.events.subscribe(({kind}) => told.push(kind));
		const [id = 0] = await cluster.queue(['github']);
		for (const place of ['a', 'b', 'c', 'd']) {
			const store = await cluster.open(place);
			expect(await store.runs.lease(1, leaseMs)).toHaveLength(1);
			await store[Symbol.asyncDispose]();
			expect((await last.cluster.members()).map(({node}) => node)).toEqual(['last']);
		}

		expect(await last.runs.nextDue()).toBe(startMs);
		expect(await last.runs.lease(1, leaseMs)).toMatchObject([{run: {id, attempt: 5}}]);
		await vi.waitFor(() => {
			cluster.clock.advance(500);
			expect(told).toContain('runs-released');
		});
	});

	test('gateways that open at once have a part of the identifiers each, and take no other', async () => {
		await using cluster = await createCluster();
		const stores = await openThree(cluster);
		const slots = stores.map(store => store.share?.().slot);
		expect(new Set(slots)).toEqual(new Set([0, 1, 2]));
		const ids = stores.flatMap(store => {
			const next = createIdSource(cluster.clock, store.lastId, store.share);
			return Array.from({length: 200}, next);
		});
		expect(new Set(ids).size).toBe(600);

		// What the same home had is off the list, though it never said that it ended.
		const again = await cluster.open('one');
		const members = await again.cluster.members();
		expect(members.map(({node}) => node).toSorted()).toEqual(['one', 'three', 'two']);
		expect(members.map(({owner}) => owner)).toContain(again.owner);
	});

	test('a gateway that vanished is gone after a minute and is taken over, by one of those that look; it comes back when it is seen', async () => {
		await using cluster = await createCluster();
		const {clock, database} = cluster;
		const stopped = createFakeClock(startMs);
		const [one, two] = [await cluster.open('one'), await cluster.open('two')];
		const vanished = await cluster.open('vanished', stopped);
		const [id = 0] = await cluster.queue(['github']);
		await vanished.runs.lease(1, 999_000);
		const {id: _, ...request} = makeToolApproval();
		const ask = async (owner: string) =>
			database.run("insert into approval (owner, profile, data) values ($1, 'default', $2)", [
				owner,
				JSON.stringify(request),
			]);
		await ask(vanished.owner);
		await ask(one.owner);
		const stateOf = async () =>
			(await one.cluster.members()).find(({node}) => node === 'vanished')?.state;
		const seen = async (at: number) => {
			await vi.waitFor(async () => {
				const members = await one.cluster.members();
				const others = members.filter(({node}) => node !== 'vanished');
				expect(others.map(member => member.seen)).toEqual([at, at]);
			});
		};
		const none = {requeued: [], interrupted: [], uncertain: [], denied: []};

		for (const atMs of [10_000, 20_000, 30_000, 40_000, 50_000, 60_000]) {
			clock.advance(10_000);
			await seen(startMs + atMs);
		}

		expect(await stateOf()).toBe('live');
		expect(await one.takeOver()).toEqual(none);
		clock.advance(10_000);
		await seen(startMs + 70_000);
		expect(await stateOf()).toBe('gone');
		const taken = await Promise.all([one.takeOver(), two.takeOver()]);
		expect(taken.flatMap(({requeued}) => requeued)).toEqual([id]);
		const denied = taken.flatMap(all => all.denied);
		expect(denied).toMatchObject([{decision: {outcome: 'shutdown', at: startMs + 70_000}}]);
		expect(
			await database.query('select owner from approval where settled_at is null'),
		).toMatchObject([{owner: one.owner}]);

		stopped.advance(10_000);
		await vi.waitFor(async () => {
			expect(await stateOf()).toBe('live');
		});
		await database.run("delete from member where node = 'vanished'");
		expect(await stateOf()).toBeUndefined();
		stopped.advance(10_000);
		await vi.waitFor(async () => {
			expect(await stateOf()).toBe('live');
		});
		expect(vanished.share?.().slot).toBe(2);
	});

	test('a copy of a home that is alive elsewhere is refused by both names and takes nothing; the home itself may start again at once', async () => {
		await using cluster = await createCluster();
		const {clock, database} = cluster;
		const silent = createFakeClock(startMs);
		const first = await cluster.open('twin', silent, 'alpha:/srv/one\nboot-1');
		clock.advance(29_000);
		await expect(cluster.open('twin', clock, 'beta:/srv/two\nboot-1')).rejects.toMatchObject({
			code: 'member_duplicate',
			message: expect.stringMatching(
				/^Cannot .* as "twin" \(beta:\/srv\/two\): "twin" \(alpha:\/srv\/one\) .* seen 29 s ago/,
			),
		});
		const ownersOf = async () =>
			(await database.query('select owner from member')).map(({owner}) => owner);
		expect(await ownersOf()).toEqual([first.owner]);
		const again = await cluster.open('twin', silent, 'alpha:/srv/one\nboot-1');
		expect(await ownersOf()).toEqual([again.owner]);
		clock.advance(30_001);
		const moved = await cluster.open('twin', clock, 'beta:/srv/two\nboot-1');
		expect(await ownersOf()).toEqual([moved.owner]);
	});

	test('a copy begins on no database with members, and no member joins one that is half copied', async () => {
		await using cluster = await createCluster();
		const {database} = cluster;
		// Both look and write under one lock: whichever is second sees the first.
		let joining: Promise<unknown> = Promise.resolve();
		await database.transact(async ({run}) => {
			joining = cluster.open('late').catch((error: unknown) => error);
			await expect
				.poll(async () =>
					database.query('select 1 as one from pg_locks where locktype = $1 and not granted', [
						'advisory',
					]),
				)
				.toEqual([{one: 1}]);
			await run("insert into memo (id, kind, name, data) values (0, 'migration', 'to', '{}')");
		}, 'members');
		expect(await joining).toMatchObject({code: 'store_copy_incomplete'});
		expect(await database.query('select owner from member')).toEqual([]);
		await database.run("delete from memo where kind = 'migration'");
		await cluster.open('first');
		await expect(
			database.transact(async transaction => refuseMembers(transaction, database), 'members'),
		).rejects.toMatchObject({code: 'store_in_use'});
	});

	test('more than 32 gateways are too many, unless one of them is gone', async () => {
		await using cluster = await createCluster();
		const first = await cluster.open('first');
		await cluster.database.run(
			`insert into member (owner, node, place, slot, since, seen, data)
			select 'o' || n, 'n', 'p' || n, n, $1, $1, '{}' from generate_series(1, 31) as n`,
			[startMs],
		);
		await expect(cluster.open('more')).rejects.toMatchObject({code: 'cluster_full'});
		await cluster.database.run("update member set seen = 0 where owner = 'o7'");
		await cluster.database.run("update member set seen = $1 where owner = 'o8'", [
			startMs - 60_001,
		]);
		const more = await cluster.open('more');
		expect(more.share?.().slot).toBe(7);
		expect((await cluster.open('another')).share?.().slot).toBe(8);
		expect(await first.cluster.members()).toHaveLength(32);
	});
});
