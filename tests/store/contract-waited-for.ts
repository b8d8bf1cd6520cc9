import {describe, expect, test} from 'vitest';
import type {Store} from '../../source/store/port.ts';
import type {Use} from './contract.ts';
import {
	acceptGrouped,
	acceptRun,
	dayMs,
	fireRun,
	groupedEntry,
	hourMs,
	leaseOne,
	sampleAnswer,
	sampleDelivery,
	sampleEntry,
	sampleEntryOfTranscript,
	sampleJob,
	startMs,
} from './samples.ts';

const rash = {bodyMs: 0, bodyBytes: 0, rowMs: 0};
const month = {bodyMs: 999 * dayMs, bodyBytes: 2 ** 40, rowMs: 30 * dayMs};

const hasBody = async (store: Store, id: string) =>
	(await store.journal.get(id))?.body !== undefined;

/** What the retention and the listings know of groups and jobs. */
export function describeWaitedFor(name: string, use: Use): void {
	describe(`${name}: retention of what is waited for`, () => {
		test(
			'bodies of a pending group and of a run that has not ended are never dropped, and are dropped afterwards',
			use(async store => {
				const [grouped, queued, recorded] = [groupedEntry('k'), sampleEntry(), sampleDelivery()];
				await acceptGrouped(store, grouped);
				await acceptRun(store, queued);
				await store.intake.record({delivery: recorded, claim: false});
				const kept = async () =>
					Promise.all(
						[grouped.delivery, queued.delivery, recorded].map(async ({id}) => hasBody(store, id)),
					);

				expect(await store.journal.purge(rash)).toEqual({bodies: 1, rows: 0});
				expect(await kept()).toEqual([true, true, false]);
				await store.groups.dispatch('all', 'person');
				const [first, second] = await store.runs.lease(2, hourMs);
				expect(await store.journal.purge(rash)).toMatchObject({bodies: 0});
				for (const lease of [first, second]) {
					await (lease && store.runs.settle(lease, {state: 'done'}));
				}

				expect(await store.journal.purge(rash)).toMatchObject({bodies: 2});
				expect(await kept()).toEqual([false, false, false]);
			}),
		);

		test(
			'a body that was waited for goes later, however many slices lie behind it',
			use(async (store, clock) => {
				const entry = groupedEntry('k');
				await acceptGrouped(store, entry);
				for (let count = 0; count < 250; count += 1) {
					await store.intake.record({delivery: sampleDelivery(), claim: false});
				}

				clock.advance(8 * dayMs);
				await store.intake.record({
					delivery: sampleDelivery({receivedAt: clock.now()}),
					claim: false,
				});
				const week = {...month, bodyMs: 7 * dayMs};
				expect(await store.journal.purge(week)).toMatchObject({bodies: 250});
				await store.groups.dispatchDue();
				await store.runs.settle(await leaseOne(store), {state: 'done'});
				expect(await store.journal.purge(week)).toMatchObject({bodies: 1});
				expect(await hasBody(store, entry.delivery.id)).toBe(false);
			}),
		);

		test(
			'a pending group and its events stay however old they are',
			use(async (store, clock) => {
				const {group} = await acceptGrouped(store);
				await acceptGrouped(store);
				await store.intake.record({delivery: sampleDelivery(), claim: false});
				clock.advance(99 * dayMs);
				expect(await store.journal.purge(month)).toEqual({bodies: 0, rows: 0});
				expect((await store.groups.get(group.id))?.members).toHaveLength(2);
			}),
		);

		test(
			'"dispatched groups are deleted with their deliveries", and their runs with them',
			use(async (store, clock, home) => {
				const entries = [groupedEntry('k'), groupedEntry('k')];
				for (const entry of entries) {
					await acceptGrouped(store, entry);
				}

				const [group] = await store.groups.dispatch('all', 'stop');
				const lease = await leaseOne(store);
				store.runs.append(lease, [sampleEntryOfTranscript('x')]);
				await store.runs.answer(lease, sampleAnswer);
				clock.advance(hourMs);
				const waiting = {receivedAt: clock.now()};
				await acceptGrouped(store, groupedEntry('newest', waiting));
				await store.groups.dispatch('all', 'stop');
				await store.intake.record({delivery: sampleDelivery(waiting), claim: false});
				clock.advance(31 * dayMs);
				expect(await store.journal.purge(month)).toMatchObject({rows: 0});

				await store.runs.settle(lease, {state: 'done'});
				await store.runs.settle(await leaseOne(store), {state: 'done'});
				expect(await store.journal.purge(month)).toEqual({bodies: 0, rows: 2});
				expect(await store.groups.get(group?.id ?? 0)).toBeUndefined();
				expect(await store.runs.get(group?.runId ?? 0)).toBeUndefined();
				for (const {delivery} of entries) {
					expect(await store.journal.get(delivery.id)).toBeUndefined();
				}

				// The numbers of the newest group and run are not given out again.
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				const next = await acceptGrouped(reopened, groupedEntry('k'));
				expect(next.group.id).toBe((group?.id ?? 0) + 2);
				expect(await reopened.groups.dispatch('all', 'stop')).toMatchObject([
					{runId: (group?.runId ?? 0) + 2},
				]);
			}),
		);

		test(
			'runs without a delivery go by age, except the newest and those that have not ended',
			use(async (store, clock) => {
				const job = (id: string) => ({job: {...sampleJob, id}});
				const done = await fireRun(store, job('job_a'));
				const lease = await leaseOne(store);
				store.runs.append(lease, [sampleEntryOfTranscript('x')]);
				await store.runs.answer(lease, sampleAnswer);
				await store.runs.settle(lease, {state: 'done'});
				const waiting = await fireRun(store, job('job_b'));
				for (let count = 0; count < 250; count += 1) {
					await store.runs.cancel(await fireRun(store, job('job_c')));
				}

				const newest = await fireRun(store, job('job_d'));
				await store.runs.cancel(newest);
				clock.advance(30 * dayMs - 1);
				expect(await store.journal.purge(month)).toEqual({bodies: 0, rows: 0});
				clock.advance(1);
				expect(await store.journal.purge(month)).toEqual({bodies: 0, rows: 251});
				expect((await store.runs.list({limit: 9})).map(({id}) => id)).toEqual([newest, waiting]);
				expect(await store.runs.get(done)).toBeUndefined();
				expect(await store.runs.get(waiting)).toMatchObject({event: 'person'});
				expect(await store.jobs.list()).toHaveLength(4);
			}),
		);
	});

	describe(`${name}: retention of what was imported`, () => {
		test(
			'a delivery that another journal received long ago stays as long as one of today',
			use(async (store, clock) => {
				clock.advance(400 * dayMs);
				const made = sampleDelivery({receivedAt: clock.now()});
				const imported = {...made, receivedAt: startMs};
				await store.intake.record({delivery: imported, claim: false});
				await store.intake.record({
					delivery: sampleDelivery({receivedAt: clock.now()}),
					claim: false,
				});
				const week = {...month, bodyMs: 7 * dayMs};
				clock.advance(7 * dayMs - 1);
				expect(await store.journal.purge(week)).toEqual({bodies: 0, rows: 0});
				clock.advance(1000);
				expect(await store.journal.purge(week)).toEqual({bodies: 2, rows: 0});
				clock.advance(23 * dayMs);
				expect(await store.journal.purge(week)).toEqual({bodies: 0, rows: 1});
				expect(await store.journal.get(imported.id)).toBeUndefined();
			}),
		);
	});

	describe(`${name}: listing deliveries by what became of them`, () => {
		const ids = async (store: Store, filter: Partial<Parameters<Store['journal']['list']>[0]>) =>
			(await store.journal.list({limit: 9, ...filter})).map(({id}) => id);

		test(
			'"Only deliveries whose run, or whose group\'s run, is in one of these states"',
			use(async store => {
				const [failed, queued, noted] = [sampleEntry(), sampleEntry(), sampleDelivery()];
				const [first, second, pending] = [
					groupedEntry('k'),
					groupedEntry('k'),
					groupedEntry('pending'),
				];
				await acceptRun(store, failed);
				await store.runs.settle(await leaseOne(store), {state: 'failed', error: 'x'});
				await acceptGrouped(store, first);
				await acceptGrouped(store, second);
				const [group] = await store.groups.dispatch('all', 'person');
				await store.runs.settle(await leaseOne(store), {state: 'dead', error: 'x'});
				await acceptGrouped(store, pending);
				await acceptRun(store, queued);
				await store.intake.record({delivery: noted, claim: false});

				const idOf = ({delivery}: typeof first) => delivery.id;
				const grouped = [idOf(second), idOf(first)];
				expect(await ids(store, {runStates: ['dead']})).toEqual(grouped);
				expect(new Set(await ids(store, {runStates: ['dead', 'failed']}))).toEqual(
					new Set([...grouped, idOf(failed)]),
				);
				expect(await ids(store, {runStates: ['queued']})).toEqual([idOf(queued)]);
				expect(await ids(store, {runStates: []})).toEqual([]);
				expect(await ids(store, {runStates: ['dead'], route: 'gitlab'})).toEqual([]);
				const [latest, earlier] = await store.journal.list({runStates: ['dead'], limit: 2});
				expect(latest).toMatchObject({group: group?.id, runId: group?.runId});
				expect(earlier).toMatchObject({group: group?.id});
				expect(earlier?.runId).toBeUndefined();
			}),
		);

		test(
			'"Only those received since", to the millisecond, however many are older',
			use(async store => {
				const at = [0, 1, 2].map(hour => startMs + hour * hourMs);
				const deliveries = at.flatMap(receivedAt => [1, 2].map(() => sampleDelivery({receivedAt})));
				for (const delivery of deliveries) {
					await store.intake.record({delivery, claim: false});
				}

				const newest = deliveries.map(({id}) => id).toReversed();
				expect(await ids(store, {since: 0})).toEqual(newest);
				expect(await ids(store, {since: startMs})).toEqual(newest);
				expect(await ids(store, {since: startMs + 1})).toEqual(newest.slice(0, 4));
				expect(await ids(store, {since: startMs + 2 * hourMs})).toEqual(newest.slice(0, 2));
				expect(await ids(store, {since: startMs + 2 * hourMs + 1})).toEqual([]);
				expect(await ids(store, {since: startMs + hourMs, limit: 3})).toEqual(newest.slice(0, 3));
			}),
		);

		test(
			'what was received at that very moment is found behind thousands of newer ones',
			use(async store => {
				const rare = sampleDelivery({outcome: 'delivered', status: 200});
				await store.intake.record({delivery: rare, claim: false});
				const newer = Array.from({length: 4100}, () => sampleDelivery());
				await Promise.all(
					newer.map(async delivery => store.intake.record({delivery, claim: false})),
				);

				const filter = {outcomes: ['delivered']};
				expect(await ids(store, {...filter, since: startMs})).toEqual([rare.id]);
				expect(await ids(store, {...filter, since: startMs + 1})).toEqual([]);
				expect(await ids(store, {since: startMs + 1})).toEqual([]);
			}),
		);

		test(
			'"record() must accept deliveries" that were part of a group elsewhere: they join none here',
			use(async store => {
				const delivery = sampleDelivery({
					outcome: 'coalesced',
					idSource: 'import',
					group: 7,
					runId: 9,
				});
				await store.intake.record({delivery, claim: false});
				const stored = await store.journal.get(delivery.id);
				expect(stored?.outcome).toBe('coalesced');
				expect(stored).not.toHaveProperty('group');
				expect(stored).not.toHaveProperty('runId');
				expect(await store.intake.holderOf(delivery, hourMs)).toBeUndefined();
			}),
		);
	});
}
