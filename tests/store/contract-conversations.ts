import {describe, expect, test} from 'vitest';
import {originOf} from '../../source/core/origin.ts';
import type {AskedMessage} from '../../source/store/conversation-rules.ts';
import type {Store} from '../../source/store/port.ts';
import type {Use} from './contract.ts';
import {acceptRun, dayMs, leaseOne, sampleEntry, startMs} from './samples.ts';

const leaseMs = 60_000;
const chat = {platform: 'telegram', chat: '-100/1'};

const asking = (id: string, rest: Partial<AskedMessage> = {}): AskedMessage => ({
	id,
	conversation: chat,
	user: '99',
	name: 'Ann',
	asks: {
		kind: 'turn',
		plan: {
			prompt: `Hello ${id}`,
			subject: `Hello ${id}`,
			target: {kind: 'telegram', extra: {chat_id: '-100/1'}},
			skills: [],
		},
	},
	...rest,
});

const receive = async (
	store: Store,
	messages: readonly AskedMessage[],
	rest: Partial<Parameters<Store['conversations']['receive']>[0]> = {},
) =>
	store.conversations.receive({
		profile: 'default',
		platform: 'telegram',
		messages,
		maxWaiting: 20,
		maxQueued: 1000,
		...rest,
	});

const kindsOf = (received: ReadonlyArray<{readonly kind: string}>) =>
	received.map(({kind}) => kind);

