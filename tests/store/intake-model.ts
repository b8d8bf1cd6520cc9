import * as fc from 'fast-check';
import {expect} from 'vitest';
import type {RunState} from '../../source/core/run.ts';
import type {Accepted, Settlement, Store} from '../../source/store/port.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import type {Home} from './contract.ts';
import {hourMs, sampleDelivery, sampleEntry, startMs} from './samples.ts';

const keys = ['a', 'b', 'c'] as const;
const maxQueued = 4;

type Key = (typeof keys)[number];

type TryEnd = Exclude<Settlement['state'], 'awaits-logins'>;

type Step =
	| {readonly kind: 'accept'; readonly keys: readonly Key[]}
	| {readonly kind: 'record'; readonly key: Key}
	| {readonly kind: 'finish'; readonly state: TryEnd}
	| {readonly kind: 'cancel' | 'retry'; readonly run: number}
	| {readonly kind: 'advance'; readonly byMs: number}
	| {readonly kind: 'crash'};

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({
				kind: fc.constant('accept' as const),
				keys: fc.array(fc.constantFrom(...keys), {minLength: 1, maxLength: 4}),
			}),
		},
		{
			weight: 4,
			arbitrary: fc.record({
				kind: fc.constant('finish' as const),
				state: fc.constantFrom<TryEnd>('done', 'failed', 'dead', 'uncertain', 'retry'),
			}),
		},
		fc.record({kind: fc.constant('record' as const), key: fc.constantFrom(...keys)}),
		fc.record({
			kind: fc.constantFrom('cancel' as const, 'retry' as const),
			run: fc.integer({min: 1, max: 12}),
		}),
		fc.record({
			kind: fc.constant('advance' as const),
			byMs: fc.constantFrom(1, hourMs / 2, hourMs - 1, hourMs),
		}),
		fc.constant({kind: 'crash' as const}),
	),
	{maxLength: 40},
);

/** The rules again, as plainly as they can be said. */
function createModel() {
	const runs: Array<{state: RunState; due: number}> = [];
	const claims = new Map<string, {of: string; run?: number; at: number}>();
	const stateOf = (run?: number) => (run === undefined ? undefined : runs[run - 1]?.state);
	const holderOf = (key: string, now: number) => {
		const claim = claims.get(key);
		const gaveUp = ['failed', 'dead', 'cancelled'].includes(stateOf(claim?.run) ?? '');
		return claim && now - claim.at < hourMs && !gaveUp ? claim.of : undefined;
	};

	const model = {
		holderOf,
		queued: () => runs.filter(run => run.state === 'queued').length,
		active: () => runs.filter(run => run.state === 'delivering').length,
		states: () => runs.map(run => run.state),
		accept(key: string, of: string, now: number): Accepted {
			const holder = holderOf(key, now);
			if (holder !== undefined) {
				return {kind: 'duplicate', of: holder};
			}

			if (model.queued() >= maxQueued) {
				return {kind: 'full', queued: model.queued(), most: maxQueued};
			}

			runs.push({state: 'queued', due: now});
			claims.set(key, {of, run: runs.length, at: now});
			return {kind: 'accepted', runId: runs.length};
		},
		record(key: string, of: string, now: number) {
			claims.set(key, {of, at: now});
		},
		/** The run that is due first, by number. */
		next() {
			const waiting = runs
				.map((run, index) => ({...run, id: index + 1}))
				.filter(run => run.state === 'queued' || run.state === 'delivering')
				.toSorted((a, b) => a.due - b.due || a.id - b.id);
			return waiting[0]?.id;
		},
		finish(id: number, state: TryEnd, now: number) {
			const run = runs[id - 1];
			if (run) {
				run.state = state === 'retry' ? run.state : state;
				run.due = now;
			}
		},
		cancel(id: number) {
			const run = runs[id - 1];
			const can = run !== undefined && ['queued', 'delivering'].includes(run.state);
			if (can) {
				run.state = 'cancelled';
			}

			return can;
		},
		retry(id: number, now: number) {
			const run = runs[id - 1];
			const target = (
				{
					failed: 'queued',
					cancelled: 'queued',
					dead: 'delivering',
					uncertain: 'delivering',
				} as const
			)[run?.state as string];
			if (!run || !target) {
				return false;
			}

			Object.assign(run, {state: target, due: now});
			return true;
		},
	};

	return model;
}

