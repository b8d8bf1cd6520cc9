import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import type {ToolApproval} from '../../../source/core/approval.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createSealer} from '../../../source/core/seal.ts';
import {createCalls} from '../../../source/gateway/cluster/calls.ts';
import {holdAlone} from '../../../source/gateway/cluster/one-holder.ts';
import {createRelay} from '../../../source/gateway/cluster/relay.ts';
import {shareApprovals} from '../../../source/gateway/cluster/share-approvals.ts';
import type {RoomWorld} from '../../../source/gateway/rooms.ts';
import {openLoopBreaker} from '../../../source/gateway/runs/loop-breaker.ts';
import {createSharedMemory} from '../../../source/store/shared-memory.ts';
import type {StoreNote, StoreNotes} from '../../../source/store/shared-port.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeDelivery, makeRun} from '../../helpers/make.ts';

/** Notes as members on one store have them, the next of which may be lost. */
function openNotes() {
	const clock = createFakeClock(1_000_000);
	const shared = createSharedMemory(clock);
	let isLost = false;
	const events: StoreNotes = {
		publish(note: StoreNote) {
			if (!isLost) {
				shared.events.publish(note);
			}
		},
		subscribe: listener => shared.events.subscribe(listener),
	};
	return {
		clock,
		events,
		leases: shared.leases,
		lose(next: boolean) {
			isLost = next;
		},
	};
}

type Notes = ReturnType<typeof openNotes>;

function joinRelay({clock, events}: Notes, owner: string) {
	const heard: GatewayEvent[] = [];
	let missed = 0;
	const relay = createRelay(
		{clock, events, owner, node: `node of ${owner}`},
		{
			hear(all) {
				heard.push(...all);
			},
			onMissed() {
				missed += 1;
			},
		},
	);
	return {
		...relay,
		heard,
		get missed() {
			return missed;
		},
	};
}

const received: GatewayEvent = {type: 'delivery-received', at: 1, delivery: makeDelivery()};

describe('what happens at one member', () => {
	test('is told the others in one note each 200 ms, with the name of the member, and not the member itself', () => {
		const notes = openNotes();
		const [east, west] = [joinRelay(notes, 'east'), joinRelay(notes, 'west')];
		east.tell(received);
		east.tell({type: 'run-changed', at: 1, run: makeRun({state: 'running'})});
		east.tell({type: 'run-said', at: 1, runId: 1, from: 0, text: 'word'});
		expect(west.heard).toEqual([]);
		notes.clock.advance(200);
		expect(west.heard).toEqual([
			received,
			{type: 'run-changed', at: 1, run: {...makeRun({state: 'running'}), node: 'node of east'}},
		]);
		expect(east.heard).toEqual([]);
		expect(west.missed).toBe(0);
	});

	test('is read again where it is too much, or where a note was lost', async () => {
		const notes = openNotes();
		const [east, west] = [joinRelay(notes, 'east'), joinRelay(notes, 'west')];
		for (let count = 0; count < 1000; count += 1) {
			east.tell(received);
		}

		notes.clock.advance(200);
		await turn();
		expect([west.heard.length, west.missed]).toEqual([0, 1]);
		east.tell(received);
		notes.lose(true);
		notes.clock.advance(200);
		await turn();
		notes.lose(false);
		expect(west.missed).toBe(1);
		east.tell(received);
		notes.clock.advance(200);
		await turn();
		expect([west.heard.length, west.missed]).toEqual([1, 2]);
		notes.events.publish({kind: 'missed'});
		expect(west.missed).toBe(3);
	});
});

describe('a call', () => {
	const join = ({clock, events}: Notes, owner: string) =>
		createCalls({clock, log: silentLogger, events, owner, node: owner});

	test('is done by the member that has the thing, and a refusal comes as its own', async () => {
		const notes = openNotes();
		const [east, west, north] = [join(notes, 'east'), join(notes, 'west'), join(notes, 'north')];
		west.serve('double', {
			has: input => input === 7,
			perform: async input => Number(input) * 2,
		});
		north.serve('double', {
			has: input => input === 8,
			perform: async () => Promise.reject(new Error('no')),
		});
		expect(await east.call('double', 7)).toBe(14);
		expect(await east.call('double', 9, 'west')).toBe(18);
		await expect(east.call('double', 8)).rejects.toThrow('no');
		const unanswered = east.call('double', 1);
		notes.clock.advance(5000);
		expect(await unanswered).toBe(undefined);
	});

	test('that is told twice is done once, and none is larger than 512 KiB', async () => {
		const notes = openNotes();
		const [east, west] = [join(notes, 'east'), join(notes, 'west')];
		let done = 0;
		west.serve('count', {has: () => true, perform: async () => (done += 1)});
		const told: StoreNote[] = [];
		notes.events.subscribe(note => {
			told.push(note);
		});
		expect(await east.call('count', null)).toBe(1);
		const [call] = told;
		notes.events.publish(call as StoreNote);
		await turn();
		expect(done).toBe(1);
		await expect(east.call('count', 'x'.repeat(600_000))).rejects.toMatchObject({
			code: 'member_busy',
		});
	});
});

