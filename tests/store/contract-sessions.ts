import {describe, expect, test} from 'vitest';
import type {Store} from '../../source/store/port.ts';
import {
	emptySessionMs,
	maxBytesOfOwner,
	maxBytesOfSession,
	maxMessagesOfSession,
	maxSessionsOfOwner,
} from '../../source/store/rules.ts';
import type {LeaseToken} from '../../source/store/shared-port.ts';
import type {Use} from './contract.ts';
import {dayMs, startMs} from './samples.ts';

const key = {id: 'key_one', name: 'laptop', isTest: false};

const begin = async (
	store: Store,
	id: string,
	{owner, at = startMs}: {owner?: typeof key; at?: number} = {},
) => store.sessions.begin({id, model: 'agent', createdAt: at, ...(owner && {key: owner})});

const message = (role: string, text: string, run?: number) => ({
	message: {role, content: text},
	text,
	...(run !== undefined && {run}),
});

const sayAt = (at: number) => async (store: Store, id: string, texts: readonly string[]) =>
	store.sessions.append(id, {
		at,
		model: 'small',
		title: texts[0]?.slice(0, 80) ?? '',
		messages: texts.map((text, index) => message(index % 2 === 0 ? 'user' : 'assistant', text)),
	});

const say = sayAt(startMs);

const found = async (store: Store, text: string) =>
	(await store.sessions.search(text, 10)).map(({session, role, excerpt}) => ({
		id: session.id,
		role,
		excerpt,
	}));

const listed = async (store: Store, before?: string) =>
	(await store.sessions.list({limit: 1000, ...(before !== undefined && {before})})).map(
		({id}) => id,
	);

