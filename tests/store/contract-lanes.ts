import {describe, expect, test} from 'vitest';
import type {Lease, RouteLimit, Store} from '../../source/store/port.ts';
import type {Use} from './contract.ts';
import {acceptRun, fireRun, hourMs, logPlan, sampleEntry, sampleJob, startMs} from './samples.ts';

const idsOf = (leases: readonly Lease[]) => leases.map(({run}) => run.id);

/** `github` has one place, the others have as many as they want. */
const oneOfGithub: readonly RouteLimit[] = ['default', 'work'].map(profile => ({
	profile,
	route: 'github',
	most: 1,
}));

const limitsOf = (most: number, ...routes: readonly string[]): readonly RouteLimit[] =>
	routes.map(route => ({profile: 'default', route, most}));

const acceptOn = async (store: Store, route: string, profile = 'default') =>
	acceptRun(store, sampleEntry({route, profile}));

/** Runs that wait for their route or their job, and what goes past them. */
export function describeLanes(name: string, use: Use): void {
	describe(`${name}: lanes`, () => {
		test(
			'"of one route no more than `limits` say, where they name it; what waits for that holds up nothing behind it"',
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
			'oldest first over all lanes, and never more than a limit in one call',
			use(async (store, clock) => {
				const ids: number[] = [];
				for (const route of ['b', 'a', 'b', 'c', 'a', 'b']) {
					ids.push(await acceptOn(store, route));
					clock.advance(route === 'c' ? 0 : 1);
				}

				expect(idsOf(await store.runs.lease(9, 1000, limitsOf(2, 'a', 'b', 'c')))).toEqual(
					ids.slice(0, 5),
				);
				expect(idsOf(await store.runs.lease(9, 1000, limitsOf(3, 'a', 'b', 'c')))).toEqual(
					ids.slice(5),
				);
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
