import {expect, test} from 'vitest';
import {createSessionTurns} from '../../../source/gateway/conversations/session-turns.ts';
import {maxMessagesOfSession} from '../../../source/store/rules.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {leaseOne, startMs} from '../../store/samples.ts';
import {createSqliteHome} from '../../store/sqlite-home.ts';

const chat = {platform: 'telegram', chat: '12'};

/** A turn that has been answered. */
async function openTurns(count: number) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await createSqliteHome());
	const clock = createFakeClock(startMs);
	const store = stack.use(await home.open(clock));
	const turns = createSessionTurns({clock, store});
	await store.conversations.receive({
		profile: 'default',
		platform: 'telegram',
		messages: Array.from({length: count}, (_, index) => ({
			id: String(index),
			conversation: chat,
			user: '99',
			asks: {
				kind: 'turn' as const,
				plan: {prompt: `Question ${index}`, target: {kind: 'log', extra: {}}, skills: []},
			},
		})),
		maxWaiting: count,
		maxQueued: count,
	});
	return {
		store,
		turns,
		clock,
		/** The next turn, with its answer. */
		async next() {
			const lease = await leaseOne(store);
			await store.runs.answer(lease, {text: 'Answer', model: 'm', toolCalls: 0});
			const run = await store.runs.get(lease.run.id);
			await store.runs.settle(lease, {state: 'done'});
			if (!run) {
				throw new Error('it is gone');
			}

			return run;
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

test('a turn is kept once however often it is told, and the next one knows it', async () => {
	await using open = await openTurns(2);
	const first = await open.next();
	await open.turns.keep(first);
	await open.turns.keep(first);
	expect((await open.turns.begin(await open.next()))?.before).toEqual([
		{role: 'user', text: 'Question 0'},
		{role: 'assistant', text: 'Answer'},
	]);
	expect(await open.turns.begin({...first, conversation: undefined} as never)).toBeUndefined();
});

test('a session that is full is followed by one other, for all turns that waited for it', async () => {
	await using open = await openTurns(3);
	const {store, turns, clock} = open;
	const [first, second, third] = [await open.next(), await open.next(), await open.next()];
	await turns.keep(first);
	const session = first.plan.session ?? '';
	await store.sessions.append(session, {
		at: clock.now(),
		model: 'm',
		title: '',
		messages: Array.from({length: maxMessagesOfSession - 3}, () => ({
			message: {role: 'user', content: 'x'},
			text: 'x',
		})),
	});
	await turns.keep(second);
	await turns.keep(second);
	await turns.keep(third);
	await turns.keep(first);
	const sessions = await store.sessions.list({limit: 9});
	expect(sessions.map(({messages}) => messages).toSorted((a, b) => a - b)).toEqual([
		4,
		maxMessagesOfSession - 1,
	]);
	expect(await store.conversations.session(chat)).toBe(sessions.find(({id}) => id !== session)?.id);
});

test('what is mirrored stands in the session of its chat, where that has one', async () => {
	await using open = await openTurns(1);
	const {store, turns} = open;
	await turns.mirror({platform: 'telegram', chat: '13'}, 'Nobody talks there');
	// The first turn has not been answered: there is a session only once it has.
	await turns.mirror(chat, 'Too soon');
	await turns.keep(await open.next());
	await turns.mirror(chat, 'Build 7 is red');
	const [session] = await store.sessions.list({limit: 9});
	expect((await store.sessions.messages(session?.id ?? '')).map(({message}) => message)).toEqual([
		{role: 'user', content: 'Question 0'},
		{role: 'assistant', content: 'Answer'},
		{role: 'assistant', content: 'Build 7 is red'},
	]);
});
