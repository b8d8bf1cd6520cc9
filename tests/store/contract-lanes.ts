import {describe, expect, test} from 'vitest';
import type {Lease, RouteLimit, Store} from '../../source/store/port.ts';
import type {Use, UseTwo} from './contract.ts';
import {
	acceptRun,
	fireRun,
	hourMs,
	leaseOne,
	logPlan,
	sampleEntry,
	sampleJob,
	startMs,
} from './samples.ts';

const idsOf = (leases: readonly Lease[]) => leases.map(({run}) => run.id);

/** `github` has one place, the others have as many as they want. */
const oneOfGithub: readonly RouteLimit[] = ['default', 'work'].map(profile => ({
	profile,
	route: 'github',
	most: 1,
}));

const limitsOf = (most: number, ...routes: readonly string[]): readonly RouteLimit[] =>
	routes.map(route => ({profile: 'default', route, most}));

/** Gives one place to `count` runs, one after the other. */
const leaseAndEnd = async (store: Store, count: number) => {
	for (let ended = 0; ended < count; ended += 1) {
		await store.runs.settle(await leaseOne(store), {state: 'done'});
	}
};

const acceptOn = async (store: Store, route: string, profile = 'default') =>
	acceptRun(store, sampleEntry({route, profile}));

/** Runs that wait for their route or their job, and what goes past them. */
export function describeLanes(name: string, use: Use, useTwo: UseTwo): void {
	describe(`${name}: lanes`, () => {
		test(
			'"of one route no more than `limits` say; what waits for that holds up nothing behind it"',
			use(async store => {
				const [a, b, c, d] = [
					await acceptOn(store, 'github'),
					await acceptOn(store, 'github'),
					await acceptOn(store, 'gitlab'),
					await acceptOn(store, 'github', 'work'),
				];
				const leases = await store.runs.lease(9, 1000, oneOfGithub);

				expect(idsOf(leases)).toEqual([a, c, d]);
				expect(idsOf(await store.runs.lease(9, 1000, oneOfGithub))).toEqual([]);
				const [first] = leases;
				await (first && store.runs.settle(first, {state: 'done'}));
				expect(idsOf(await store.runs.lease(9, 1000, oneOfGithub))).toEqual([b]);
			}),
		);

		test(
			'routes in turn, oldest first within each, and never more than a limit in one call',
			use(async (store, clock) => {
				const ids: number[] = [];
				for (const route of ['b', 'a', 'b', 'c', 'a', 'b']) {
					ids.push(await acceptOn(store, route));
					clock.advance(route === 'c' ? 0 : 1);
				}

				const [b1, a1, b2, c1, a2, b3] = ids;
				expect(idsOf(await store.runs.lease(9, 1000, limitsOf(2, 'a', 'b', 'c')))).toEqual([
					b1,
					a1,
					c1,
					b2,
					a2,
				]);
				expect(idsOf(await store.runs.lease(9, 1000, limitsOf(3, 'a', 'b', 'c')))).toEqual([b3]);
			}),
		);

		test(
			'"Never two runs of one job at once", whoever fired them',
			use(async store => {
				const job = {...sampleJob, maxQueued: 9};
				const ids = [
					await fireRun(store),
					await acceptRun(store, sampleEntry({route: 'one'}, {job})),
					await acceptRun(store, sampleEntry({route: 'two'}, {job})),
					await acceptRun(store, sampleEntry({route: 'one'})),
					await fireRun(store, {job: {...sampleJob, profile: 'work'}}),
				];
				const order = [[ids[0], ids[3], ids[4]], [ids[1]], [ids[2]], []];
				for (const expected of order) {
					const leases = await store.runs.lease(9, 1000);
					expect(idsOf(leases)).toEqual(expected);
					expect(await store.runs.lease(9, 1000)).toEqual([]);
					for (const lease of leases) {
						await store.runs.settle(lease, {state: 'done'});
					}
				}
			}),
		);

		test(
			'the runs of a job that a route fires count for the route, those that nobody sent for none',
			use(async store => {
				const entry = (id: string) =>
					sampleEntry({route: 'github'}, {job: {...sampleJob, id, maxQueued: 9}});
				const [first, second] = [
					await acceptRun(store, entry('job_a')),
					await acceptRun(store, entry('job_b')),
				];
				const person = [
					await fireRun(store, {job: {...sampleJob, id: 'job_c'}}),
					await fireRun(store, {job: {...sampleJob, id: 'job_d'}}),
				];
				const [lease, ...others] = await store.runs.lease(9, 1000, limitsOf(1, 'github', '-'));
				expect(idsOf(lease ? [lease, ...others] : [])).toEqual([first, ...person]);
				await (lease && store.runs.settle(lease, {state: 'done'}));
				expect(idsOf(await store.runs.lease(9, 1000, limitsOf(1, 'github', '-')))).toEqual([
					second,
				]);
			}),
		);

		test(
			'a run between two tries takes no place, and waits for one when it is due',
			use(async (store, clock) => {
				const [first, second] = [await acceptOn(store, 'github'), await acceptOn(store, 'github')];
				const [lease] = await store.runs.lease(9, 60_000, oneOfGithub);
				await (lease && store.runs.settle(lease, {state: 'retry', at: startMs + 5000, error: 'x'}));
				const [next] = await store.runs.lease(9, 60_000, oneOfGithub);
				expect(next?.run.id).toBe(second);
				clock.advance(5000);
				expect(await store.runs.lease(9, 1000, oneOfGithub)).toEqual([]);
				await (next && store.runs.settle(next, {state: 'done'}));
				expect(idsOf(await store.runs.lease(9, 1000, oneOfGithub))).toEqual([first]);
			}),
		);

		test(
			'a lease that runs out gives its place back, and a crash gives back all',
			use(async (store, clock, home) => {
				const first = await acceptOn(store, 'github');
				await acceptOn(store, 'github');
				await store.runs.lease(9, 1000, oneOfGithub);
				clock.advance(1000);
				expect(idsOf(await store.runs.lease(9, 1000, oneOfGithub))).toEqual([first]);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(idsOf(await reopened.runs.lease(9, 1000, oneOfGithub))).toEqual([first]);
			}),
		);

		test(
			'"Runs that only wait for their job or their route are not due"',
			use(async (store, clock) => {
				await acceptOn(store, 'github');
				await acceptOn(store, 'github');
				await fireRun(store);
				await fireRun(store);
				expect(await store.runs.nextDue()).toBe(startMs);
				const [lease] = await store.runs.lease(9, hourMs, oneOfGithub);
				clock.advance(5);
				expect(await store.runs.nextDue(oneOfGithub)).toBe(startMs + hourMs);
				await acceptRun(store, sampleEntry({route: 'gitlab'}, {dueAt: startMs + 700}));
				expect(await store.runs.nextDue(oneOfGithub)).toBe(startMs + 700);
				await (lease && store.runs.settle(lease, {state: 'done'}));
				expect(await store.runs.nextDue(oneOfGithub)).toBe(startMs);
			}),
		);

		test(
			'a limit that was raised, or taken away, counts with the next lease',
			use(async store => {
				const ids = [1, 2, 3, 4].map(async () => acceptOn(store, 'github'));
				const [a, b, c, d] = await Promise.all(ids);
				expect(idsOf(await store.runs.lease(9, 1000, oneOfGithub))).toEqual([a]);
				expect(idsOf(await store.runs.lease(9, 1000, limitsOf(2, 'github')))).toEqual([b]);
				expect(idsOf(await store.runs.lease(9, 1000, limitsOf(1, 'github', '-')))).toEqual([]);
				expect(idsOf(await store.runs.lease(9, 1000))).toEqual([c, d]);
			}),
		);

		test(
			"10,000 runs of a route that is full stand in nobody's way",
			use(async store => {
				const many = Array.from({length: 10_000}, () =>
					sampleEntry({route: 'github'}, {maxQueued: 20_000, plan: logPlan}),
				);
				for (let from = 0; from < many.length; from += 5000) {
					const some = many.slice(from, from + 5000);
					await Promise.all(some.map(async entry => store.intake.accept(entry)));
				}

				const last = await acceptRun(store, sampleEntry({route: 'z'}, {maxQueued: 20_000}));
				expect(await store.runs.lease(1, 60_000, oneOfGithub)).toHaveLength(1);
				expect(idsOf(await store.runs.lease(1, 60_000, oneOfGithub))).toEqual([last]);
				expect(await store.runs.nextDue(oneOfGithub)).toBe(startMs + 60_000);
			}),
		);
	});

	describe(`${name}: turns`, () => {
		/** Gives one place to run after run until `id` has it; how many had it before. */
		const takenBefore = async (store: Store, id: number): Promise<number> => {
			for (let taken = 0; ; taken += 1) {
				const [lease] = await store.runs.lease(1, hourMs);
				if (!lease || lease.run.id === id) {
					expect(lease).toBeDefined();
					return taken;
				}

				await store.runs.settle(lease, {state: 'done'});
			}
		};

		test(
			'1,000 queued runs of one route delay one of another, and one of a job, by no run',
			use(async store => {
				await Promise.all(
					Array.from({length: 1000}, async () =>
						store.intake.accept(sampleEntry({route: 'flood'}, {plan: logPlan, maxQueued: 2000})),
					),
				);
				const [first] = await store.runs.lease(1, hourMs);
				await (first && store.runs.settle(first, {state: 'done'}));
				const other = await acceptRun(store, sampleEntry({route: 'other'}, {maxQueued: 2000}));
				expect(await takenBefore(store, other)).toBe(0);
				expect((await store.runs.counts()).queued).toBe(999);
				const fired = await fireRun(store);
				expect(await takenBefore(store, fired)).toBe(0);
			}),
		);

		test(
			'"the route whose last lease, from whatever gateway, is longest ago": one that has a run again and again waits for each of the others once',
			use(async store => {
				await Promise.all(
					['a', 'a', 'a', 'b', 'b', 'b'].map(async route => acceptOn(store, route)),
				);
				const routes: string[] = [];
				for (let turn = 0; turn < 9; turn += 1) {
					const [lease] = await store.runs.lease(1, hourMs);
					routes.push(lease?.run.route ?? '');
					await (lease && store.runs.settle(lease, {state: 'done'}));
					await (lease?.run.route === 'c' || turn === 0 ? acceptOn(store, 'c') : undefined);
				}

				expect(routes.join('')).toBe('abcabcabc');
			}),
		);

		test(
			'a route that had no run for a while has one turn, not all that it missed',
			use(async store => {
				await acceptOn(store, 'late');
				await leaseAndEnd(store, 1);
				await Promise.all([1, 2, 3, 4, 5].map(async () => acceptOn(store, 'busy')));
				await leaseAndEnd(store, 3);
				await Promise.all([1, 2].map(async () => acceptOn(store, 'late')));
				const leases = await store.runs.lease(4, hourMs);
				expect(leases.map(({run}) => run.route)).toEqual(['late', 'busy', 'late', 'busy']);
			}),
		);

		test(
			'two profiles with a route of one name have a turn each',
			use(async store => {
				await Promise.all([1, 2, 3].map(async () => acceptOn(store, 'github')));
				await leaseAndEnd(store, 1);
				const id = await acceptOn(store, 'github', 'work');
				expect(idsOf(await store.runs.lease(1, hourMs))).toEqual([id]);
			}),
		);

		test(
			'whose turn it is outlives the process',
			use(async (store, clock, home) => {
				await Promise.all(['a', 'a', 'b', 'b'].map(async route => acceptOn(store, route)));
				await leaseAndEnd(store, 1);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				const [lease] = await reopened.runs.lease(1, hourMs);
				expect(lease?.run.route).toBe('b');
			}),
		);

		test(
			'of two gateways on one storage, each goes on with the turn of the other',
			useTwo(async (store, other) => {
				await Promise.all(['a', 'a', 'a', 'b', 'b'].map(async route => acceptOn(store, route)));
				const routes: string[] = [];
				for (const one of [store, other, store, other]) {
					const [lease] = await one.runs.lease(1, hourMs);
					routes.push(lease?.run.route ?? '');
				}

				expect(routes.join('')).toBe('abab');
			}),
		);
	});

	describe(`${name}: what queued runs wait for`, () => {
		test(
			'each is counted once: for a worker, the rate limit, a login, or its next try',
			use(async (store, clock, home) => {
				expect(await store.runs.waits()).toEqual({
					waits: {worker: 0, rateLimit: 0, login: 0, retry: 0},
				});
				const ids = await Promise.all([1, 2, 3, 4].map(async () => acceptOn(store, 'github')));
				await acceptRun(store, sampleEntry({}, {dueAt: startMs + 9000}));
				clock.advance(3000);
				const [retry, login, delivery] = await store.runs.lease(3, hourMs);
				if (!retry || !login || !delivery) {
					throw new Error('three runs are due');
				}

				await store.runs.settle(retry, {state: 'retry', at: startMs + 8000, error: 'x'});
				await store.runs.settle(login, {
					state: 'awaits-logins',
					servers: ['crm'],
					mostMs: hourMs,
				});
				await store.runs.answer(delivery, {text: 'Done', model: 'm', toolCalls: 0});
				await store.runs.settle(delivery, {state: 'retry', at: startMs + 8000, error: 'x'});
				const waits = {worker: 1, rateLimit: 1, login: 1, retry: 1};
				expect(await store.runs.waits()).toEqual({waits, oldestDueAt: startMs});
				expect(await store.runs.counts()).toEqual({queued: 4, active: 1});
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(await reopened.runs.waits()).toEqual({waits, oldestDueAt: startMs});

				clock.advance(6000);
				expect((await store.runs.waits()).waits).toEqual({
					worker: 3,
					rateLimit: 0,
					login: 1,
					retry: 0,
				});
				expect(await store.runs.release('all')).toEqual([ids[1]]);
				await store.runs.lease(9, hourMs);
				expect(await store.runs.waits()).toEqual({
					waits: {worker: 0, rateLimit: 0, login: 0, retry: 0},
				});
			}),
		);

		test(
			'a run that was dropped waits for nothing, and an answer that is handed over again is none of the queued',
			use(async (store, clock, home) => {
				const id = await acceptOn(store, 'github');
				const [lease] = await store.runs.lease(1, hourMs);
				if (!lease) {
					throw new Error('a run is due');
				}

				await store.runs.answer(lease, {text: 'Done', model: 'm', toolCalls: 0});
				await store.runs.settle(lease, {state: 'dead', error: 'x'});
				await store.runs.drop(id);
				const waits = {worker: 0, rateLimit: 0, login: 0, retry: 0};
				expect(await store.runs.waits()).toEqual({waits});
				expect(await store.runs.counts()).toEqual({queued: 0, active: 0});
				clock.advance(1000);
				await store.runs.handOver(id, {kind: 'log', extra: {}});
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				for (const {runs} of [store, reopened]) {
					expect(await runs.waits()).toEqual({waits, oldestDueAt: startMs + 1000});
					expect(await runs.counts()).toEqual({queued: 0, active: 1});
				}
			}),
		);

		test(
			'"also of a lane without room": the oldest that waits is told, and one that was put back waits from then on',
			use(async (store, clock) => {
				const first = await acceptOn(store, 'github');
				clock.advance(1000);
				await acceptOn(store, 'github');
				clock.advance(1000);
				await acceptOn(store, 'gitlab');
				await store.runs.lease(1, hourMs, oneOfGithub);
				expect((await store.runs.waits()).oldestDueAt).toBe(startMs + 1000);
				await store.runs.cancel(first);
				clock.advance(1000);
				await store.runs.lease(9, hourMs);
				await store.runs.retry(first);
				expect((await store.runs.waits()).oldestDueAt).toBe(startMs + 3000);
			}),
		);
	});

	describe(`${name}: runs that are to begin later`, () => {
		test(
			'a wall clock that is set back holds up nothing that was queued before, however it came',
			use(async (store, clock) => {
				clock.advance(10);
				const accepted = await acceptOn(store, 'github');
				const fired = await fireRun(store);
				clock.jump(-hourMs);
				expect(idsOf(await store.runs.lease(9, 1000))).toEqual([accepted, fired]);
			}),
		);

		test(
			'nor what a person put back in the queue',
			use(async (store, clock) => {
				const id = await acceptOn(store, 'github');
				await store.runs.cancel(id);
				clock.advance(10);
				await store.runs.retry(id);
				clock.jump(-hourMs);
				expect(idsOf(await store.runs.lease(9, 1000))).toEqual([id]);
			}),
		);

		test(
			'"Earliest start of the run": not a millisecond before, in the order of their times',
			use(async (store, clock) => {
				const late = await acceptRun(store, sampleEntry({}, {dueAt: startMs + 2000}));
				const soon = await acceptRun(store, sampleEntry({}, {dueAt: startMs + 999.5}));
				const now = await acceptRun(store, sampleEntry({}, {dueAt: startMs - 5000}));
				expect(await store.runs.counts()).toEqual({queued: 3, active: 0});
				expect(await store.runs.view(late)).toMatchObject({
					state: 'queued',
					attempt: 0,
					nextAttemptAt: startMs + 2000,
				});
				expect((await store.runs.view(now))?.nextAttemptAt).toBeUndefined();
				expect(idsOf(await store.runs.lease(9, hourMs))).toEqual([now]);
				expect(await store.runs.nextDue()).toBe(startMs + 1000);
				clock.advance(999);
				expect(await store.runs.lease(9, hourMs)).toEqual([]);
				clock.advance(2000);
				expect(idsOf(await store.runs.lease(9, hourMs))).toEqual([soon, late]);
			}),
		);
	});
}