/** What every adapter must do with conversations on platforms. */
export function describeConversations(name: string, use: Use): void {
	describe(`${name}: conversations`, () => {
		test(
			'a message is a run of its conversation, once, also over a crash, and the cursor is behind it',
			use(async (store, clock, home) => {
				const [first] = await receive(store, [asking('1')], {cursor: {offset: 5}});
				expect(first).toMatchObject({kind: 'queued', session: expect.stringMatching(/^ses_/)});
				expect(kindsOf(await receive(store, [asking('1'), asking('2')]))).toEqual([
					'duplicate',
					'queued',
				]);
				await using after = await home.crash();
				await using reopened = await after.open(clock);
				expect(await reopened.conversations.cursor('telegram')).toEqual({offset: 5});
				expect(await reopened.conversations.cursor('matrix')).toBeUndefined();
				expect(kindsOf(await receive(reopened, [asking('2')]))).toEqual(['duplicate']);
				const runs = await reopened.runs.list({limit: 5});
				expect(runs).toHaveLength(2);
				expect(runs[0]).toMatchObject({
					route: 'telegram:-100%2F1',
					event: 'chat',
					subject: 'Hello 2',
					state: 'queued',
				});
				expect(runs[0] && originOf(runs[0])).toEqual({kind: 'chat', ...chat, user: '99'});
				expect((await reopened.runs.get(1))?.plan).toMatchObject({
					prompt: 'Hello 1',
					session: first?.kind === 'queued' ? first.session : '',
				});
			}),
		);

		test(
			'the same identifier is known for 24 hours, and on another platform it is another message',
			use(async (store, clock) => {
				await receive(store, [asking('1')]);
				clock.advance(dayMs - 1);
				expect(kindsOf(await receive(store, [asking('1')]))).toEqual(['duplicate']);
				clock.advance(1);
				expect(kindsOf(await receive(store, [asking('1')]))).toEqual(['queued']);
				expect(kindsOf(await receive(store, [asking('1')], {platform: 'matrix'}))).toEqual([
					'queued',
				]);
			}),
		);

		test(
			'turns of a conversation follow each other, one at a time; another conversation does not wait',
			use(async store => {
				const other = {...chat, thread: '17'};
				await receive(store, [asking('1'), asking('2'), asking('3', {conversation: other})]);
				const leases = await store.runs.lease(9, leaseMs);
				expect(leases.map(({run}) => run.plan.prompt)).toEqual(['Hello 1', 'Hello 3']);
				expect(await store.runs.lease(9, leaseMs)).toEqual([]);
				const [first] = leases;
				await (first && store.runs.settle(first, {state: 'done'}));
				expect((await leaseOne(store)).run.plan.prompt).toBe('Hello 2');
			}),
		);

		test(
			'a turn that is to be tried again holds up those behind it, also where they are due before it',
			use(async (store, clock) => {
				await receive(store, [asking('1'), asking('2')]);
				const first = await leaseOne(store);
				const at = clock.now() + 5000;
				await store.runs.settle(first, {state: 'retry', at, error: 'away'});
				expect(await store.runs.lease(9, leaseMs)).toEqual([]);
				expect(await store.runs.nextDue()).toBe(at);
				clock.advance(5000);
				expect((await leaseOne(store)).run.id).toBe(first.run.id);
			}),
		);

		test(
			'at most so many turns of a conversation wait, and no more runs than the queue has places for',
			use(async store => {
				const [, , third] = await receive(
					store,
					['1', '2', '3'].map(id => asking(id)),
					{
						maxWaiting: 2,
					},
				);
				expect(third).toEqual({kind: 'full', waiting: 2, isOfConversation: true});
				// It is told once.
				expect(kindsOf(await receive(store, [asking('3')], {maxWaiting: 2}))).toEqual([
					'duplicate',
				]);
				const [refused] = await receive(store, [asking('4')], {maxQueued: 2});
				expect(refused).toEqual({kind: 'full', waiting: 2, isOfConversation: false});
				expect(await store.runs.counts()).toEqual({queued: 2, active: 0});
			}),
		);

		test(
			'"session" is another one for what follows; what waits stays in its own',
			use(async store => {
				const [one, , two] = await receive(store, [
					asking('1'),
					asking('2', {asks: {kind: 'session'}}),
					asking('3'),
				]);
				expect(kindsOf([one, two].flatMap(each => each ?? []))).toEqual(['queued', 'queued']);
				expect(one).not.toMatchObject({session: two?.kind === 'queued' ? two.session : ''});
				await store.conversations.setSession(chat, 'ses_x');
				expect(await store.conversations.session(chat)).toBe('ses_x');
				expect(await receive(store, [asking('4')])).toMatchObject([{session: 'ses_x'}]);
				expect(await store.conversations.session({...chat, thread: '1'})).toBeUndefined();
			}),
		);

		test(
			'who wrote is counted, and what asks for nothing keeps no identifier',
			use(async (store, clock) => {
				const nothing = {asks: {kind: 'nothing'}} as const;
				await receive(store, [asking('1', nothing), asking('1', nothing)]);
				clock.advance(5);
				await receive(store, [asking('1', {...nothing, user: '7'})]);
				expect(await store.conversations.writers()).toEqual([
					{...chat, user: '7', name: 'Ann', lastAt: startMs + 5, messages: 1},
					{...chat, user: '99', name: 'Ann', lastAt: startMs, messages: 2},
				]);
				expect(await store.runs.list({limit: 5})).toEqual([]);
				expect(kindsOf(await receive(store, [asking('1')]))).toEqual(['queued']);
			}),
		);

		test(
			'what is open of a conversation: the turn that is under way, and those that wait',
			use(async store => {
				await receive(store, [asking('1'), asking('2')]);
				const first = await leaseOne(store);
				expect(await store.conversations.open('default', chat)).toEqual([
					{run: first.run.id, isQueued: false},
					{run: first.run.id + 1, isQueued: true},
				]);
				expect(await store.conversations.open('work', chat)).toEqual([]);
			}),
		);

		test(
			'a turn that a crash broke off is queued again, unless a tool that may change things had started',
			use(async (store, clock, home) => {
				await receive(store, [asking('1'), asking('2', {conversation: {...chat, thread: '2'}})]);
				const [, changing] = await store.runs.lease(9, leaseMs);
				await (changing && store.runs.markSideEffect(changing));
				await using after = await home.crash();
				await using reopened = await after.open(clock);
				const runs = await reopened.runs.list({limit: 5});
				expect(runs.map(({state}) => state)).toEqual(['interrupted', 'queued']);
				expect(await reopened.runs.retry(2)).toBe(true);
			}),
		);

		test(
			'threads of a chat take turns as one: whoever opens many is not before all others',
			use(async store => {
				const inThread = (thread: string) => asking(thread, {conversation: {...chat, thread}});
				await receive(store, [inThread('1')]);
				await store.runs.settle(await leaseOne(store), {state: 'done'});
				await acceptRun(store, sampleEntry());
				await store.runs.settle(await leaseOne(store), {state: 'done'});
				const other = {platform: 'telegram', chat: '-100/10'};
				await receive(store, [asking('9', {conversation: other})]);
				await store.runs.settle(await leaseOne(store), {state: 'done'});
				await receive(store, ['2', '3', '4'].map(inThread));
				await acceptRun(store, sampleEntry());
				await receive(store, [asking('10', {conversation: other})]);
				const order: string[] = [];
				for (let ended = 0; ended < 5; ended += 1) {
					const lease = await leaseOne(store);
					order.push(lease.run.route);
					await store.runs.settle(lease, {state: 'done'});
				}

				expect(order).toEqual([
					'telegram:-100%2F1/2',
					'github',
					'telegram:-100%2F10',
					'telegram:-100%2F1/3',
					'telegram:-100%2F1/4',
				]);
			}),
		);

		test(
			'no more than 100 turns wait in all threads of a chat',
			use(async store => {
				const inThread = (index: number) =>
					asking(String(index), {conversation: {...chat, thread: String(index % 7)}});
				const received = await receive(
					store,
					Array.from({length: 102}, (_, index) => inThread(index)),
				);
				expect(new Set(kindsOf(received.slice(0, 100)))).toEqual(new Set(['queued']));
				const full = {kind: 'full', waiting: 100, isOfConversation: true};
				expect(received.slice(100)).toEqual([full, full]);
				const other = {platform: 'telegram', chat: '-100/10'};
				expect(kindsOf(await receive(store, [asking('x', {conversation: other})]))).toEqual([
					'queued',
				]);
			}),
		);

		test(
			'conversations and routes take turns',
			use(async store => {
				await receive(store, [asking('1'), asking('2')]);
				for (const event of ['a', 'b']) {
					await acceptRun(store, sampleEntry({deliveryId: event}));
				}

				const order: string[] = [];
				for (let ended = 0; ended < 4; ended += 1) {
					const lease = await leaseOne(store);
					order.push(lease.run.route);
					await store.runs.settle(lease, {state: 'done'});
				}

				expect(order).toEqual(['telegram:-100%2F1', 'github', 'telegram:-100%2F1', 'github']);
			}),
		);
	});
}
