import * as fc from 'fast-check';
import {expect} from 'vitest';
import type {Group, GroupReason} from '../../source/core/group.ts';
import type {Store} from '../../source/store/port.ts';
import type {Home} from './contract.ts';
import {createJumpingClock} from './jumping-clock.ts';
import {groupedEntry, hourMs, leaseOne, startMs} from './samples.ts';
import {createSqliteHome} from './sqlite-home.ts';

const keys = ['a', 'b', 'c'] as const;
const window = {windowMs: 30, maxWaitMs: 100};
const minuteMs = 60_000;

type Key = (typeof keys)[number];

type Step =
	| {readonly kind: 'events'; readonly keys: readonly Key[]}
	| {readonly kind: 'advance' | 'jump'; readonly byMs: number}
	| {readonly kind: 'flush'; readonly key: Key | 'all'}
	| {readonly kind: 'dispatchDue' | 'crash' | 'restart' | 'again' | 'finish'};

const stepOf = <Kind extends Step['kind']>(kind: Kind) => fc.constant({kind});

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({
				kind: fc.constant('events' as const),
				keys: fc.array(fc.constantFrom(...keys), {minLength: 1, maxLength: 3}),
			}),
		},
		{
			weight: 5,
			arbitrary: fc.record({
				kind: fc.constant('advance' as const),
				byMs: fc.constantFrom(1, 10, 29, 30, 31, 99),
			}),
		},
		{weight: 3, arbitrary: stepOf('dispatchDue')},
		fc.record({
			kind: fc.constant('flush' as const),
			key: fc.constantFrom(...keys, 'all' as const),
		}),
		fc.record({
			kind: fc.constant('jump' as const),
			byMs: fc.constantFrom(hourMs, -10 * minuteMs, -15, 15),
		}),
		stepOf('crash'),
		stepOf('restart'),
		stepOf('again'),
		stepOf('finish'),
	),
	{maxLength: 40},
);

/** The two clocks at one moment. */
type Moment = {readonly wall: number; readonly monotonic: number};

type ModelGroup = {
	key: Key;
	events: string[];
	/** What the wall clock was ahead when the group began, or when its process did. */
	offset: number;
	first: number;
	last: number;
	reason?: GroupReason;
	at?: number;
};

/** The rules of the contract again, as plainly as they can be said. */
function createModel() {
	const groups: ModelGroup[] = [];
	const pending = () => groups.filter(({reason}) => reason === undefined);
	const timeOf = ({offset}: ModelGroup, {monotonic}: Moment) => offset + monotonic;
	const leftOf = (group: ModelGroup, now: Moment) =>
		Math.min(group.last + window.windowMs, group.first + window.maxWaitMs) - timeOf(group, now);
	const end = (group: ModelGroup, reason: GroupReason, now: Moment) => {
		Object.assign(group, {reason, at: timeOf(group, now)});
	};

	const endIfDue = (group: ModelGroup, now: Moment) => {
		const isQuiet = group.last + window.windowMs <= group.first + window.maxWaitMs;
		if (leftOf(group, now) <= 0) {
			end(group, isQuiet ? 'quiet' : 'cap', now);
		}
	};

	return {
		groups,
		pending,
		event(key: Key, id: string, now: Moment) {
			const waiting = pending().find(group => group.key === key);
			if (waiting) {
				endIfDue(waiting, now);
			}

			if (waiting && waiting.reason === undefined) {
				waiting.events.push(id);
				waiting.last = timeOf(waiting, now);
			} else {
				const {wall, monotonic} = now;
				groups.push({key, events: [id], offset: wall - monotonic, first: wall, last: wall});
			}
		},
		dispatchDue(now: Moment) {
			for (const group of pending()) {
				endIfDue(group, now);
			}
		},
		flush(key: Key | 'all', now: Moment) {
			for (const group of pending().filter(one => key === 'all' || one.key === key)) {
				end(group, 'person', now);
			}
		},
		/** A process begins, and no event can have come later than its clock shows. */
		open({wall, monotonic}: Moment) {
			for (const group of pending()) {
				const ahead = Math.max(0, group.last - wall);
				group.offset = wall - monotonic;
				group.first -= ahead;
				group.last -= ahead;
			}
		},
		nextDueMs(now: Moment) {
			const left = pending().map(group => leftOf(group, now));
			return left.length === 0 ? undefined : Math.max(0, Math.min(...left));
		},
	};
}

const shapeOf = ({id, key, firstAt, lastAt, count, latest, reason, dispatchedAt}: Group) => ({
	id,
	key,
	firstAt,
	lastAt,
	count,
	latest,
	...(reason && {reason, dispatchedAt}),
});

const shapeOfModel = (group: ModelGroup, index: number) => ({
	id: index + 1,
	key: group.key,
	firstAt: group.first,
	lastAt: group.last,
	count: group.events.length,
	latest: group.events.at(-1),
	...(group.reason && {reason: group.reason, dispatchedAt: group.at}),
});

