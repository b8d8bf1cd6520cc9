import {describe, expect, test} from 'vitest';
import {codeOf} from '../../source/core/errors.ts';
import {hasEnded, type RunState} from '../../source/core/run.ts';
import type {Settlement, Store} from '../../source/store/port.ts';
import type {TakenOver} from '../../source/store/shared-port.ts';
import type {FakeClock} from '../helpers/fake-clock.ts';
import {describeApprovals} from './contract-approvals.ts';
import {describeChats} from './contract-chats.ts';
import {describeConversations} from './contract-conversations.ts';
import {describeDocuments} from './contract-documents.ts';
import {describeGroups} from './contract-groups.ts';
import {describeHistory} from './contract-history.ts';
import {describeJobs} from './contract-jobs.ts';
import {describeKeys} from './contract-keys.ts';
import {describeLanes} from './contract-lanes.ts';
import {describeLimits} from './contract-limits.ts';
import {describeLogins} from './contract-logins.ts';
import {describeMemos} from './contract-memos.ts';
import {describeSessions} from './contract-sessions.ts';
import {describeShared} from './contract-shared.ts';
import {describeWaitedFor} from './contract-waited-for.ts';
import {describeWaiting} from './contract-waiting.ts';
import {createJumpingClock, type JumpingClock} from './jumping-clock.ts';
import {
	acceptRun,
	dayMs,
	hourMs,
	leaseOne,
	logPlan,
	sampleAnswer,
	sampleDelivery,
	sampleEntry,
	sampleEntryOfTranscript,
	samplePlan,
	startMs,
} from './samples.ts';

/** One storage of an adapter, empty at first. */
export type Home = {
	/** Opens a store on this storage, as the only one that lives, and takes over what others left. */
	open(clock: FakeClock): Promise<Store & {readonly taken: TakenOver}>;
	/** Opens one and takes over nothing: others may live. */
	openBeside(clock: FakeClock): Promise<Store>;
	/** Milliseconds since 1970 by the clock that rows of this storage are written with: that of the gateway, or one of a database, which goes on whatever becomes of that of a gateway until the next opening. */
	now(clock: FakeClock): number;
	/** Takes the storage as a crash of all stores would leave it now; they stay usable. */
	crash(): Promise<Home>;
	[Symbol.asyncDispose](): Promise<void>;
};

type EndedState = Exclude<Settlement['state'], 'retry' | 'awaits-logins'>;

const forever = {bodyMs: 30 * dayMs, bodyBytes: 2 ** 40, rowMs: 30 * dayMs};

const settle = async (store: Store, settlement: Settlement) => {
	const lease = await leaseOne(store);
	expect(await store.runs.settle(lease, settlement)).toBe(true);
	return lease;
};

/** Lets the batched writes, which wait for a timer, reach the disk. */
const settleNotes = async (store: Store, clock: FakeClock) => {
	clock.advance(1000);
	await store.intake.record({delivery: sampleDelivery({route: 'other'}), claim: false});
};

/** A test body with a fresh store, its clock and its storage. */
export type Use = (
	body: (store: Store, clock: JumpingClock, home: Home) => Promise<void>,
) => () => Promise<void>;

/** The same with what another gateway has of the storage: a store of its own, or the same one where an adapter lets one in at a time. */
export type UseTwo = (
	body: (store: Store, other: Store, clock: JumpingClock) => Promise<void>,
) => () => Promise<void>;

