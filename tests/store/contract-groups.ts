import {describe, expect, test} from 'vitest';
import type {Group} from '../../source/core/group.ts';
import type {Store} from '../../source/store/port.ts';
import type {Use} from './contract.ts';
import {createJumpingClock} from './jumping-clock.ts';
import {
	acceptGrouped,
	acceptRun,
	fireRun,
	groupedEntry,
	hourMs,
	leaseOne,
	sampleEntry,
	samplePlan,
	sampleWindow,
	startMs,
} from './samples.ts';

const {windowMs, maxWaitMs} = sampleWindow;

const idsOf = (groups: readonly Group[]) => groups.map(({id}) => id);

/** Coalescing: events that wait in groups, and the runs that these become. */
export function describeGroups(name: string, use: Use): void {
	describe(`${name}: groups`, () => {
		test(
			'"event arrives, key resolves: pending, event buffered"',
			use(async store => {
				const entry = groupedEntry('acme/api#7');
				const {group, dispatched} = await acceptGrouped(store, entry);

				expect(dispatched).toBeUndefined();
				expect(group).toEqual({
					id: group.id,
					profile: 'default',
					route: 'github',
					key: 'acme/api#7',
					state: 'pending',
					firstAt: startMs,
					lastAt: startMs,
					quietAt: startMs + windowMs,
					capAt: startMs + maxWaitMs,
					count: 1,
					latest: entry.delivery.id,
					event: 'push',
				});
				expect(await store.groups.get(group.id)).toEqual({
					...group,
					members: [
						{
							delivery: entry.delivery.id,
							deliveryId: entry.delivery.deliveryId,
							event: 'push',
							receivedAt: startMs,
						},
					],
				});
				expect(await store.journal.get(entry.delivery.id)).toEqual({
					...entry.delivery,
					group: group.id,
				});
				expect(await store.runs.list({limit: 10})).toEqual([]);
				expect(await store.runs.counts()).toEqual({queued: 0, active: 0});
				expect((await store.runs.counts()).queued).toBe(0);
				expect(await store.groups.pending()).toBe(1);
			}),
		);

		test(
			'"another event, same key: replaces the buffered event; quiet timer restarts; superseded count grows"',
			use(async (store, clock) => {
				const first = await acceptGrouped(store);
				clock.advance(windowMs - 1);
				const entry = groupedEntry('acme/api#7', {event: 'pull_request'});
				const {group} = await acceptGrouped(store, entry);

				expect(group).toEqual({
					...first.group,
					lastAt: startMs + windowMs - 1,
					quietAt: startMs + 2 * windowMs - 1,
					count: 2,
					latest: entry.delivery.id,
					event: 'pull_request',
				});
				expect(await store.groups.pending()).toBe(1);
				expect(await store.groups.nextDueMs()).toBe(windowMs);
				expect(await store.groups.dispatchDue()).toEqual([]);
			}),
		);

		test(
			'"one agent run with the latest event\'s payload, prompt and delivery templates; prompt gets a note giving how many earlier events were superseded"',
			use(async (store, clock) => {
				const [one, two, three] = [1, 2, 3].map(count =>
					groupedEntry(
						'k',
						{event: `event-${count}`},
						{
							plan: {
								...samplePlan,
								prompt: `prompt ${count}`,
								target: {kind: count === 3 ? 'log' : 'forge_comment', extra: {count}},
							},
						},
					),
				);
				for (const entry of [one, two, three]) {
					await acceptGrouped(store, entry);
				}

				clock.advance(windowMs);
				const [group] = await store.groups.dispatchDue();
				const runId = group?.runId ?? 0;
				const latest = three?.delivery.id ?? '';

				expect(group).toMatchObject({
					state: 'dispatched',
					reason: 'quiet',
					count: 3,
					latest,
					event: 'event-3',
					dispatchedAt: startMs + windowMs,
				});
				expect(await store.runs.get(runId)).toEqual({
					id: runId,
					delivery: latest,
					profile: 'default',
					route: 'github',
					event: 'event-3',
					superseded: 2,
					group: group?.id,
					target: 'log',
					state: 'queued',
					attempt: 0,
					deliveryAttempt: 0,
					createdAt: startMs + windowMs,
					toolCalls: 0,
					plan: {
						...samplePlan,
						prompt: 'prompt 3\n\n[2 earlier events for this key were superseded by this one]',
						target: {kind: 'log', extra: {count: 3}},
					},
					transcript: [],
				});
				expect(await leaseOne(store)).toMatchObject({
					run: {id: runId, plan: {target: {kind: 'log'}}},
				});
				expect(await store.journal.get(latest)).toMatchObject({group: group?.id, runId});
				const superseded = await store.journal.get(one?.delivery.id ?? '');
				expect(superseded).toMatchObject({group: group?.id});
				expect(superseded?.runId).toBeUndefined();
				expect(await store.groups.pending()).toBe(0);
				expect(await store.groups.nextDueMs()).toBeUndefined();
				expect(await store.groups.dispatchDue()).toEqual([]);
				expect((await store.groups.get(group?.id ?? 0))?.members.map(({event}) => event)).toEqual([
					'event-1',
					'event-2',
					'event-3',
				]);
			}),
		);

		test(
			'a group of one event has no note',
			use(async store => {
				const {group} = await acceptGrouped(store);
				const [dispatched] = await store.groups.dispatch({id: group.id}, 'person');
				const run = await store.runs.get(dispatched?.runId ?? 0);

				expect(run?.plan).toEqual(samplePlan);
				expect(run?.superseded).toBeUndefined();
				expect(run?.group).toBe(group.id);
			}),
		);

		test(
			'"max_wait_seconds since first event elapse": not a millisecond later, however many come',
			use(async (store, clock) => {
				const {group: opened} = await acceptGrouped(store);
				for (let count = 0; count < 15; count += 1) {
					clock.advance(windowMs - 10_000);
					if (clock.now() < startMs + maxWaitMs) {
						await acceptGrouped(store);
					}
				}

				expect(clock.now()).toBe(startMs + maxWaitMs);
				expect(await store.groups.nextDueMs()).toBe(0);
				expect(await store.groups.dispatchDue()).toMatchObject([
					{id: opened.id, reason: 'cap', count: 15, dispatchedAt: startMs + maxWaitMs},
				]);
			}),
		);

		test(
			'a group that is over is dispatched by the next event of its key, which opens another',
			use(async (store, clock) => {
				const first = await acceptGrouped(store);
				clock.advance(windowMs);
				const {group, dispatched} = await acceptGrouped(store);

				expect(dispatched).toMatchObject({
					id: first.group.id,
					state: 'dispatched',
					reason: 'quiet',
					count: 1,
				});
				expect(group).toMatchObject({state: 'pending', count: 1, firstAt: startMs + windowMs});
				expect(group.id).not.toBe(first.group.id);
				expect(await store.runs.view(dispatched?.runId ?? 0)).toMatchObject({state: 'queued'});
				expect(await store.runs.counts()).toEqual({queued: 1, active: 0});
				expect(await store.groups.pending()).toBe(1);
			}),
		);

		test(
			'"per route and rendered key": the same key elsewhere is another group',
			use(async store => {
				const {group} = await acceptGrouped(store, groupedEntry('k'));
				const others = [
					groupedEntry('K'),
					groupedEntry('k', {route: 'gitlab'}),
					groupedEntry('k', {profile: 'work'}),
				];
				for (const entry of others) {
					expect((await acceptGrouped(store, entry)).group.count).toBe(1);
				}

				expect((await acceptGrouped(store, groupedEntry('k'))).group).toMatchObject({
					id: group.id,
					count: 2,
				});
				expect(await store.groups.pending()).toBe(4);
			}),
		);

		test(
			"a stranger's key is shown cleaned and kept as it is",
			use(async (store, _clock, home) => {
				const [key, twin] = ['a\u202eb\n', String.raw`a\u{202e}b␊`];
				const {group} = await acceptGrouped(store, groupedEntry(key));
				expect((await acceptGrouped(store, groupedEntry(twin))).group.count).toBe(1);
				expect(group.key).toBe(twin);
				await acceptGrouped(store, groupedEntry('\ud800'));

				await using copy = await home.crash();
				await using reopened = await copy.open(createJumpingClock(startMs));
				expect((await acceptGrouped(reopened, groupedEntry(key))).group).toMatchObject({
					id: group.id,
					count: 2,
				});
				expect((await acceptGrouped(reopened, groupedEntry('\ud800'))).group.count).toBe(2);
			}),
		);

		test(
			'fractions of a millisecond are rounded up',
			use(async store => {
				const window = {windowMs: 0.25, maxWaitMs: 1.5};
				const entry = groupedEntry('k', {}, {group: {...window, key: 'k'}});
				const {group} = await acceptGrouped(store, entry);
				expect(group).toMatchObject({quietAt: startMs + 1, capAt: startMs + 2});
				expect(await store.groups.nextDueMs()).toBe(1);
			}),
		);
	});

	describe(`${name}: the bound of what waits`, () => {
		const bounded = {maxQueued: 2};

		test(
			'queued runs and pending groups have a bound each',
			use(async store => {
				await acceptRun(store, sampleEntry({}, bounded));
				await acceptGrouped(store, groupedEntry('k', {}, bounded));
				const job = {profile: 'default', id: 'job_abcd1234', name: 'nightly'};
				const firing = {job, plan: samplePlan, ...bounded};
				expect(await store.jobs.fire(firing)).toMatchObject({kind: 'fired'});
				const refused = sampleEntry({}, bounded);
				expect(await store.intake.accept(refused)).toEqual({kind: 'full', queued: 2, most: 2});
				expect(await store.journal.get(refused.delivery.id)).toBeUndefined();
				expect(await store.intake.holderOf(refused.delivery, hourMs)).toBeUndefined();
				expect(await store.jobs.fire(firing)).toEqual({kind: 'full', queued: 2});
				expect(await store.groups.pending()).toBe(1);
			}),
		);

		test(
			'"An event that joins a group adds nothing", and dispatching is never refused',
			use(async (store, clock) => {
				await acceptGrouped(store, groupedEntry('k', {}, bounded));
				await acceptGrouped(store, groupedEntry('l', {route: 'other'}, bounded));
				expect((await acceptGrouped(store, groupedEntry('k', {}, bounded))).group.count).toBe(2);
				clock.advance(windowMs);
				expect(await store.groups.dispatchDue()).toHaveLength(2);
				expect(await store.runs.counts()).toEqual({queued: 2, active: 0});
			}),
		);

		test(
			'an event that finds its group over takes its place, however much waits',
			use(async (store, clock) => {
				const {group} = await acceptGrouped(store, groupedEntry('k', {}, bounded));
				await acceptRun(store, sampleEntry({}, bounded));
				await acceptRun(store, sampleEntry({}, bounded));
				clock.advance(windowMs);
				const {dispatched} = await acceptGrouped(store, groupedEntry('k', {}, bounded));
				expect(dispatched).toMatchObject({id: group.id, state: 'dispatched'});
				expect(await store.groups.pending()).toBe(1);
				expect(await store.runs.counts()).toEqual({queued: 3, active: 0});
			}),
		);

		test(
			'what fails alone takes its group with it, and nothing else',
			use(async store => {
				const [good, opening] = [groupedEntry('k'), groupedEntry('new')];
				const [twin, stray] = [
					groupedEntry('k', {id: good.delivery.id}),
					groupedEntry('stray', {id: opening.delivery.id}),
				];
				const answers = await Promise.allSettled(
					[good, twin, opening, stray, sampleEntry()].map(async entry =>
						store.intake.accept(entry),
					),
				);

				expect(answers.map(({status}) => status)).toEqual([
					'fulfilled',
					'rejected',
					'fulfilled',
					'rejected',
					'fulfilled',
				]);
				expect(await store.groups.pending()).toBe(2);
				expect(await store.groups.nextDueMs()).toBe(windowMs);
				expect(await store.groups.list({limit: 9})).toMatchObject([
					{key: 'k', count: 1, latest: good.delivery.id},
					{key: 'new', count: 1},
				]);
				expect((await acceptGrouped(store, groupedEntry('stray'))).group.count).toBe(1);
			}),
		);

		test(
			'a group that was dispatched by an event that fails waits on',
			use(async (store, clock) => {
				const {group} = await acceptGrouped(store, groupedEntry('k'));
				const taken = sampleEntry();
				await acceptRun(store, taken);
				clock.advance(windowMs);
				await expect(
					store.intake.accept(groupedEntry('k', {id: taken.delivery.id})),
				).rejects.toMatchObject({code: 'journal_unavailable'});

				expect(await store.groups.pending()).toBe(1);
				expect(await store.groups.nextDueMs()).toBe(0);
				expect(await store.groups.dispatchDue()).toMatchObject([{id: group.id}]);
				expect(await store.runs.counts()).toEqual({queued: 2, active: 0});
			}),
		);
	});

	describe(`${name}: duplicates of events that wait together`, () => {
		const duplicate = async (store: Store, of: string, deliveryId: string) => {
			expect(await store.intake.accept(groupedEntry('k', {deliveryId}))).toEqual({
				kind: 'duplicate',
				of,
			});
		};

		test(
			'an identifier is held while its group waits, while its run waits, and by every event of the group',
			use(async (store, clock) => {
				const entries = ['one', 'two'].map(deliveryId => groupedEntry('k', {deliveryId}));
				for (const entry of entries) {
					await acceptGrouped(store, entry);
				}

				for (const {delivery} of entries) {
					await duplicate(store, delivery.id, delivery.deliveryId);
				}

				clock.advance(windowMs);
				await store.groups.dispatchDue();
				for (const {delivery} of entries) {
					await duplicate(store, delivery.id, delivery.deliveryId);
				}

				expect(await store.groups.pending()).toBe(0);
				clock.advance(hourMs - windowMs);
				expect(
					(await acceptGrouped(store, groupedEntry('k', {deliveryId: 'one'}))).group.count,
				).toBe(1);
			}),
		);

		test.for([
			['failed', 'coalesced'],
			['dead', 'coalesced'],
			['cancelled', 'coalesced'],
			['done', 'duplicate'],
			['silent', 'duplicate'],
			['interrupted', 'duplicate'],
			['uncertain', 'duplicate'],
		] as const)(
			'"of a coalesced event: the run of its group": after %s it is %s, over a crash, too',
			async ([state, expected]) =>
				use(async (store, clock, home) => {
					await acceptGrouped(store, groupedEntry('k', {deliveryId: 'one'}));
					await acceptGrouped(store, groupedEntry('k', {deliveryId: 'two'}));
					clock.advance(windowMs);
					await store.groups.dispatchDue();
					await store.runs.settle(await leaseOne(store), {state, error: 'because'});

					await using copy = await home.crash();
					await using reopened = await copy.open(clock);
					for (const open of [store, reopened]) {
						for (const deliveryId of ['one', 'two']) {
							const answer = await open.intake.accept(groupedEntry('k', {deliveryId}));
							expect(answer.kind).toBe(expected);
						}
					}
				})(),
		);
	});

	describe(`${name}: dispatching groups`, () => {
		test(
			'due ones go in the order in which they are due, at most 100 at once',
			use(async (store, clock) => {
				await Promise.all(
					Array.from({length: 130}, async (_, count) => {
						const window = {windowMs: windowMs - count, maxWaitMs};
						await acceptGrouped(
							store,
							groupedEntry('', {}, {group: {...window, key: `k${count}`}}),
						);
					}),
				);

				expect(await store.groups.nextDueMs()).toBe(windowMs - 129);
				clock.advance(windowMs);
				const first = await store.groups.dispatchDue();
				const second = await store.groups.dispatchDue();
				expect([first.length, second.length]).toEqual([100, 30]);
				expect([...first, ...second].map(({key}) => key)).toEqual(
					Array.from({length: 130}, (_, index) => `k${129 - index}`),
				);
				expect(await store.runs.counts()).toEqual({queued: 130, active: 0});
				expect((await store.runs.lease(3, 1000)).map(({run}) => run.group)).toEqual(
					idsOf(first.slice(0, 3)),
				);
			}),
		);

		test(
			'of two that dispatch at once each group goes to one',
			use(async (store, clock) => {
				await acceptGrouped(store);
				clock.advance(windowMs);
				const answers = await Promise.all([
					store.groups.dispatchDue(),
					store.groups.dispatchDue(),
					store.groups.dispatch('all', 'stop'),
				]);
				expect(answers.map(groups => groups.length)).toEqual([1, 0, 0]);
				expect(await store.runs.counts()).toEqual({queued: 1, active: 0});
			}),
		);

		test(
			'a person dispatches one, and the others wait on',
			use(async store => {
				const {group} = await acceptGrouped(store, groupedEntry('k'));
				const {group: other} = await acceptGrouped(store, groupedEntry('l'));
				expect(await store.groups.dispatch({id: group.id}, 'person')).toMatchObject([
					{id: group.id, state: 'dispatched', reason: 'person', dispatchedAt: startMs},
				]);
				expect(await store.groups.dispatch({id: group.id}, 'person')).toEqual([]);
				expect(await store.groups.dispatch({id: 999}, 'person')).toEqual([]);
				expect(await store.groups.list({state: 'pending', limit: 9})).toEqual([other]);
			}),
		);

		test(
			'"gateway stop: dispatched, flushed immediately": all of them',
			use(async store => {
				await Promise.all(
					Array.from({length: 250}, async (_, count) =>
						acceptGrouped(store, groupedEntry(`k${count}`)),
					),
				);

				const dispatched = await store.groups.dispatch('all', 'stop');
				expect(dispatched).toHaveLength(250);
				expect(new Set(dispatched.map(({reason}) => reason))).toEqual(new Set(['stop']));
				expect(await store.runs.counts()).toEqual({queued: 250, active: 0});
				expect(await store.groups.dispatch('all', 'stop')).toEqual([]);
			}),
		);

		test(
			'pending ones are listed by when they are due, then dispatched ones, newest first',
			use(async (store, clock) => {
				const open = async (key: string) =>
					(await acceptGrouped(store, groupedEntry(key))).group.id;
				const [a, b, c, d] = [await open('a'), await open('b'), await open('c'), await open('d')];
				await store.groups.dispatch({id: b}, 'person');
				await store.groups.dispatch({id: a}, 'person');
				clock.advance(10);
				await open('c');

				const list = async (filter: Parameters<Store['groups']['list']>[0]) =>
					idsOf(await store.groups.list(filter));
				expect(await list({limit: 9})).toEqual([d, c, a, b]);
				expect(await list({limit: 3})).toEqual([d, c, a]);
				expect(await list({limit: 0})).toEqual([d]);
				expect(await list({state: 'pending', limit: 9})).toEqual([d, c]);
				expect(await list({state: 'dispatched', limit: 9})).toEqual([a, b]);
				expect(await list({state: 'dispatched', limit: 1})).toEqual([a]);
				expect(await list({profile: 'default', limit: 1})).toEqual([d]);
				expect(await list({profile: 'acme', limit: 9})).toEqual([]);
				expect(await store.groups.get(0)).toBeUndefined();
				expect(await store.groups.get(999)).toBeUndefined();
			}),
		);

		test(
			'the newest 1,000 events of a group are its members, oldest first',
			use(async store => {
				const entries = Array.from({length: 1005}, () => groupedEntry('k'));
				await Promise.all(entries.map(async entry => store.intake.accept(entry)));
				const [group] = await store.groups.list({limit: 1});
				const members = (await store.groups.get(group?.id ?? 0))?.members;
				expect(group?.count).toBe(1005);
				expect(members?.map(({delivery}) => delivery)).toEqual(
					entries.slice(5).map(({delivery}) => delivery.id),
				);
			}),
		);

		test(
			'the events of a group are told with what they are about',
			use(async store => {
				const entry = groupedEntry('k');
				const delivery = {...entry.delivery, subject: 'acme/api#7 opened'};
				const {group} = await acceptGrouped(store, {...entry, delivery});

				expect((await store.groups.get(group.id))?.members).toMatchObject([
					{delivery: delivery.id, subject: 'acme/api#7 opened'},
				]);
			}),
		);

		test(
			'a run of a group can be cancelled, begun again and answered as any other',
			use(async store => {
				const {group} = await acceptGrouped(store);
				const [dispatched] = await store.groups.dispatch({id: group.id}, 'person');
				const runId = dispatched?.runId ?? 0;
				expect(await store.runs.cancel(runId)).toBe(true);
				expect(await store.runs.retry(runId)).toBe(true);
				const lease = await leaseOne(store);
				await store.runs.answer(lease, {text: 'Done', model: 'm', toolCalls: 0});
				await store.runs.settle(lease, {state: 'done'});
				expect(await store.runs.view(runId)).toMatchObject({state: 'done', group: group.id});
			}),
		);
	});

	describe(`${name}: the clock of groups`, () => {
		test(
			'"a wall clock that jumps moves nothing"',
			use(async (store, clock) => {
				await acceptGrouped(store);
				for (const byMs of [hourMs, -2 * hourMs, 700_000]) {
					clock.jump(byMs);
					clock.advance(5000);
					const {group} = await acceptGrouped(store);
					expect(group.firstAt).toBe(startMs);
					expect(group.capAt).toBe(startMs + maxWaitMs);
					expect(await store.groups.nextDueMs()).toBe(windowMs);
					expect(await store.groups.dispatchDue()).toEqual([]);
				}

				clock.jump(-3 * hourMs);
				clock.advance(windowMs);
				expect(await store.groups.dispatchDue()).toMatchObject([
					{count: 4, reason: 'quiet', dispatchedAt: startMs + 15_000 + windowMs},
				]);
			}),
		);

		test(
			'a group that begins after a jump shows the clock as it is then, and is due in its turn',
			use(async (store, clock, home) => {
				const {group: first} = await acceptGrouped(store, groupedEntry('first'));
				clock.jump(-hourMs);
				clock.advance(1000);
				const {group: second} = await acceptGrouped(store, groupedEntry('second'));
				expect(second.firstAt).toBe(home.now(clock));
				clock.jump(3 * hourMs);
				clock.advance(windowMs - 1000);
				expect(idsOf(await store.groups.dispatchDue())).toEqual([first.id]);
				expect(await store.groups.nextDueMs()).toBe(1000);
				clock.advance(1000);
				expect(await store.groups.dispatchDue()).toMatchObject([
					{id: second.id, dispatchedAt: second.firstAt + windowMs},
				]);
			}),
		);

		test(
			'"no acknowledged event is lost": a crash keeps groups and what is left of their windows',
			use(async (store, clock, home) => {
				const {group} = await acceptGrouped(store);
				await acceptGrouped(store);
				clock.advance(10_000);
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);

				expect(await reopened.groups.pending()).toBe(1);
				expect(await reopened.groups.nextDueMs()).toBe(windowMs - 10_000);
				expect((await acceptGrouped(reopened)).group).toMatchObject({id: group.id, count: 3});
				clock.advance(windowMs);
				expect(await reopened.groups.dispatchDue()).toMatchObject([{id: group.id, count: 3}]);
			}),
		);

		test(
			'what became due while nobody was there is due at once, and counts in the bound of its route',
			use(async (store, clock, home) => {
				const {group} = await acceptGrouped(store);
				await using copy = await home.crash();
				clock.advance(99 * maxWaitMs);
				await using reopened = await copy.open(clock);
				expect(await reopened.groups.nextDueMs()).toBe(0);
				expect(await reopened.intake.accept(groupedEntry('other', {}, {maxQueued: 2}))).toEqual({
					kind: 'full',
					queued: 1,
					most: 1,
					freeInMs: 0,
				});
				expect(await reopened.groups.dispatchDue()).toMatchObject([
					{id: group.id, reason: 'quiet'},
				]);
			}),
		);

		test(
			'"opening: never longer ahead than the group\'s own maxWaitMs": a clock that was set back delays nothing',
			use(async (store, clock, home) => {
				const {group} = await acceptGrouped(store);
				clock.advance(20_000);
				await acceptGrouped(store);
				await using copy = await home.crash();
				const back = createJumpingClock(startMs - 24 * hourMs);
				const moved = {
					firstAt: back.now() - 20_000,
					lastAt: back.now(),
					quietAt: back.now() + windowMs,
					capAt: back.now() + maxWaitMs - 20_000,
				};
				{
					await using reopened = await copy.open(back);
					expect(await reopened.groups.nextDueMs()).toBe(windowMs);
					expect(await reopened.groups.get(group.id)).toMatchObject(moved);
				}

				await using again = await copy.open(back);
				expect(await again.groups.nextDueMs()).toBe(windowMs);
				back.advance(windowMs);
				expect(await again.groups.dispatchDue()).toMatchObject([{...moved, count: 2}]);
			}),
		);

		test(
			'runs of groups are queued by the wall clock, with all the others',
			use(async (store, clock, home) => {
				await acceptGrouped(store);
				clock.jump(hourMs);
				clock.advance(windowMs);
				await store.groups.dispatchDue();
				expect(await fireRun(store)).toBe(2);
				const createdAt = home.now(clock);
				expect(await store.runs.list({limit: 9})).toMatchObject([{createdAt}, {createdAt}]);
			}),
		);
	});
}