async function follow(createHome: () => Promise<Home>, script: readonly Step[]): Promise<void> {
	await using stack = new AsyncDisposableStack();
	const clock = createFakeClock(startMs);
	const model = createModel();
	let home: Home = stack.use(await createHome());
	let store: Store = stack.use(await home.open(clock));

	const perform = {
		async accept({keys: wanted}: Extract<Step, {kind: 'accept'}>) {
			const entries = wanted.map(key => sampleEntry({deliveryId: key}, {maxQueued}));
			expect(await Promise.all(entries.map(entry => store.intake.accept(entry)))).toEqual(
				entries.map(({delivery}) => model.accept(delivery.deliveryId, delivery.id, clock.now())),
			);
		},
		async record({key}: Extract<Step, {kind: 'record'}>) {
			const delivery = sampleDelivery({deliveryId: key, outcome: 'delivered'});
			await store.intake.record({delivery, claim: true});
			model.record(key, delivery.id, clock.now());
		},
		async finish({state}: Extract<Step, {kind: 'finish'}>) {
			const [lease] = await store.runs.lease(1, 1000);
			expect(lease?.run.id).toBe(model.next());
			if (lease) {
				const details = {state, error: 'because', at: clock.now()};
				expect(await store.runs.settle(lease, details as Settlement)).toBe(true);
				model.finish(lease.run.id, state, clock.now());
			}
		},
		async cancel({run}: {readonly run: number}) {
			expect(await store.runs.cancel(run)).toBe(model.cancel(run));
		},
		async retry({run}: {readonly run: number}) {
			expect(await store.runs.retry(run)).toBe(model.retry(run, clock.now()));
		},
		async advance({byMs}: Extract<Step, {kind: 'advance'}>) {
			clock.advance(byMs);
		},
		async crash() {
			home = stack.use(await home.crash());
			store = stack.use(await home.open(clock));
		},
	};

	for (const step of script) {
		// oxlint-disable-next-line no-await-in-loop -- a script is followed in order
		await perform[step.kind](step as never);
		for (const deliveryId of keys) {
			const key = {profile: 'default', route: 'github', deliveryId};
			// oxlint-disable-next-line no-await-in-loop -- a script is followed in order
			expect(await store.intake.holderOf(key, hourMs)).toBe(
				model.holderOf(deliveryId, clock.now()),
			);
		}

		// oxlint-disable-next-line no-await-in-loop -- a script is followed in order
		expect(await store.runs.counts()).toEqual({queued: model.queued(), active: model.active()});
	}

	const runs = await store.runs.list({limit: 1000});
	expect(runs.toReversed().map(run => run.state)).toEqual(model.states());

	// How many of the route wait follows from how many more it may have: 18 of 20.
	const more = Array.from({length: 20}, () => sampleEntry({}, {maxQueued: 20}));
	const answers = await Promise.all(more.map(entry => store.intake.accept(entry)));
	expect(answers.filter(({kind}) => kind === 'accepted')).toHaveLength(18 - model.queued());
	expect(answers.at(-1)).toEqual({kind: 'full', queued: 18, most: 18, ofRoute: true});
}

/** Identifiers, duplicates and the queue follow the rules in any order of events, also over crashes. Rejects with the shortest script that breaks them, of `runs` scripts. */
export async function intakeModel(runs: number, createHome: () => Promise<Home>): Promise<void> {
	await fc.assert(
		fc.asyncProperty(steps, async script => follow(createHome, script)),
		{numRuns: runs},
	);
}
