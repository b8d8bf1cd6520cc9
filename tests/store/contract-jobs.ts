import {describe, expect, test} from 'vitest';
import type {Store} from '../../source/store/port.ts';
import type {Use} from './contract.ts';
import {
	acceptRun,
	fireRun,
	hourMs,
	leaseOne,
	logPlan,
	sampleAnswer,
	sampleEntry,
	sampleEntryOfTranscript,
	sampleJob,
	samplePlan,
	startMs,
} from './samples.ts';

const key = {profile: sampleJob.profile, id: sampleJob.id};
const other = {profile: 'default', id: 'job_zzzz9999', name: 'hourly'};
/** So early that both fire now: clocks of members differ. */
const dueAt = startMs + 30_000;
const nextAt = dueAt + 30_000;
const firing = {job: sampleJob, plan: logPlan, maxQueued: 1000};
const tick = {...firing, tick: {dueAt, nextAt}};

/** A job that waits for `dueAt`. */
const plan = async (store: Store) => store.jobs.plan(key, {nextAt: dueAt, basis: '0 * * * * UTC'});

/** Scheduled jobs: when they fire, and the runs that these become. */
export function describeJobs(name: string, use: Use): void {
	describe(`${name}: jobs`, () => {
		test(
			'the next time of a job is kept, also over a crash, until it is forgotten',
			use(async (store, clock, home) => {
				expect(await store.jobs.list()).toEqual([]);
				await store.jobs.plan(other, {nextAt: undefined, basis: 'paused'});
				await plan(store);
				await store.jobs.plan({...key, profile: 'work'}, {nextAt: 1, basis: 'x'});
				const planned = {...key, nextAt: dueAt, basis: '0 * * * * UTC', open: 0};
				const expected = [
					planned,
					{profile: 'default', id: other.id, basis: 'paused', open: 0},
					{...key, profile: 'work', nextAt: 1, basis: 'x', open: 0},
				];

				expect(await store.jobs.list()).toEqual(expected);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(await reopened.jobs.list()).toEqual(expected);
				await reopened.jobs.forget(other);
				await reopened.jobs.forget({...key, profile: 'work'});
				await reopened.jobs.forget({...key, profile: 'none'});
				expect(await reopened.jobs.list()).toEqual([planned]);
				await reopened.jobs.plan(key, {nextAt: undefined, basis: 'edited'});
				expect(await reopened.jobs.list()).toEqual([{...key, basis: 'edited', open: 0}]);
			}),
		);

		test(
			'a plan that is written late puts no tick back that has fired',
			use(async (store, clock) => {
				const planned = {nextAt: dueAt, basis: '0 * * * * UTC'};
				const unseen = {record: undefined};
				expect(await store.jobs.plan(key, planned, unseen)).toBe(true);
				expect(await store.jobs.plan(key, {nextAt: 1, basis: 'x'}, unseen)).toBe(false);
				const seen = {record: await store.jobs.get(key)};
				expect(await store.jobs.plan(key, planned, seen)).toBe(true);
				clock.advance(hourMs);
				await fireRun(store, tick);
				expect(await store.jobs.plan(key, planned, seen)).toBe(false);
				expect(await store.jobs.fire(tick)).toEqual({kind: 'stale'});
				expect(await store.jobs.get(key)).toMatchObject({nextAt});
			}),
		);

		test(
			'"the schedule\'s tick" writes the queued run and the next time',
			use(async (store, clock) => {
				await plan(store);
				clock.advance(hourMs + 7);
				const runId = await fireRun(store, tick);

				expect(await store.runs.get(runId)).toEqual({
					id: runId,
					profile: 'default',
					route: '-',
					event: 'schedule',
					job: {id: sampleJob.id, name: 'nightly'},
					target: 'log',
					state: 'queued',
					attempt: 0,
					deliveryAttempt: 0,
					createdAt: clock.now(),
					toolCalls: 0,
					plan: logPlan,
					transcript: [],
				});
				expect(await store.jobs.list()).toEqual([
					{
						...key,
						basis: '0 * * * * UTC',
						nextAt,
						lastAt: clock.now(),
						lastRunId: runId,
						open: 1,
					},
				]);
				expect(await store.runs.counts()).toEqual({queued: 1, active: 0});
			}),
		);

		test(
			'"it fires only while the journal waits for exactly that time": never twice, also over a crash',
			use(async (store, clock, home) => {
				expect(await store.jobs.fire(tick)).toEqual({kind: 'stale'});
				await plan(store);
				const both = await Promise.all([store.jobs.fire(tick), store.jobs.fire(tick)]);
				expect(both.map(({kind}) => kind)).toEqual(['fired', 'stale']);
				await store.runs.settle(await leaseOne(store), {state: 'done'});
				expect(await store.jobs.fire(tick)).toEqual({kind: 'stale'});

				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(await reopened.jobs.fire(tick)).toEqual({kind: 'stale'});
				const last = {...firing, tick: {dueAt: nextAt, nextAt: undefined}};
				expect(await reopened.jobs.fire(last)).toMatchObject({kind: 'fired'});
				expect((await reopened.jobs.list())[0]?.nextAt).toBeUndefined();
				expect(await reopened.jobs.fire(last)).toEqual({kind: 'stale'});
				await reopened.jobs.forget(key);
				expect(await reopened.jobs.fire(tick)).toEqual({kind: 'stale'});
				expect(await reopened.runs.list({limit: 9})).toHaveLength(2);
			}),
		);

		test(
			'"not while a run of the job has not ended; nothing was written but the next time"',
			use(async store => {
				await plan(store);
				await store.jobs.plan(other, {nextAt: dueAt, basis: ''});
				const first = await fireRun(store);
				await fireRun(store, {job: {...sampleJob, profile: 'work'}});
				expect(await store.jobs.fire(tick)).toEqual({kind: 'busy', runId: first});
				expect(await store.jobs.list()).toMatchObject([
					{nextAt, lastRunId: first, open: 1},
					{id: other.id, open: 0},
					{profile: 'work', open: 1},
				]);
				expect(await store.jobs.fire({...tick, job: other})).toMatchObject({kind: 'fired'});
				expect(await store.runs.counts()).toEqual({queued: 3, active: 0});

				await store.runs.settle(await leaseOne(store), {state: 'failed', error: 'x'});
				const next = {...firing, tick: {dueAt: nextAt, nextAt: undefined}};
				expect(await store.jobs.fire(next)).toMatchObject({kind: 'fired'});
			}),
		);

		test(
			'"then the time is over, unless the tick `waits`"',
			use(async store => {
				await plan(store);
				const first = await fireRun(store);
				const waiting = {...firing, tick: {dueAt, nextAt, waits: true}};
				expect(await store.jobs.fire(waiting)).toEqual({kind: 'busy', runId: first});
				expect(await store.jobs.get(key)).toMatchObject({nextAt: dueAt, open: 1});
				await store.runs.cancel(first);
				expect(await store.jobs.fire(waiting)).toMatchObject({kind: 'fired'});
				expect(await store.jobs.get(key)).toMatchObject({nextAt, open: 1});
				expect(await store.jobs.get(other)).toBeUndefined();
			}),
		);

		test(
			'"`queued` runs wait already; nothing was written": the tick waits, too',
			use(async store => {
				await plan(store);
				await acceptRun(store);
				expect(await store.jobs.fire({...tick, maxQueued: 1})).toEqual({kind: 'full', queued: 1});
				expect(await store.jobs.list()).toMatchObject([{nextAt: dueAt}]);
				expect(await store.jobs.fire({...tick, maxQueued: 2})).toMatchObject({kind: 'fired'});
			}),
		);

		test(
			'"Without, a person or a route asked: the run waits for its turn", and the schedule stays',
			use(async store => {
				await plan(store);
				const runs = [await fireRun(store, tick), await fireRun(store), await fireRun(store)];
				expect(await store.runs.view(runs[1] ?? 0)).toMatchObject({event: 'person', route: '-'});
				expect(await store.jobs.list()).toMatchObject([{nextAt, lastRunId: runs[2], open: 3}]);
				expect((await store.runs.lease(9, 1000)).map(({run}) => run.id)).toEqual(runs.slice(0, 1));
			}),
		);

		test(
			'the name of a job comes out clean',
			use(async store => {
				const runId = await fireRun(store, {job: {...sampleJob, name: 'evil\u001B[31m\nFAKE'}});
				const job = {id: sampleJob.id, name: 'evil␛[31m␊FAKE'};
				expect(await store.runs.view(runId)).toMatchObject({job});
				expect(await store.runs.list({limit: 1})).toMatchObject([{job}]);
				expect(await store.runs.get(runId)).toMatchObject({job});
			}),
		);

		test(
			'a job that was never planned can be fired',
			use(async store => {
				const runId = await fireRun(store, {job: other});
				expect(await store.jobs.list()).toEqual([
					{profile: 'default', id: other.id, basis: '', lastAt: startMs, lastRunId: runId, open: 1},
				]);
			}),
		);

		test(
			'a route fires a job with its event and keeps the plan with the delivery',
			use(async store => {
				await plan(store);
				const entry = sampleEntry({}, {job: {...sampleJob, maxQueued: 20}});
				const runId = await acceptRun(store, entry);
				expect(await store.runs.get(runId)).toMatchObject({
					delivery: entry.delivery.id,
					route: 'github',
					event: 'push',
					job: {id: sampleJob.id, name: 'nightly'},
					plan: samplePlan,
				});
				expect(await store.jobs.list()).toMatchObject([
					{nextAt: dueAt, lastAt: startMs, lastRunId: runId, open: 1},
				]);
				expect((await store.intake.accept(entry)).kind).toBe('duplicate');
			}),
		);

		test(
			'"at most `maxQueued` of those wait": "id not consumed"',
			use(async store => {
				const job = {...sampleJob, maxQueued: 2};
				const entries = [1, 2, 3, 4].map(() => sampleEntry({}, {job}));
				const answers = await Promise.all(entries.map(async entry => store.intake.accept(entry)));
				expect(answers).toMatchObject([
					{kind: 'accepted'},
					{kind: 'accepted'},
					{kind: 'job-full', queued: 2},
					{kind: 'job-full', queued: 2},
				]);
				const [, , refused] = entries;
				const {delivery} = refused ?? sampleEntry();
				expect(await store.journal.get(delivery.id)).toBeUndefined();
				expect(await store.intake.holderOf(delivery, hourMs)).toBeUndefined();
				await acceptRun(store, sampleEntry({}, {job: {...other, maxQueued: 1}}));
				await acceptRun(store);

				await leaseOne(store);
				expect((await store.intake.accept({...sampleEntry(), job, delivery})).kind).toBe(
					'accepted',
				);
			}),
		);

		test(
			'a run without a delivery goes its way as any other, also over a crash',
			use(async (store, clock, home) => {
				const id = await fireRun(store, {plan: samplePlan});
				const lease = await leaseOne(store);
				expect(lease).toMatchObject({phase: 'agent', run: {id, plan: samplePlan}});
				store.runs.append(lease, [sampleEntryOfTranscript('so far')]);
				await store.runs.answer(lease, sampleAnswer);
				await store.runs.markDeliveryStarted(lease, {isRepeatable: false});

				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(reopened.taken.uncertain).toEqual([id]);
				expect(await reopened.runs.get(id)).toMatchObject({
					state: 'uncertain',
					profile: 'default',
					route: '-',
					event: 'person',
					plan: samplePlan,
					fullAnswer: 'All good',
					transcript: [{text: 'so far'}],
				});
				expect(await reopened.runs.retry(id)).toBe(true);
				expect(await leaseOne(reopened)).toMatchObject({phase: 'deliver', run: {id}});
				expect(await reopened.runs.cancel(id)).toBe(true);
				expect(await reopened.jobs.list()).toMatchObject([{open: 0}]);
			}),
		);

		test(
			'runs are listed by their job',
			use(async store => {
				const first = await fireRun(store);
				await acceptRun(store);
				await fireRun(store, {job: other});
				const last = await acceptRun(store, sampleEntry({}, {job: {...sampleJob, maxQueued: 9}}));
				const ids = async (filter: Parameters<Store['runs']['list']>[0]) =>
					(await store.runs.list(filter)).map(({id}) => id);

				expect(await ids({job: sampleJob.id, limit: 9})).toEqual([last, first]);
				expect(await ids({job: sampleJob.id, route: '-', limit: 9})).toEqual([first]);
				expect(await ids({job: 'nightly', limit: 9})).toEqual([]);
				expect(await ids({limit: 9})).toHaveLength(4);
			}),
		);
	});
}