/** Follows one script, in a copy of the home `empty`. */
async function follow(empty: Home, script: readonly Step[]): Promise<void> {
	await using stack = new AsyncDisposableStack();
	const clock = createJumpingClock(startMs);
	const model = createModel();
	let home: Home = stack.use(await empty.crash());
	let store: Store = stack.use(await home.open(clock));
	const now = () => ({wall: home.now(clock), monotonic: clock.monotonic()});
	/** The clock of claims: the wall clock as the open store has read it first, and the monotonic one since then. */
	let opened = now();
	const steadyNow = () => opened.wall + clock.monotonic() - opened.monotonic;
	let lastEventAt = 0;
	const reopen = async () => {
		store = stack.use(await home.open(clock));
		opened = now();
		model.open(opened);
	};

	const perform: {readonly [Kind in Step['kind']]: (step: never) => Promise<void>} = {
		async events({keys: wanted}: Extract<Step, {kind: 'events'}>) {
			const entries = wanted.map(key => groupedEntry('', {}, {group: {...window, key}}));
			const answers = await Promise.all(entries.map(async entry => store.intake.accept(entry)));
			expect(answers.map(({kind}) => kind)).toEqual(entries.map(() => 'coalesced'));
			lastEventAt = steadyNow();
			for (const [index, {delivery}] of entries.entries()) {
				model.event(wanted[index] ?? 'a', delivery.id, now());
			}
		},
		async advance({byMs}: {readonly byMs: number}) {
			clock.advance(byMs);
		},
		async jump({byMs}: {readonly byMs: number}) {
			clock.jump(byMs);
		},
		async flush({key}: {readonly key: Key | 'all'}) {
			const waiting = await store.groups.list({state: 'pending', limit: 9});
			const group = waiting.find(one => one.key === key);
			await store.groups.dispatch(key === 'all' ? 'all' : {id: group?.id ?? 0}, 'person');
			model.flush(key, now());
		},
		async dispatchDue() {
			await store.groups.dispatchDue();
			model.dispatchDue(now());
		},
		async crash() {
			home = stack.use(await home.crash());
			await reopen();
		},
		async restart() {
			await store[Symbol.asyncDispose]();
			await reopen();
		},
		/** The sender repeats its last event: nothing happens. Not of an event that is an hour old by the store's clock, which a jump and a restart can make of it. */
		async again() {
			if (steadyNow() - lastEventAt >= hourMs) {
				return;
			}

			const last = model.groups.at(-1)?.events.at(-1);
			const delivery = last === undefined ? undefined : await store.journal.get(last);
			if (delivery) {
				const entry = groupedEntry('', {deliveryId: delivery.deliveryId});
				const answer = await store.intake.accept({...entry, idempotencyMs: 99 * hourMs});
				expect(answer).toEqual({kind: 'duplicate', of: last});
			}
		},
		async finish() {
			if ((await store.runs.counts()).queued > 0) {
				await store.runs.settle(await leaseOne(store), {state: 'done'});
			}
		},
	};

	const expectSame = async () => {
		expect(await store.groups.nextDueMs()).toBe(model.nextDueMs(now()));
		expect(await store.groups.pending()).toBe(model.pending().length);
		const groups = await store.groups.list({limit: 1000});
		expect(groups.toSorted((a, b) => a.id - b.id).map(shapeOf)).toEqual(
			model.groups.map(shapeOfModel),
		);
	};

	for (const step of script) {
		// oxlint-disable-next-line no-await-in-loop -- a script is followed in order
		await perform[step.kind](step as never);
		// oxlint-disable-next-line no-await-in-loop -- a script is followed in order
		await expectSame();
	}

	await store.groups.dispatch('all', 'stop');
	await expectEveryEventOnce(store, model.groups);
}

/** "Never lost, never twice": each group is one run with the latest payload, which stands for all its events. */
async function expectEveryEventOnce(store: Store, groups: readonly ModelGroup[]): Promise<void> {
	const runs = await store.runs.list({limit: 1000});
	const members = await Promise.all(
		runs.map(async run => {
			const stored = await store.groups.get(run.group ?? 0);
			return {
				delivery: run.delivery,
				superseded: run.superseded ?? 0,
				events: stored?.members.map(({delivery}) => delivery),
			};
		}),
	);
	const byLatest = (a: {delivery: string | undefined}, b: {delivery: string | undefined}) =>
		(a.delivery ?? '') < (b.delivery ?? '') ? -1 : 1;
	expect(members.toSorted(byLatest)).toEqual(
		groups
			.map(({events}) => ({
				delivery: events.at(-1) ?? '',
				superseded: events.length - 1,
				events,
			}))
			.toSorted(byLatest),
	);
}

/**
 * Groups follow their rules in any order of events, dispatches, crashes and jumps of the wall clock: last payload, count, time, nothing lost, nothing twice. Rejects with the
 * shortest script that breaks them, of `runs` scripts.
 */
export async function coalescingModel(
	runs: number,
	createHome: () => Promise<Home> = createSqliteHome,
): Promise<void> {
	await using empty = await createHome();
	await (await empty.open(createJumpingClock(startMs)))[Symbol.asyncDispose]();
	await fc.assert(
		fc.asyncProperty(steps, async script => follow(empty, script)),
		{numRuns: runs},
	);
}