/** What every adapter of the store port must do. `createHome` gives a fresh storage for each test; `hasDocuments`: gateways share what people edit. */
export function describeStore(
	name: string,
	createHome: () => Promise<Home>,
	{hasDocuments = false}: {readonly hasDocuments?: boolean} = {},
): void {
	const use: Use = body => async () => {
		await using home = await createHome();
		const clock = createJumpingClock(startMs);
		await using store = await home.open(clock);
		await body(store, clock, home);
	};

	const useTwo: UseTwo = body =>
		use(async (store, clock, home) => {
			await using stack = new AsyncDisposableStack();
			let other = store;
			try {
				other = stack.use(await home.openBeside(clock));
			} catch (error) {
				expect(codeOf(error)).toBe('store_in_use');
			}

			await body(store, other, clock);
		});

	describeApprovals(name, use);
	describeChats(name, use);
	describeConversations(name, use);
	if (hasDocuments) {
		describeDocuments(name, use, useTwo);
	}

	describeGroups(name, use);
	describeHistory(name, use);
	describeJobs(name, use);
	describeKeys(name, use);
	describeLanes(name, use, useTwo);
	describeLimits(name, use, useTwo);
	describeLogins(name, use);
	describeMemos(name, use);
	describeSessions(name, use);
	describeShared(name, use, useTwo);
	describeWaitedFor(name, use);
	describeWaiting(name, use);

	describe(`${name}: intake`, () => {
		test(
			'an accepted delivery is in the journal and its run in the queue',
			use(async store => {
				const entry = sampleEntry({flags: 3, replayOf: 'abc123', subject: 'acme/api#7 "opened"'});
				const runId = await acceptRun(store, entry);

				expect(await store.journal.get(entry.delivery.id)).toEqual({...entry.delivery, runId});
				expect(await store.runs.get(runId)).toEqual({
					id: runId,
					delivery: entry.delivery.id,
					profile: 'default',
					route: 'github',
					event: 'push',
					subject: 'acme/api#7 "opened"',
					target: 'forge_comment',
					state: 'queued',
					attempt: 0,
					deliveryAttempt: 0,
					createdAt: startMs,
					toolCalls: 0,
					plan: samplePlan,
					transcript: [],
				});
				expect(await store.runs.counts()).toEqual({queued: 1, active: 0});
			}),
		);

		test(
			'a body that was not kept is absent, an empty one is empty',
			use(async store => {
				const {body: _, ...bare} = sampleDelivery();
				const empty = sampleDelivery({body: new Uint8Array()});
				await store.intake.record({delivery: bare, claim: false});
				await store.intake.record({delivery: empty, claim: false});

				expect(await store.journal.get(bare.id)).toEqual(bare);
				expect((await store.journal.get(empty.id))?.body).toEqual(new Uint8Array());
			}),
		);

		test(
			'a subject is kept beside any trace',
			use(async store => {
				const bare = sampleDelivery({trace: []});
				const named = sampleDelivery({trace: [], subject: 'acme/api#7'});
				await store.intake.record({delivery: bare, claim: false});
				await store.intake.record({delivery: named, claim: false});

				expect(await store.journal.get(bare.id)).toEqual(bare);
				expect(await store.journal.get(named.id)).toEqual(named);
			}),
		);

		test(
			'"Duplicate delivery ID within 1 hour": not a millisecond longer',
			use(async (store, clock) => {
				const first = sampleEntry({deliveryId: 'same'});
				await acceptRun(store, first);
				clock.advance(hourMs - 1);
				const duplicate = await store.intake.accept(sampleEntry({deliveryId: 'same'}));
				clock.advance(1);
				const later = sampleEntry({deliveryId: 'same'});
				const again = await store.intake.accept(later);

				expect(duplicate).toEqual({kind: 'duplicate', of: first.delivery.id});
				expect(again.kind).toBe('accepted');
				expect(await store.intake.holderOf(later.delivery, hourMs)).toBe(later.delivery.id);
			}),
		);

		test(
			'"key = (profile, route, id)": the same identifier elsewhere is another',
			use(async store => {
				await acceptRun(store, sampleEntry({deliveryId: 'same'}));
				await acceptRun(store, sampleEntry({deliveryId: 'same', route: 'gitlab'}));
				await acceptRun(store, sampleEntry({deliveryId: 'same', profile: 'work'}));

				expect(await store.runs.counts()).toEqual({queued: 3, active: 0});
			}),
		);

		test(
			'of many that bring one identifier at once exactly one is accepted',
			use(async store => {
				const entries = Array.from({length: 64}, () => sampleEntry({deliveryId: 'same'}));
				const answers = await Promise.all(entries.map(entry => store.intake.accept(entry)));
				const winner = entries[answers.findIndex(answer => answer.kind === 'accepted')];

				expect(answers.filter(answer => answer.kind === 'accepted')).toHaveLength(1);
				expect(answers.filter(answer => answer.kind === 'duplicate')).toEqual(
					Array.from({length: 63}, () => ({kind: 'duplicate', of: winner?.delivery.id})),
				);
				expect(await store.runs.counts()).toEqual({queued: 1, active: 0});
			}),
		);

		test.for([
			['failed', 'accepted'],
			['dead', 'accepted'],
			['cancelled', 'accepted'],
			['done', 'duplicate'],
			['silent', 'duplicate'],
			['interrupted', 'duplicate'],
			['uncertain', 'duplicate'],
		] as const)(
			'"an id whose earlier attempt failed for good is accepted again": after %s it is %s',
			async ([state, expected]) =>
				use(async store => {
					await acceptRun(store, sampleEntry({deliveryId: 'same'}));
					await settle(store, {state, error: 'because'});

					const answer = await store.intake.accept(sampleEntry({deliveryId: 'same'}));
					expect(answer.kind).toBe(expected);
				})(),
		);

		test(
			'a full queue accepts nothing, and knows a duplicate all the same',
			use(async store => {
				const first = sampleEntry({}, {maxQueued: 2});
				await acceptRun(store, first);
				const answers = await Promise.all(
					[1, 2, 3].map(() => store.intake.accept(sampleEntry({}, {maxQueued: 2}))),
				);
				const refused = sampleEntry({}, {maxQueued: 2});

				expect(answers.map(answer => answer.kind)).toEqual(['accepted', 'full', 'full']);
				expect(await store.intake.accept(refused)).toEqual({kind: 'full', queued: 2, most: 2});
				expect(await store.journal.get(refused.delivery.id)).toBeUndefined();
				expect(
					await store.intake.accept({...refused, delivery: {...first.delivery, id: 'zzzz'}}),
				).toEqual({kind: 'duplicate', of: first.delivery.id});

				await store.runs.lease(1, 1000);
				expect((await store.intake.accept(refused)).kind).toBe('accepted');
			}),
		);

		test(
			'a recorded delivery takes its identifier only when it claims it',
			use(async store => {
				const failed = sampleDelivery({deliveryId: 'same', outcome: 'delivery', status: 502});
				const delivered = sampleDelivery({deliveryId: 'same', outcome: 'delivered', status: 200});
				await store.intake.record({delivery: failed, claim: false});
				expect(await store.intake.holderOf(failed, hourMs)).toBeUndefined();

				await store.intake.record({delivery: delivered, claim: true});
				expect(await store.intake.holderOf(failed, hourMs)).toBe(delivered.id);
				expect(await store.runs.counts()).toEqual({queued: 0, active: 0});
			}),
		);

		test(
			'a delivery that cannot be stored fails alone',
			use(async store => {
				const [good, bad, other] = [sampleEntry(), sampleEntry(), sampleEntry()];
				const twin = sampleEntry({id: good.delivery.id});
				const answers = await Promise.allSettled(
					[good, twin, other, bad].map(entry => store.intake.accept(entry)),
				);

				expect(answers.map(answer => answer.status)).toEqual([
					'fulfilled',
					'rejected',
					'fulfilled',
					'fulfilled',
				]);
				expect(answers[1]).toMatchObject({reason: {code: 'journal_unavailable'}});
				expect(await store.runs.counts()).toEqual({queued: 3, active: 0});
				expect(await store.intake.holderOf(twin.delivery, hourMs)).toBeUndefined();
			}),
		);

		test(
			'notes are kept at 50 a second, and what is above is counted',
			use(async (store, clock) => {
				for (let count = 0; count < 60; count += 1) {
					store.intake.note(sampleDelivery({outcome: 'ignored:filter', status: 200}));
				}

				clock.advance(1000);
				store.intake.note(sampleDelivery({outcome: 'duplicate', status: 200}));
				await settleNotes(store, clock);
				expect(await store.journal.list({outcomes: ['ignored:filter'], limit: 100})).toHaveLength(
					50,
				);
				expect(await store.journal.list({outcomes: ['duplicate'], limit: 100})).toHaveLength(1);
				expect((await store.health()).notesDropped).toBe(10);
			}),
		);

		/** A note of a request that was turned away, without what a stranger sent. */
		const sampleRejection = () => {
			const {body: _, ...bare} = sampleDelivery({outcome: 'signature', status: 401});
			return bare;
		};

		test(
			'rejections are kept at 10 a second, so that no flood of them hides what was ignored',
			use(async (store, clock) => {
				for (let count = 0; count < 60; count += 1) {
					store.intake.note(sampleRejection());
				}

				for (let count = 0; count < 60; count += 1) {
					store.intake.note(sampleDelivery({outcome: 'ignored:filter', status: 200}));
				}

				clock.advance(1000);
				store.intake.note(sampleRejection());
				const rows = async (outcome: string) =>
					(await store.journal.list({outcomes: [outcome], limit: 100})).length;
				expect(await rows('signature')).toBe(11);
				expect(await rows('ignored:filter')).toBe(40);
				expect((await store.health()).notesDropped).toBe(70);
			}),
		);

		test(
			'at most 2 MiB of rejections wait',
			use(async (store, clock) => {
				const body = new Uint8Array(900 * 1024);
				for (let count = 0; count < 3; count += 1) {
					store.intake.note(sampleDelivery({outcome: 'queue', status: 503, body}));
				}

				store.intake.note(sampleDelivery({outcome: 'ignored:script', status: 200, body}));
				await settleNotes(store, clock);
				expect(await store.journal.list({outcomes: ['queue'], limit: 9})).toHaveLength(2);
				expect(await store.journal.list({outcomes: ['ignored:script'], limit: 9})).toHaveLength(1);
				store.intake.note(sampleDelivery({outcome: 'queue', status: 503, body}));
				expect(await store.journal.list({outcomes: ['queue'], limit: 9})).toHaveLength(3);
			}),
		);

		test(
			'at most 4 MiB of notes wait',
			use(async (store, clock) => {
				const body = new Uint8Array(1024 * 1024);
				for (let count = 0; count < 5; count += 1) {
					store.intake.note(sampleDelivery({outcome: 'ignored:script', body}));
				}

				await settleNotes(store, clock);
				expect(await store.journal.list({outcomes: ['ignored:script'], limit: 9})).toHaveLength(3);
				expect((await store.health()).notesDropped).toBe(2);
				store.intake.note(sampleDelivery({outcome: 'ignored:script', body}));
				await settleNotes(store, clock);
				expect(await store.journal.list({outcomes: ['ignored:script'], limit: 9})).toHaveLength(4);
			}),
		);
	});

	describe(`${name}: runs`, () => {
		test(
			'runs are leased oldest first, each once, with what they need',
			use(async store => {
				const ids = [await acceptRun(store), await acceptRun(store), await acceptRun(store)];
				const first = await store.runs.lease(2, 1000);
				const [second, nothing] = await Promise.all([
					store.runs.lease(2, 1000),
					store.runs.lease(2, 1000),
				]);

				expect(first.map(lease => lease.run.id)).toEqual(ids.slice(0, 2));
				expect(second.map(lease => lease.run.id)).toEqual(ids.slice(2));
				expect(nothing).toEqual([]);
				await acceptRun(store);
				expect(await store.runs.lease(0, 1000)).toEqual([]);
				expect(await store.runs.lease(-1, 1000)).toEqual([]);
				expect(first[0]).toMatchObject({
					phase: 'agent',
					run: {state: 'running', attempt: 1, startedAt: startMs, plan: samplePlan},
				});
				expect(await store.runs.counts()).toEqual({queued: 1, active: 3});
			}),
		);

		test(
			'a run goes from the queue through the agent and the delivery to its end',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				const lease = await leaseOne(store);
				clock.advance(10);
				store.runs.append(lease, [
					{at: startMs, kind: 'tool-call', text: 'search', data: {arguments: {q: 'x'}}},
				]);
				expect(await store.runs.markSideEffect(lease)).toBe(true);
				expect(await store.runs.answer(lease, sampleAnswer)).toBe(true);
				expect(await store.runs.get(id)).toMatchObject({state: 'delivering', deliveryAttempt: 0});
				expect(await store.runs.markDeliveryStarted(lease, {isRepeatable: false})).toBe(true);
				expect(await store.runs.settle(lease, {state: 'done'})).toBe(true);

				const run = await store.runs.get(id);
				const {plan: _, transcript: __, fullAnswer: ___, ...brief} = run ?? {};
				expect(run).toMatchObject({
					state: 'done',
					attempt: 1,
					deliveryAttempt: 1,
					startedAt: startMs,
					finishedAt: startMs + 10,
					toolCalls: 2,
					model: 'gpt-test',
					answer: 'All good',
					fullAnswer: 'All good',
					transcript: [{kind: 'tool-call', data: {arguments: {q: 'x'}}}],
				});
				expect(await store.runs.view(id)).toEqual(brief);
				expect(await store.runs.list({limit: 10})).toEqual([brief]);
				expect(await store.runs.counts()).toEqual({queued: 0, active: 0});
				expect(await store.runs.nextDue()).toBeUndefined();
			}),
		);

		test(
			'what a run has come to is kept whatever becomes of it, and not from a stale lease',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				const lease = await leaseOne(store);
				const usage = {inputTokens: 10, outputTokens: 5, cost: {amount: 0.5, currency: 'USD'}};
				store.runs.work(lease, {model: 'gpt-test', toolCalls: 3, usage});
				store.runs.work(lease, {model: 'gpt-test', toolCalls: 4});
				await store.runs.settle(lease, {state: 'failed', error: 'no'});
				store.runs.work(lease, {model: 'other', toolCalls: 9});
				clock.advance(1000);

				expect(await store.runs.view(id)).toMatchObject({model: 'gpt-test', toolCalls: 4, usage});
				expect(await store.runs.list({limit: 1})).toMatchObject([{usage}]);
			}),
		);

		test(
			'how long a run took begins anew when a person has it tried again',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				const lease = await leaseOne(store);
				await store.runs.answer(lease, sampleAnswer);
				await store.runs.settle(lease, {state: 'dead', error: '502'});
				clock.advance(hourMs);
				await store.runs.retry(id);
				expect(await store.runs.view(id)).not.toHaveProperty('startedAt');
				await leaseOne(store);

				expect(await store.runs.view(id)).toMatchObject({startedAt: startMs + hourMs});
			}),
		);

		test(
			'a stale token changes nothing and answers false',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				const stale = await leaseOne(store, 1000);
				clock.advance(1000);
				const lease = await leaseOne(store, 1000);
				const before = await store.runs.get(id);

				store.runs.append(stale, [sampleEntryOfTranscript('from the dead')]);
				expect(
					await Promise.all([
						store.runs.beat(stale, 1000),
						store.runs.markSideEffect(stale),
						store.runs.answer(stale, sampleAnswer),
						store.runs.markDeliveryStarted(stale, {isRepeatable: false}),
						store.runs.settle(stale, {state: 'done'}),
						store.runs.settle(stale, {state: 'retry', at: startMs, error: 'x'}),
					]),
				).toEqual([false, false, false, false, false, false]);
				expect(await store.runs.get(id)).toEqual(before);
				expect(before).toMatchObject({state: 'running', attempt: 2});
				expect(lease.token).not.toBe(stale.token);
				expect(await store.runs.settle(lease, {state: 'failed', error: 'for good'})).toBe(true);
				expect(await store.runs.settle(lease, {state: 'done'})).toBe(false);
				expect(await store.runs.view(id)).toMatchObject({state: 'failed', error: 'for good'});
			}),
		);

		test(
			'a lease that is beaten stays, one that is not runs out',
			use(async (store, clock) => {
				await acceptRun(store);
				const lease = await leaseOne(store, 1000);
				expect(await store.runs.nextDue()).toBe(startMs + 1000);
				clock.advance(900);
				expect(await store.runs.beat(lease, 1000)).toBe(true);
				clock.advance(999);
				expect(await store.runs.lease(1, 1000)).toEqual([]);
				clock.advance(1);
				expect(await store.runs.lease(1, 1000)).toHaveLength(1);
				expect(await store.runs.beat(lease, 1000)).toBe(false);
			}),
		);

		test(
			'of two that look at once one takes over a lease that ran out, and keeps it',
			use(async (store, clock) => {
				await acceptRun(store);
				await leaseOne(store, 1000);
				clock.advance(1000);
				const [[lease], nothing] = await Promise.all([
					store.runs.lease(1, 1000),
					store.runs.lease(1, 1000),
				]);
				expect(nothing).toEqual([]);
				expect(lease && (await store.runs.beat(lease, 1000))).toBe(true);
			}),
		);

		test(
			'a lease that runs out is not repeated when a tool that may change things had started',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				await store.runs.markSideEffect(await leaseOne(store, 1000));
				clock.advance(1000);

				expect(await store.runs.lease(1, 1000)).toEqual([]);
				expect(await store.runs.view(id)).toMatchObject({state: 'interrupted'});
				expect(await store.runs.nextDue()).toBeUndefined();
			}),
		);

		test(
			'an agent that is to be tried again waits until then',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				await settle(store, {state: 'retry', at: startMs + 5000, error: 'no network'});

				expect(await store.runs.view(id)).toMatchObject({
					state: 'queued',
					attempt: 1,
					nextAttemptAt: startMs + 5000,
					error: 'no network',
				});
				expect(await store.runs.counts()).toEqual({queued: 1, active: 0});
				expect(await store.runs.nextDue()).toBe(startMs + 5000);
				clock.advance(4999);
				expect(await store.runs.lease(1, 1000)).toEqual([]);
				clock.advance(1);
				expect(await leaseOne(store)).toMatchObject({phase: 'agent', run: {attempt: 2}});
			}),
		);

		test(
			'a delivery that is to be tried again keeps its answer',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				const lease = await leaseOne(store);
				await store.runs.answer(lease, sampleAnswer);
				await store.runs.markDeliveryStarted(lease, {isRepeatable: false});
				await store.runs.settle(lease, {state: 'retry', at: startMs + 5000, error: '502'});
				expect(await store.runs.view(id)).toMatchObject({state: 'delivering', error: '502'});
				expect(await store.runs.markDeliveryStarted(lease, {isRepeatable: false})).toBe(false);

				clock.advance(5000);
				const again = await leaseOne(store);
				await store.runs.markDeliveryStarted(again, {isRepeatable: false});
				expect(again).toMatchObject({phase: 'deliver', run: {fullAnswer: 'All good', attempt: 1}});
				expect(await store.runs.view(id)).toMatchObject({deliveryAttempt: 2});
			}),
		);

		test(
			'a run that waits, a run that is queued and a run that is leased can be cancelled',
			use(async store => {
				const waiting = await acceptRun(store);
				await settle(store, {state: 'retry', at: startMs + 5000, error: 'x'});
				const leased = await acceptRun(store);
				const lease = await leaseOne(store);
				const queued = await acceptRun(store);

				for (const id of [waiting, leased, queued]) {
					expect(await store.runs.cancel(id)).toBe(true);
					expect(await store.runs.cancel(id)).toBe(false);
					expect(await store.runs.view(id)).toMatchObject({
						state: 'cancelled',
						finishedAt: startMs,
					});
				}

				expect(await store.runs.cancel(999)).toBe(false);
				expect(await store.runs.beat(lease, 1000)).toBe(false);
				expect(await store.runs.settle(lease, {state: 'done'})).toBe(false);
				expect(await store.runs.counts()).toEqual({queued: 0, active: 0});
			}),
		);

		test.for(['interrupted', 'failed', 'done'] as const)(
			'a run that ended %s cannot be cancelled',
			async state =>
				use(async store => {
					const id = await acceptRun(store);
					await settle(store, {state, error: 'because'});
					expect(await store.runs.cancel(id)).toBe(false);
					expect(await store.runs.view(id)).toMatchObject({state});
				})(),
		);

		/** A run that had its side effect, its answer and its delivery, and then ended so. */
		const endedRun = async (store: Store, state: EndedState) => {
			const id = await acceptRun(store);
			const lease = await leaseOne(store);
			await store.runs.markSideEffect(lease);
			await store.runs.answer(lease, sampleAnswer);
			await store.runs.markDeliveryStarted(lease, {isRepeatable: false});
			await store.runs.settle(lease, {state, error: 'because'});
			return id;
		};

		test.for([
			['failed', 'agent'],
			['interrupted', 'agent'],
			['cancelled', 'agent'],
			['dead', 'deliver'],
			['uncertain', 'deliver'],
		] as const)('a person puts a run that ended %s back to: %s', async ([state, phase]) =>
			use(async (store, clock) => {
				const id = await endedRun(store, state);
				expect(await store.runs.retry(id)).toBe(true);
				expect(await store.runs.retry(id)).toBe(false);
				const view = await store.runs.view(id);
				expect(view?.error).toBeUndefined();
				expect(view?.answer).toBe(phase === 'agent' ? undefined : 'All good');
				expect(await store.runs.lease(1, 1000)).toMatchObject([{phase}]);
				// What had started before does not count against the new try.
				clock.advance(1000);
				expect(await store.runs.lease(1, 1000)).toMatchObject([{phase}]);
			})(),
		);

		test(
			'a person lets a run that waits for its next try start now, and one that is due or leased alone',
			use(async (store, clock, home) => {
				const agent = await acceptRun(store);
				await settle(store, {state: 'retry', at: startMs + 5000, error: 'no network'});
				const delivery = await acceptRun(store);
				const lease = await leaseOne(store);
				await store.runs.answer(lease, sampleAnswer);
				await store.runs.markDeliveryStarted(lease, {isRepeatable: false});
				await store.runs.settle(lease, {state: 'retry', at: startMs + 9000, error: '502'});
				expect(await store.runs.lease(2, 1000)).toEqual([]);

				expect(await store.runs.retry(delivery)).toBe(true);
				expect(await store.runs.retry(delivery)).toBe(false);
				expect(await store.runs.nextDue()).toBe(clock.now());
				expect(await store.runs.counts()).toEqual({queued: 1, active: 1});
				const [again] = await store.runs.lease(2, 1000);
				expect(again).toMatchObject({
					phase: 'deliver',
					run: {id: delivery, fullAnswer: 'All good'},
				});
				expect(await store.runs.retry(delivery)).toBe(false);

				// As it is on disk.
				expect(await store.runs.retry(agent)).toBe(true);
				await using crashed = await home.crash();
				const after = await crashed.open(clock);
				expect(await after.runs.view(agent)).toMatchObject({state: 'queued', attempt: 1});
				expect((await after.runs.lease(2, 1000)).map(({run}) => run.id)).toContain(agent);
				await after[Symbol.asyncDispose]();
			}),
		);

		test.for([
			['failed', 'agent'],
			['interrupted', 'agent'],
			['dead', 'deliver'],
			['uncertain', 'deliver'],
		] as const)(
			'a person drops a run that ended %s: it waits for nobody, keeps what it has, also over a crash, and is put back to: %s',
			async ([state, phase]) =>
				use(async (store, clock, home) => {
					await acceptRun(store, sampleEntry({deliveryId: 'same'}));
					const lease = await leaseOne(store);
					const {id} = lease.run;
					await store.runs.answer(lease, sampleAnswer);
					await store.runs.settle(lease, {state, error: 'because'});
					clock.advance(5000);
					expect(await store.runs.drop(id, 'gh was missing')).toBe(true);
					expect(await store.runs.drop(id, 'again')).toBe(false);
					await using crashed = await home.crash();
					await using after = await crashed.open(clock);
					expect(await after.runs.view(id)).toMatchObject({
						state: 'dropped',
						error: 'because',
						answer: 'All good',
						finishedAt: startMs,
						dropped: {was: state, at: startMs + 5000, reason: 'gh was missing'},
					});
					expect(await after.runs.kept()).toEqual({all: 1, toDecide: 0});
					expect(await after.runs.toDecide(5)).toEqual([]);
					expect(await after.runs.list({states: ['dropped'], limit: 5})).toHaveLength(1);
					expect(await after.runs.lease(1, 1000)).toEqual([]);
					expect(await after.runs.cancel(id)).toBe(false);
					expect((await after.intake.accept(sampleEntry({deliveryId: 'same'}))).kind).toBe(
						'accepted',
					);

					expect(await after.runs.retry(id)).toBe(true);
					const [again] = await after.runs.lease(1, 1000);
					expect(again).toMatchObject({phase, run: {id}});
					expect(again?.run.dropped).toBeUndefined();
				})(),
		);

		test(
			'what is queued, under way, between two tries, well ended or not there cannot be dropped',
			use(async store => {
				const waiting = await acceptRun(store);
				await settle(store, {state: 'retry', at: startMs + 5000, error: 'x'});
				const leased = await acceptRun(store);
				await leaseOne(store);
				const queued = await acceptRun(store);
				for (const id of [waiting, leased, queued, 999]) {
					expect(await store.runs.drop(id)).toBe(false);
				}

				expect(await store.runs.counts()).toEqual({queued: 2, active: 1});
				for (const state of ['done', 'silent', 'cancelled'] as const) {
					await store.runs.cancel(queued);
					const id = await endedRun(store, state);
					expect(await store.runs.drop(id)).toBe(false);
				}
			}),
		);

		test.for(['done', 'cancelled', 'uncertain', 'dead', 'dropped'] as const)(
			'a person hands the answer of a run that ended %s over to another target, which a crash does not forget',
			async state =>
				use(async (store, clock, home) => {
					const id = await endedRun(store, state === 'dropped' ? 'dead' : state);
					if (state === 'dropped') {
						await store.runs.drop(id);
					}

					const target = {kind: 'telegram', extra: {chat_id: '12'}};
					expect(await store.runs.handOver(id, target)).toBe(true);
					expect(await store.runs.handOver(id, target)).toBe(false);
					await using crashed = await home.crash();
					await using after = await crashed.open(clock);
					expect(await after.runs.view(id)).toMatchObject({
						state: 'delivering',
						target: 'telegram',
					});
					const again = await leaseOne(after);
					expect(again).toMatchObject({
						phase: 'deliver',
						run: {id, fullAnswer: 'All good', plan: {prompt: samplePlan.prompt, target}},
					});
					// What had arrived is another message; what had not goes on.
					expect(again.run.plan.again).toBe(state === 'done' ? 1 : undefined);
					await after.runs.settle(again, {state: 'dead', error: 'x'});
					expect(await after.runs.retry(id)).toBe(true);
					expect((await leaseOne(after)).run.plan.target).toEqual(target);
				})(),
		);

		test(
			'what has no answer, what the agent ended silently, and what has not ended is handed over by nobody',
			use(async store => {
				const silent = await endedRun(store, 'silent');
				const failed = await acceptRun(store);
				await settle(store, {state: 'dead', error: 'x'});
				const queued = await acceptRun(store);
				for (const id of [silent, failed, queued, 999]) {
					expect(await store.runs.handOver(id, samplePlan.target)).toBe(false);
				}

				await store.runs.cancel(queued);
				const twice = await endedRun(store, 'done');
				for (const times of [1, 2]) {
					expect(await store.runs.handOver(twice, samplePlan.target)).toBe(true);
					const lease = await leaseOne(store);
					expect(lease.run.plan.again).toBe(times);
					await store.runs.settle(lease, {state: 'done'});
				}
			}),
		);

		test.for(['done', 'silent'] as const)('a run that ended %s is over', async state =>
			use(async store => {
				const id = await endedRun(store, state);
				expect(await store.runs.retry(id)).toBe(false);
				expect(await store.runs.lease(1, 1000)).toEqual([]);
			})(),
		);

		test(
			'a run that does not exist is not there',
			use(async store => {
				expect(await store.runs.get(1)).toBeUndefined();
				expect(await store.runs.view(1)).toBeUndefined();
				expect(await store.runs.retry(1)).toBe(false);
			}),
		);

		test(
			'an answer is listed with its first 2,000 characters and kept up to 1 MiB',
			use(async store => {
				const id = await acceptRun(store);
				const lease = await leaseOne(store);
				const text = 'ö😀'.repeat(400_000);
				await store.runs.answer(lease, {...sampleAnswer, text});

				const run = await store.runs.get(id);
				expect(run?.answer === text.slice(0, 1999)).toBe(true);
				expect(Buffer.byteLength(run?.fullAnswer ?? '')).toBeLessThanOrEqual(1024 * 1024);
				expect(Buffer.byteLength(run?.fullAnswer ?? '')).toBeGreaterThan(1024 * 1024 - 10);
				expect(run?.fullAnswer?.isWellFormed()).toBe(true);
				expect(run?.fullAnswer).toMatch(/\[cut at 1 MiB\]$/);
			}),
		);

		test(
			'a transcript has 2,000 entries, then one note, over all tries',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				const entries = Array.from({length: 1500}, (_, index) =>
					sampleEntryOfTranscript(`step ${index}`),
				);
				const lease = await leaseOne(store);
				store.runs.append(lease, entries);
				await store.runs.settle(lease, {state: 'retry', at: startMs, error: 'x'});
				const again = await leaseOne(store);
				expect(again.run.transcript).toEqual(entries);
				store.runs.append(again, entries);
				store.runs.append(again, entries);
				await settleNotes(store, clock);

				const transcript = (await store.runs.get(id))?.transcript;
				expect(transcript).toHaveLength(2001);
				expect(transcript?.[1999]).toEqual(entries[499]);
				expect(transcript?.[2000]).toMatchObject({kind: 'note'});
			}),
		);

		test(
			'a transcript has at most 4 MiB',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				const lease = await leaseOne(store);
				for (let count = 0; count < 5; count += 1) {
					store.runs.append(lease, [sampleEntryOfTranscript('x'.repeat(1_300_000))]);
				}

				store.runs.append(lease, [sampleEntryOfTranscript('small')]);
				await settleNotes(store, clock);
				const kinds = async () => (await store.runs.get(id))?.transcript.map(entry => entry.kind);
				expect(await kinds()).toEqual(['text', 'text', 'text', 'note']);

				await store.runs.settle(lease, {state: 'retry', at: startMs, error: 'x'});
				store.runs.append(await leaseOne(store), [sampleEntryOfTranscript('small')]);
				await settleNotes(store, clock);
				expect(await kinds()).toEqual(['text', 'text', 'text', 'note']);
			}),
		);

		test(
			'runs are listed newest first, by state and route, page by page',
			use(async store => {
				const first = await acceptRun(store);
				await settle(store, {state: 'failed', error: 'x'});
				const second = await acceptRun(store, sampleEntry({route: 'gitlab'}));
				const third = await acceptRun(store);
				const ids = async (filter: Parameters<Store['runs']['list']>[0]) =>
					(await store.runs.list(filter)).map(run => run.id);

				expect(await ids({limit: 10})).toEqual([third, second, first]);
				expect(await ids({limit: 0})).toEqual([third]);
				expect(await ids({limit: 2, before: third})).toEqual([second, first]);
				expect(await ids({limit: 10, states: ['queued']})).toEqual([third, second]);
				expect(await ids({limit: 10, states: ['failed'], route: 'github'})).toEqual([first]);
				expect(await ids({limit: 10, states: []})).toEqual([]);
				expect(await ids({limit: 10, route: 'none'})).toEqual([]);
			}),
		);
	});

	describe(`${name}: taking over what a dead process left`, () => {
		type Way = {
			readonly plan: typeof samplePlan;
			readonly sideEffect: boolean;
			readonly answered: boolean;
			readonly started: boolean;
			readonly state: RunState;
		};

		const ways: Way[] = [samplePlan, logPlan].flatMap(plan =>
			[false, true].flatMap(sideEffect => [
				{
					plan,
					sideEffect,
					answered: false,
					started: false,
					state: sideEffect ? ('interrupted' as const) : ('queued' as const),
				},
				{plan, sideEffect, answered: true, started: false, state: 'delivering' as const},
				{
					plan,
					sideEffect,
					answered: true,
					started: true,
					state: plan === logPlan ? ('delivering' as const) : ('uncertain' as const),
				},
			]),
		);

		test.for(ways)(
			'to $plan.target.kind, side effect $sideEffect, answered $answered, delivery started $started: $state',
			async ({plan, sideEffect, answered, started, state}) =>
				use(async (store, clock, home) => {
					const id = await acceptRun(store, sampleEntry({}, {plan}));
					const lease = await leaseOne(store);
					await (sideEffect ? store.runs.markSideEffect(lease) : undefined);
					await (answered ? store.runs.answer(lease, sampleAnswer) : undefined);
					await (started
						? store.runs.markDeliveryStarted(lease, {isRepeatable: plan === logPlan})
						: undefined);

					await using copy = await home.crash();
					await using reopened = await copy.open(clock);
					const fate = hasEnded(state) ? state : 'requeued';
					expect(reopened.taken).toEqual({
						requeued: [],
						interrupted: [],
						uncertain: [],
						denied: [],
						[fate]: [id],
					});
					expect(await reopened.runs.view(id)).toMatchObject({state, attempt: 1});
					expect(await reopened.runs.settle(lease, {state: 'done'})).toBe(false);
					expect(await reopened.runs.lease(1, 1000)).toHaveLength(hasEnded(state) ? 0 : 1);
					expect(await reopened.runs.settle(lease, {state: 'done'})).toBe(false);
				})(),
		);

		/** Takes a run, and lets the process die over it. */
		const dieOver = async (home: Home, clock: FakeClock): Promise<Home> => {
			await using store = await home.open(clock);
			await leaseOne(store);
			return await home.crash();
		};

		test(
			'a run over which the process died three times is not begun again without a person, who gives it three more',
			use(async (store, clock, home) => {
				const id = await acceptRun(store);
				await settle(store, {state: 'retry', at: startMs, error: 'no tries are counted here'});
				await using first = await home.crash();
				await using second = await dieOver(first, clock);
				await using third = await dieOver(second, clock);
				await using fourth = await dieOver(third, clock);
				{
					await using last = await fourth.open(clock);
					expect(last.taken).toEqual({requeued: [], interrupted: [id], uncertain: [], denied: []});
					expect(await last.runs.view(id)).toMatchObject({
						state: 'interrupted',
						attempt: 4,
						error: 'The gateway ended or lost this run 3 times while it worked on it',
					});
					expect(await last.runs.lease(1, 1000)).toEqual([]);
					expect(await last.runs.retry(id)).toBe(true);
				}

				await using fifth = await dieOver(fourth, clock);
				await using again = await fifth.open(clock);
				expect(again.taken.requeued).toEqual([id]);
			}),
		);

		test(
			'an answer over which the process died three times is kept for a person',
			use(async (store, clock, home) => {
				const id = await acceptRun(store, sampleEntry({}, {plan: logPlan}));
				await using first = await home.crash();
				await using second = await dieOver(first, clock);
				await using third = await dieOver(second, clock);
				let answered: Home;
				{
					await using open = await third.open(clock);
					// What the agent lost before does not count against its answer.
					await open.runs.answer(await leaseOne(open), sampleAnswer);
					answered = await third.crash();
				}

				await using fourth = answered;
				await using fifth = await dieOver(fourth, clock);
				await using sixth = await dieOver(fifth, clock);
				await using last = await sixth.open(clock);
				expect(last.taken.uncertain).toEqual([id]);
				expect(await last.runs.view(id)).toMatchObject({
					answer: 'All good',
					error: 'The gateway ended or lost this run 3 times while it delivered its answer',
				});
				await last.runs.retry(id);
				expect(await leaseOne(last)).toMatchObject({phase: 'deliver'});
			}),
		);

		test(
			'a run that is never beaten in time is given up, too',
			use(async (store, clock) => {
				const id = await acceptRun(store);
				for (const _ of [1, 2, 3]) {
					await leaseOne(store, 1000);
					clock.advance(1000);
				}

				expect(await store.runs.lease(1, 1000)).toEqual([]);
				expect(await store.runs.view(id)).toMatchObject({state: 'interrupted', attempt: 3});
			}),
		);

		test(
			'an orderly end counts against no run, however often',
			use(async (store, clock, home) => {
				const id = await acceptRun(store);
				await using copy = await home.crash();
				for (const _ of [1, 2, 3, 4]) {
					await using open = await copy.open(clock);
					await leaseOne(open);
				}

				await using last = await copy.open(clock);
				expect(last.taken.requeued).toEqual([id]);
			}),
		);

		test(
			'what waits and what has ended stays as it is',
			use(async (store, clock, home) => {
				await acceptRun(store);
				await settle(store, {state: 'done'});
				await acceptRun(store);
				await settle(store, {state: 'retry', at: startMs + 5000, error: 'x'});
				const last = sampleEntry();
				await acceptRun(store, last);
				const before = await store.runs.list({limit: 10});

				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(reopened.taken).toEqual({requeued: [], interrupted: [], uncertain: [], denied: []});
				expect(await reopened.runs.list({limit: 10})).toEqual(before);
				expect(await reopened.runs.counts()).toEqual({queued: 2, active: 0});
				expect(reopened.lastId).toBe(last.delivery.id);
				expect((await reopened.intake.accept(last)).kind).toBe('duplicate');
				expect(await acceptRun(reopened)).toBe((before[0]?.id ?? 0) + 1);
			}),
		);

		test(
			'what is batched is written when the store closes',
			use(async (store, clock, home) => {
				const note = sampleDelivery({outcome: 'ignored:event'});
				const entry = sampleEntryOfTranscript('last words');
				let id = 0;
				await store[Symbol.asyncDispose]();
				{
					await using closing = await home.open(clock);
					closing.intake.note(note);
					id = await acceptRun(closing);
					closing.runs.append(await leaseOne(closing), [entry]);
				}

				await using reopened = await home.open(clock);
				expect(await reopened.journal.get(note.id)).toEqual(note);
				expect((await reopened.runs.get(id))?.transcript).toEqual([entry]);
			}),
		);

		test(
			'an empty store has no last identifier',
			use(async store => {
				expect(store.lastId).toBe('');
				expect(await store.health()).toEqual({
					notesDropped: 0,
					commitP50Ms: 0,
					commitP99Ms: 0,
				});
			}),
		);
	});

	describe(`${name}: journal`, () => {
		test(
			'a delivery is found by an unambiguous ending of at least four characters',
			use(async store => {
				const [one, two, three] = ['aaaaa1xyzw', 'aaaaa2xyzw', 'aaaaa00zzz'];
				for (const id of [one, two, three]) {
					await store.intake.record({delivery: sampleDelivery({id}), claim: false});
				}

				const idOf = async (id: string) => (await store.journal.get(id))?.id;
				expect(await idOf(one)).toBe(one);
				expect(await idOf('1xyzw')).toBe(one);
				await expect(idOf('xyzw')).rejects.toMatchObject({
					code: 'delivery_ambiguous',
					message: `Cannot tell which delivery "xyzw" is: ${two}, ${one} end so; give more of its characters`,
				});
				for (let more = 3; more < 8; more++) {
					const id = `aaaaa${more}xyzw`;
					await store.intake.record({delivery: sampleDelivery({id}), claim: false});
				}

				await expect(idOf('xyzw')).rejects.toThrow(
					/is: aaaaa7xyzw, aaaaa6xyzw, aaaaa5xyzw, aaaaa4xyzw, aaaaa3xyzw and others end so;/,
				);
				expect(await idOf('0zzz')).toBe(three);
				expect(await idOf('00zzz')).toBe(three);
				expect(await idOf('zzz')).toBeUndefined();
				expect(await idOf('nope')).toBeUndefined();
				expect(await idOf("' or 1=1")).toBeUndefined();
				expect(await idOf('')).toBeUndefined();
			}),
		);

		test(
			'a delivery that was just noted is found and listed at once',
			use(async store => {
				const [one, two] = [1, 2].map(() => sampleDelivery({outcome: 'ignored:event'}));
				store.intake.note(one ?? sampleDelivery());
				expect(await store.journal.get(one?.id ?? '')).toEqual(one);
				store.intake.note(two ?? sampleDelivery());
				expect((await store.journal.list({limit: 9})).map(({id}) => id)).toEqual([
					two?.id,
					one?.id,
				]);
			}),
		);

		test(
			'deliveries are listed newest first, by route and outcome, page by page, without what was received',
			use(async store => {
				const rows = ['accepted', 'duplicate', 'delivered', 'accepted'] as const;
				const deliveries = rows.map((outcome, index) =>
					sampleDelivery({outcome, route: index === 3 ? 'gitlab' : 'github'}),
				);
				for (const delivery of deliveries) {
					await store.intake.record({delivery, claim: false});
				}

				const [a, b, c, d] = deliveries.map(delivery => delivery.id);
				const ids = async (filter: Parameters<Store['journal']['list']>[0]) =>
					(await store.journal.list(filter)).map(delivery => delivery.id);
				const {body: _, headers: __, ...brief} = deliveries[3] ?? sampleDelivery();

				expect(await store.journal.list({limit: 1})).toEqual([brief]);
				expect(await ids({limit: 10})).toEqual([d, c, b, a]);
				expect(await ids({limit: 2, before: d ?? ''})).toEqual([c, b]);
				expect(await ids({limit: 10, route: 'github'})).toEqual([c, b, a]);
				expect(await ids({limit: 10, outcomes: ['accepted', 'delivered']})).toEqual([d, c, a]);
				expect(await ids({limit: 10, outcomes: []})).toEqual([]);
				expect(await ids({limit: 10, before: 'NOT AN ID'})).toEqual([]);
			}),
		);

		test(
			'bodies go by age, then by size, oldest first',
			use(async (store, clock) => {
				const body = new Uint8Array(1000);
				const deliveries = [0, 1, 2, 3].map(day =>
					sampleDelivery({receivedAt: startMs + day * dayMs, body}),
				);
				for (const delivery of deliveries) {
					await store.intake.record({delivery, claim: false});
				}

				clock.advance(3 * dayMs + 1);
				const kept = async () =>
					(await Promise.all(deliveries.map(({id}) => store.journal.get(id)))).map(
						delivery => delivery?.body !== undefined,
					);
				expect(await store.journal.purge({...forever, bodyMs: 3 * dayMs})).toEqual({
					bodies: 1,
					rows: 0,
				});
				expect(await kept()).toEqual([false, true, true, true]);
				expect(await store.journal.purge({...forever, bodyBytes: 2000})).toMatchObject({bodies: 1});
				expect(await kept()).toEqual([false, false, true, true]);
				expect(await store.journal.purge({...forever, bodyBytes: 2000})).toMatchObject({bodies: 0});
				expect(await store.journal.purge({...forever, bodyBytes: 0})).toMatchObject({bodies: 2});
				expect(await store.journal.list({limit: 10})).toHaveLength(4);
			}),
		);

		test(
			'a purge goes through many slices, also when all bodies are fresh',
			use(async (store, clock) => {
				const entries = Array.from({length: 450}, () => sampleEntry());
				await Promise.all(entries.map(entry => store.intake.accept(entry)));
				expect(await store.journal.purge({...forever, bodyBytes: 0})).toEqual({bodies: 0, rows: 0});

				for (let count = 0; count < 4; count += 1) {
					for (const lease of await store.runs.lease(100, 1000)) {
						await store.runs.settle(lease, {state: 'done'});
					}
				}

				expect(await store.journal.purge({...forever, bodyBytes: 0})).toEqual({
					bodies: 400,
					rows: 0,
				});
				expect(await store.journal.purge({...forever, bodyBytes: 0})).toEqual({bodies: 0, rows: 0});

				clock.advance(31 * dayMs);
				expect(await store.journal.purge(forever)).toEqual({bodies: 0, rows: 400});
			}),
		);

		test(
			'rows go by age, except what an unfinished run needs and the newest',
			use(async (store, clock) => {
				const [done, waiting, noted, newest] = [1, 2, 3, 4].map(() => sampleEntry());
				const doneRun = await acceptRun(store, done);
				const lease = await leaseOne(store);
				store.runs.append(lease, [sampleEntryOfTranscript('x')]);
				await store.runs.answer(lease, sampleAnswer);
				await store.runs.settle(lease, {state: 'done'});
				const waitingRun = await acceptRun(store, waiting);
				await store.intake.record({delivery: noted?.delivery ?? sampleDelivery(), claim: true});
				await acceptRun(store, newest);

				clock.advance(30 * dayMs - 1);
				expect(await store.journal.purge(forever)).toMatchObject({rows: 0});
				clock.advance(1);
				expect(await store.journal.purge({...forever, bodyMs: 60 * dayMs})).toEqual({
					bodies: 0,
					rows: 2,
				});
				expect((await store.journal.list({limit: 10})).map(({id}) => id)).toEqual([
					newest?.delivery.id,
					waiting?.delivery.id,
				]);
				expect(await store.journal.count()).toBe(2);
				expect(await store.runs.kept()).toEqual({all: 2, toDecide: 0});
				expect(await store.runs.get(doneRun)).toBeUndefined();
				expect(await store.runs.get(waitingRun)).toMatchObject({state: 'queued', plan: samplePlan});
				expect(await leaseOne(store)).toMatchObject({run: {id: waitingRun}});
			}),
		);

		test(
			'only the newest 10,000 rejections stay, and nothing else goes with them',
			use(async store => {
				const failed = sampleDelivery({outcome: 'delivery', status: 502});
				await store.intake.record({delivery: failed, claim: false});
				const rejections = Array.from({length: 10_150}, () =>
					sampleDelivery({outcome: 'body', status: 400}),
				);
				for (let from = 0; from < rejections.length; from += 5000) {
					const some = rejections.slice(from, from + 5000);
					// oxlint-disable-next-line no-await-in-loop -- not more than may wait
					await Promise.all(
						some.map(async delivery => store.intake.record({delivery, claim: false})),
					);
				}

				expect(await store.journal.purge(forever)).toEqual({bodies: 0, rows: 150});
				expect(await store.journal.purge(forever)).toEqual({bodies: 0, rows: 0});
				expect(await store.journal.get(rejections[149]?.id ?? '')).toBeUndefined();
				expect(await store.journal.get(rejections[150]?.id ?? '')).toBeDefined();
				expect(await store.journal.get(failed.id)).toBeDefined();

				// Their bodies are weighed no longer.
				const {bodyBytes} = failed;
				const bytes = 10_001 * bodyBytes;
				expect(await store.journal.purge({...forever, bodyBytes: bytes})).toMatchObject({
					bodies: 0,
				});
				expect(await store.journal.purge({...forever, bodyBytes: bytes - 1})).toMatchObject({
					bodies: 1,
				});
			}),
		);

		test(
			'a body that arrives late is dropped with the next purge',
			use(async store => {
				const [late, early] = [sampleDelivery(), sampleDelivery()];
				await store.intake.record({delivery: early, claim: false});
				expect(await store.journal.purge({...forever, bodyBytes: 0})).toMatchObject({bodies: 1});
				await store.intake.record({delivery: late, claim: false});
				expect(await store.journal.purge({...forever, bodyBytes: 0})).toMatchObject({bodies: 1});
			}),
		);

		test(
			'the size of the bodies is known after a restart',
			use(async (store, clock, home) => {
				await store.intake.record({delivery: sampleDelivery(), claim: false});
				await store.intake.record({delivery: sampleDelivery(), claim: false});
				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				const {bodyBytes} = sampleDelivery();
				expect(await reopened.journal.purge({...forever, bodyBytes})).toMatchObject({bodies: 1});
				expect(await reopened.journal.purge({...forever, bodyBytes})).toMatchObject({bodies: 0});
			}),
		);

		test(
			'the newest row stays however old it is: the next identifiers follow from it',
			use(async (store, clock, home) => {
				await acceptRun(store);
				const entry = sampleEntry();
				const run = await acceptRun(store, entry);
				await settle(store, {state: 'done'});
				await settle(store, {state: 'done'});
				const note = sampleDelivery();
				await store.intake.record({delivery: note, claim: false});
				clock.advance(99 * dayMs);
				expect(await store.journal.purge(forever)).toMatchObject({rows: 1});

				await using copy = await home.crash();
				await using reopened = await copy.open(clock);
				expect(reopened.lastId).toBe(note.id);
				expect(await acceptRun(reopened)).toBe(run + 1);
			}),
		);

		test(
			'a purge forgets no identifier within its hour',
			use(async (store, clock) => {
				const entry = sampleEntry();
				await acceptRun(store, entry);
				await settle(store, {state: 'done'});
				clock.advance(hourMs - 1);
				await acceptRun(store, sampleEntry({receivedAt: clock.now()}));
				const rash = {bodyMs: 0, bodyBytes: 0, rowMs: 0};

				expect(await store.journal.purge(rash)).toMatchObject({rows: 0});
				expect((await store.intake.accept(entry)).kind).toBe('duplicate');
				clock.advance(1);
				expect(await store.journal.purge(rash)).toMatchObject({rows: 1});
				expect(await store.intake.holderOf(entry.delivery, hourMs)).toBeUndefined();
			}),
		);
	});
}