test('with a key of the store nobody but members can read a call, and one with another key is told so', async () => {
	const notes = openNotes();
	const told: StoreNote[] = [];
	notes.events.subscribe(note => {
		told.push(note);
	});
	const join = async (owner: string, key: string) => {
		const sealer = await createSealer(key, 'a salt');
		const {clock, events} = notes;
		return createCalls({
			clock,
			log: silentLogger,
			events,
			owner,
			node: owner,
			sealer: () => sealer,
		});
	};
	const [east, west] = [
		await join('east', 'key of the store'),
		await join('west', 'key of the store'),
	];
	west.serve('fill', {has: () => true, perform: async input => ({got: input})});
	expect(await east.call('fill', {pin: 'hunter2'})).toEqual({got: {pin: 'hunter2'}});
	expect(told.map(({kind}) => kind)).toEqual(['call', 'answer']);
	expect(JSON.stringify(told)).not.toContain('hunter2');
	const wrong = await join('wrong', 'another key');
	await expect(wrong.call('fill', {pin: 'hunter2'}, 'west')).rejects.toMatchObject({
		code: 'store_key_wrong',
		message: expect.stringContaining('gateway.store_key of "west"'),
	});
	const {clock, events} = notes;
	const without = createCalls({clock, log: silentLogger, events, owner: 'none', node: 'north'});
	await expect(without.call('fill', 1, 'west')).rejects.toThrow('gateway.store_key of "north"');
});

describe('what one member does at a time', () => {
	const join = ({clock, leases}: Notes, log: string[], name: string) =>
		holdAlone({clock, log: silentLogger}, leases('listen:telegram'), {
			async start() {
				log.push(`${name} begins`);
				return {
					async [Symbol.asyncDispose]() {
						log.push(`${name} ends`);
					},
				};
			},
		});

	const pass = async ({clock}: Notes, ms: number) => {
		for (let passed = 0; passed < ms; passed += 500) {
			clock.advance(500);
			// oxlint-disable-next-line no-await-in-loop -- what a timer began goes on in turns
			await turn();
		}
	};

	test('is done by the next one as soon as the first gives it back, and not before', async () => {
		const notes = openNotes();
		const log: string[] = [];
		const east = join(notes, log, 'east');
		await east.looked;
		await using west = join(notes, log, 'west');
		await west.looked;
		await pass(notes, 120_000);
		expect(log).toEqual(['east begins']);
		await east[Symbol.asyncDispose]();
		await pass(notes, 2500);
		expect(log).toEqual(['east begins', 'east ends', 'west begins']);
		expect(west.isHeld).toBe(true);
	});

	test('ends where the lease cannot be prolonged, before another may have it', async () => {
		const notes = openNotes();
		const log: string[] = [];
		let isAway = false;
		const whileThere =
			<Input, Output>(ask: (input: Input) => Promise<Output>) =>
			async (input: Input) => {
				if (isAway) {
					throw new Error('away');
				}

				return ask(input);
			};
		await using east = join(
			{
				...notes,
				leases: name => ({
					async take(ms) {
						const lease = await notes.leases(name).take(ms);
						return lease && {...lease, beat: whileThere(async (more: number) => lease.beat(more))};
					},
				}),
			},
			log,
			'east',
		);
		await east.looked;
		isAway = true;
		await pass(notes, 29_500);
		expect(log).toEqual(['east begins']);
		await pass(notes, 500);
		expect(log.slice(0, 2)).toEqual(['east begins', 'east ends']);
	});
});

test('answers to one subject are counted by all members together: what one holds, the others hold, until a person decides', async () => {
	const notes = openNotes();
	const join = async (owner: string) => {
		const world = {
			clock: notes.clock,
			log: silentLogger,
			store: {
				owner,
				events: notes.events,
				memos: {list: async () => [], async put() {}, async drop() {}},
			},
			cluster: {
				isShared: true,
				read: async <Value>(read: () => Promise<Value>) => read(),
				onNote(listener: (note: StoreNote) => void) {
					notes.events.subscribe(listener);
				},
				onMissed() {},
			},
			live: {
				routes: () => ({routes: new Map([['hook', {loopLimit: 3, loopWindowMs: 60_000}]])}),
			},
		};
		return openLoopBreaker(world as unknown as RoomWorld);
	};
	const [east, west] = [await join('east'), await join('west')];
	const answer = (id: number) => ({
		id,
		profile: 'default',
		route: 'hook',
		delivery: `d${id}`,
		plan: {subject: 'acme/api#7'},
	});
	await east.answered(answer(1));
	await west.answered(answer(2));
	expect([east.heldBy(answer(3)), west.heldBy(answer(3))]).toEqual([undefined, undefined]);
	await east.answered(answer(3));
	expect(east.heldBy(answer(4))).toContain('3 times');
	expect(west.heldBy(answer(4))).toBe(east.heldBy(answer(4)));
	await west.release(answer(4));
	expect(east.heldBy(answer(4))).toBe(undefined);
});