/** What every adapter must do with sessions of chats. */
export function describeSessions(name: string, use: Use): void {
	describe(`${name}: sessions`, () => {
		test(
			'no turn is added under a lease that another has had since',
			use(async (store, clock) => {
				await begin(store, 'ses_a');
				const add = async (lease: LeaseToken | undefined, text: string) =>
					store.sessions.append(
						'ses_a',
						{at: startMs, model: 'small', title: '', messages: [message('user', text)]},
						lease,
					);
				const stale = await store.leases('session ses_a').take(1000);
				expect(await add(stale, 'from the living')).toBeDefined();
				clock.advance(1001);
				// Nobody has taken it yet.
				expect(await add(stale, 'late')).toBeDefined();
				const lease = await store.leases('session ses_a').take(1000);
				await expect(add(stale, 'from the dead')).rejects.toMatchObject({code: 'session_busy'});
				expect(await add(lease, 'from the next')).toMatchObject({messages: 3});
				await lease?.release();
				await expect(add(lease, 'after its end')).rejects.toMatchObject({code: 'session_busy'});
				expect(await store.sessions.messages('ses_a')).toHaveLength(3);
			}),
		);

		test(
			'a turn is added whole, and is there after a crash',
			use(async (store, clock, home) => {
				await begin(store, 'ses_a', {owner: key});
				expect(await store.sessions.get('ses_a')).toEqual({
					id: 'ses_a',
					key,
					model: 'agent',
					title: '',
					createdAt: startMs,
					usedAt: startMs,
					messages: 0,
					bytes: 0,
				});
				await store.sessions.append('ses_a', {
					at: startMs + 5,
					model: 'small',
					title: 'Hello',
					messages: [message('user', 'Hello'), message('assistant', 'Grüezi', 7)],
				});
				await store.sessions.append('ses_a', {
					at: startMs + 3,
					model: 'agent',
					title: 'Never',
					messages: [message('user', 'Again')],
				});
				await using after = await home.crash();
				await using reopened = await after.open(clock);
				const conversation = await reopened.sessions.messages('ses_a');
				expect(conversation).toEqual([
					{at: startMs + 5, message: {role: 'user', content: 'Hello'}},
					{at: startMs + 5, message: {role: 'assistant', content: 'Grüezi'}, run: 7},
					{at: startMs + 3, message: {role: 'user', content: 'Again'}},
				]);
				expect(await reopened.sessions.get('ses_a')).toMatchObject({
					model: 'agent',
					title: 'Hello',
					usedAt: startMs + 5,
					messages: 3,
					bytes: conversation
						.map(one => Buffer.byteLength(JSON.stringify(one.message)))
						.reduce((sum, bytes) => sum + bytes),
				});
				expect(await reopened.sessions.get('ses_none')).toBeUndefined();
				expect(await say(reopened, 'ses_none', ['x'])).toBeUndefined();
			}),
		);

		test(
			'a conversation on a platform has sessions of its own, which are bounded like those of a key',
			use(async store => {
				await store.sessions.begin({
					id: 'ses_chat',
					model: 'agent',
					createdAt: startMs,
					origin: 'telegram:12345/17',
				});
				await begin(store, 'ses_person');
				await say(store, 'ses_chat', ['Hello']);
				for (let index = 0; index < maxSessionsOfOwner; index += 1) {
					// oxlint-disable-next-line no-await-in-loop -- in their order
					await store.sessions.begin({
						id: `ses_${index}`,
						model: 'agent',
						createdAt: startMs + 1 + index,
						origin: 'telegram:12345/18',
					});
				}

				expect(await store.sessions.get('ses_chat')).toMatchObject({origin: 'telegram:12345/17'});
				expect(await store.sessions.list({limit: 5})).toMatchObject([
					{id: 'ses_chat', origin: 'telegram:12345/17'},
				]);
				await store.sessions.begin({
					id: 'ses_more',
					model: 'agent',
					createdAt: startMs + 1000,
					origin: 'telegram:12345/18',
				});
				expect(await store.sessions.get('ses_0')).toBeUndefined();
				expect(await store.sessions.get('ses_person')).toBeDefined();
				expect(await store.sessions.get('ses_chat')).toBeDefined();
			}),
		);

		test(
			'those with messages are listed, last used first, page by page; one that is removed is gone with its words',
			use(async store => {
				await Promise.all(['a', 'b', 'c', 'd'].map(async one => begin(store, `ses_${one}`)));
				await sayAt(startMs + 2)(store, 'ses_b', ['one apple']);
				await sayAt(startMs + 2)(store, 'ses_a', ['two apples']);
				await sayAt(startMs + 9)(store, 'ses_c', ['a pear']);
				expect(await listed(store)).toEqual(['ses_c', 'ses_b', 'ses_a']);
				expect(await listed(store, 'ses_b')).toEqual(['ses_a']);
				expect(await store.sessions.list({limit: 1})).toMatchObject([{id: 'ses_c'}]);
				expect(await store.sessions.remove('ses_b')).toBe(true);
				expect(await store.sessions.remove('ses_b')).toBe(false);
				expect(await store.sessions.messages('ses_b')).toEqual([]);
				expect(await found(store, 'apple')).toMatchObject([{id: 'ses_a'}]);
			}),
		);

		test(
			'words are found by their beginnings, whatever their case and accents, the newest message first',
			use(async store => {
				await begin(store, 'ses_a');
				await begin(store, 'ses_b');
				await say(store, 'ses_a', ['Where is the Zürich deployment?', 'In the lake, deployed']);
				await say(store, 'ses_b', ['日本語のテキスト', 'x'.repeat(500)]);
				expect(await found(store, 'zurich DEPLOY')).toEqual([
					{id: 'ses_a', role: 'user', excerpt: 'Where is the Zürich deployment?'},
				]);
				expect((await found(store, 'deploy')).map(({role}) => role)).toEqual(['assistant', 'user']);
				expect(await found(store, '日本')).toHaveLength(1);
				// A single letter is a word of its own.
				expect(await found(store, 'd')).toEqual([]);
				expect((await found(store, 'xxx'))[0]?.excerpt).toHaveLength(400);
			}),
		);

		test(
			'no question does harm',
			use(async store => {
				await begin(store, 'ses_a');
				await say(store, 'ses_a', ['plain words "quoted" \u0000 nul', '\u001B[31mred']);
				const hostile = [
					'',
					' ',
					'"',
					'""',
					"'",
					'*',
					'-',
					'(',
					')',
					':',
					'^',
					'+',
					'{',
					'\\',
					'\u0000',
					'\uD800',
					'text:',
					'NEAR(',
					'NEAR(a b, 2)',
					'"a" OR',
					'NOT',
					'AND AND',
					'a\u0000b',
					'; drop table session;--',
					'\u0301',
					'% _',
					'session_text : x',
					'('.repeat(5000),
					'w '.repeat(5000),
					'x'.repeat(100_000),
				];
				for (const text of hostile) {
					expect({text, found: await found(store, text)}).toEqual({text, found: []});
				}

				// Signs around a word, and the words of the index's own language, are only what they say.
				expect(await found(store, '"plain" -words* (quoted)')).toHaveLength(1);
				expect(await found(store, 'plain OR nothing')).toEqual([]);
				const [match] = await found(store, '31m');
				expect(match?.excerpt).toBe('␛[31mred');
			}),
		);

		test(
			'has a bound for each session: what is above it is refused, and nothing of it is kept',
			use(async store => {
				await begin(store, 'ses_a');
				await say(
					store,
					'ses_a',
					Array.from({length: maxMessagesOfSession - 1}, () => 'w'),
				);
				await expect(say(store, 'ses_a', ['x', 'y'])).rejects.toMatchObject({code: 'session_full'});
				expect(await store.sessions.get('ses_a')).toMatchObject({
					messages: maxMessagesOfSession - 1,
				});
				await begin(store, 'ses_b');
				await expect(
					say(store, 'ses_b', ['y', 'x'.repeat(maxBytesOfSession)]),
				).rejects.toMatchObject({code: 'session_full'});
				expect(await store.sessions.messages('ses_b')).toEqual([]);
				expect(await found(store, 'y')).toEqual([]);
			}),
		);

		test(
			'and for each owner: its sessions that were used longest ago go, and nobody else’s',
			use(async store => {
				await begin(store, 'ses_mine');
				await sayAt(1)(store, 'ses_mine', ['mine']);
				await Promise.all(
					Array.from({length: maxSessionsOfOwner}, async (_, index) =>
						begin(store, `ses_${index}`, {owner: key, at: startMs + index}),
					),
				);
				await sayAt(startMs + dayMs)(store, 'ses_0', ['late']);
				await begin(store, 'ses_more', {owner: key, at: startMs + dayMs + 1});
				expect(await store.sessions.get('ses_1')).toBeUndefined();
				const content = 'x'.repeat(maxBytesOfSession - 100);
				const count = maxBytesOfOwner / maxBytesOfSession + 1;
				for (let index = 2; index < 2 + count; index++) {
					await store.sessions.append(`ses_${index}`, {
						at: startMs + 2 * dayMs + index,
						model: 'small',
						title: 'big',
						messages: [{message: {role: 'user', content}, text: ''}],
					});
				}

				expect(await store.sessions.get('ses_0')).toBeUndefined();
				expect(await store.sessions.get('ses_2')).toBeUndefined();
				expect(await store.sessions.get('ses_3')).toBeDefined();
				expect(await listed(store)).toHaveLength(count);
				expect(await store.sessions.get('ses_mine')).toBeDefined();
			}),
		);

		test(
			'the retention takes what was used too long ago, and what stayed empty for a day',
			use(async (store, clock) => {
				await begin(store, 'ses_old');
				await say(store, 'ses_old', ['old words']);
				await begin(store, 'ses_empty');
				await begin(store, 'ses_new', {at: startMs + dayMs});
				await sayAt(startMs + dayMs)(store, 'ses_new', ['new words']);
				const bounds = {bodyMs: 1, bodyBytes: 1, rowMs: 30 * dayMs};
				clock.advance(emptySessionMs);
				expect(await store.journal.purge(bounds)).toMatchObject({rows: 0});
				clock.advance(1);
				expect(await store.journal.purge(bounds)).toMatchObject({rows: 1});
				expect(await store.sessions.get('ses_empty')).toBeUndefined();
				clock.advance(29 * dayMs);
				await store.journal.purge(bounds);
				expect(await listed(store)).toEqual(['ses_new']);
				expect(await found(store, 'words')).toHaveLength(1);
			}),
		);
	});
}