test('what waits at another member is asked again until that answers, and is forgotten once it was settled', async () => {
	const clock = createFakeClock(1_000_000);
	const asked = makeToolApproval({id: 7});
	const told: GatewayEvent[] = [];
	let calls = 0;
	let waiting = [asked];
	let ask: () => void = () => {};
	let tellOf: (note: StoreNote) => void = () => {};
	let hear: (events: readonly GatewayEvent[], from: string) => void = () => {};
	const cluster = {
		isShared: true,
		isSealed: () => false,
		owner: 'east',
		async look() {},
		members: () => (calls === 0 ? [] : [{owner: 'west', node: 'the west', state: 'live'}]),
		async call() {
			calls += 1;
			return calls < 3 ? undefined : waiting;
		},
		serve() {},
		onHeard(listener: typeof hear) {
			hear = listener;
		},
		onNote(listener: typeof tellOf) {
			tellOf = listener;
		},
		onMissed(listener: () => void) {
			ask = listener;
		},
		onTaken() {},
		onLeaving() {},
	};
	const approvals = shareApprovals(
		{
			waiting: () => [],
			settle: async () => ({settled: false, approval: asked}),
		} as unknown as Parameters<typeof shareApprovals>[0],
		{
			clock,
			broker: {
				emit(event) {
					told.push(event);
				},
			},
			store: {
				approvals: {
					waiting: async () => [],
					get: async () => ({
						...asked,
						decision: {outcome: 'denied', at: 1, by: 'the gateway'},
					}),
				},
			},
			cluster: cluster as unknown as RoomWorld['cluster'],
		},
	);
	expect(approvals.waiting()).toEqual([]);
	calls = 1;
	for (let looks = 0; looks < 3; looks += 1) {
		clock.advance(2000);
		// oxlint-disable-next-line no-await-in-loop -- what a timer began goes on in turns
		await turn();
	}

	expect(approvals.waiting()).toMatchObject([{id: 7, node: 'the west'}]);
	expect(told).toMatchObject([{type: 'approval-requested'}]);
	// What a form is filled in with must not stand in the database as it is.
	await expect(
		approvals.settle(7, {choice: 'submit', content: {pin: 'hunter2'}}, 'cli'),
	).rejects.toMatchObject({code: 'approval_invalid'});
	hear([{type: 'approval-settled', at: 1, approval: asked}], '');
	expect(approvals.waiting()).toEqual([]);
	hear([{type: 'approval-requested', at: 1, approval: asked}], 'west');
	// The event of its end was lost with the database, its row was not.
	tellOf({kind: 'approval-settled', id: 7});
	await turn();
	expect(approvals.waiting()).toEqual([]);
	expect(told.at(-1)).toMatchObject({type: 'approval-settled', approval: {id: 7}});
	hear([{type: 'approval-requested', at: 1, approval: asked}], 'west');
	// All notes of its end were lost, and its member has it no more.
	waiting = [];
	ask();
	await turn();
	expect(approvals.waiting()).toEqual([]);
});

test('without the key of the others a member lists what they ask by the store, and an answer of it that counted is told as such', async () => {
	const clock = createFakeClock(1_000_000);
	const asked = makeToolApproval({id: 7});
	const told: GatewayEvent[] = [];
	let decision: ToolApproval['decision'];
	const cluster = {
		isShared: true,
		isSealed: () => false,
		owner: 'east',
		node: 'east',
		async look() {},
		members: () => [{owner: 'west', node: 'the west', state: 'live'}],
		async call(name: string) {
			if (name === 'settle') {
				decision = {outcome: 'allowed', at: 1, by: 'cli at east', scope: 'once'};
			}

			throw new Error('Cannot read the answer');
		},
		serve() {},
		onHeard() {},
		onNote() {},
		onMissed() {},
		onTaken() {},
		onLeaving() {},
	};
	const get = async () => ({...asked, ...(decision && {decision})});
	const large = makeToolApproval({id: 8, args: null, argsBytes: 100_000});
	const approvals = shareApprovals(
		{
			waiting: () => [],
			settle: async () => ({settled: false, approval: await get()}),
		} as unknown as Parameters<typeof shareApprovals>[0],
		{
			clock,
			broker: {
				emit(event) {
					told.push(event);
				},
			},
			store: {
				approvals: {
					get,
					waiting: async () => [
						{approval: asked, owner: 'west'},
						{approval: large, owner: 'west'},
						{approval: makeToolApproval({id: 9}), owner: 'of nobody'},
					],
				},
			},
			cluster: cluster as unknown as RoomWorld['cluster'],
		},
	);
	for (let looks = 0; looks < 3; looks += 1) {
		// oxlint-disable-next-line no-await-in-loop -- what a timer began goes on in turns
		await turn();
		clock.advance(2000);
	}

	expect(approvals.waiting()).toMatchObject([{id: 7, node: 'the west'}]);
	expect(told).toMatchObject([{type: 'approval-requested', approval: {id: 7}}]);
	expect(await approvals.settle(7, {choice: 'allow', scope: 'once'}, 'cli')).toMatchObject({
		settled: true,
		approval: {id: 7, decision: {by: 'cli at east'}},
	});
	expect(await approvals.settle(7, {choice: 'deny'}, 'cli')).toMatchObject({settled: false});
});
