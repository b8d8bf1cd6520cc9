import {isJsonObject, type JsonValue} from '../core/json.ts';
import {conversationName, type Conversation} from '../core/origin.ts';
import {mintSessionId} from '../core/session.ts';
import {integerOf, textOf, wordOf} from './columns.ts';
import type {AskedMessage, Conversations, ReceivedMessage, Writer} from './conversation-port.ts';
import {createMemoSteps, type MemoSteps} from './memos.ts';
import type {StoreParts} from './parts.ts';
import type {RetentionStep} from './retention.ts';
import {maxWaitingOfChat, sameMessageMs} from './rules.ts';
import type {NewRun} from './run-queue.ts';
import type {WaitingPool} from './waiting-pool.ts';

type Entry = Parameters<Conversations['receive']>[0];

/** Kinds of memos: the cursor of a platform, the session of a conversation, who wrote. */
const kinds = {cursor: 'listener', session: 'conversation', writer: 'chat-writer'} as const;

/** The part of `Conversations` that only looks, without promises. */
function createReading(database: StoreParts['database'], memos: Pick<MemoSteps, 'get' | 'list'>) {
	const lane = 'run.lane = json_array(?1, ?2, null)';
	const open = database.prepare(
		`select id, state from run where finished_at is null and due_at is null and ${lane}
		union all select id, state from run where due_at is not null and ${lane} order by id`,
	);
	return {
		openOf: (profile: string, conversation: Conversation) =>
			open.all(profile, conversationName(conversation)).map(row => ({
				run: integerOf(row['id']),
				isQueued: wordOf(row['state']) === 'queued',
			})),
		sessionOf: (conversation: Conversation): string | undefined => {
			const memo = memos.get(kinds.session, conversationName(conversation));
			return typeof memo === 'string' ? memo : undefined;
		},
		writers: () => memos.list(kinds.writer).flatMap(({name, value}) => writerOf(name, value) ?? []),
	};
}

/** Reads conversations; needs no write access. */
export function createConversationReader(
	database: StoreParts['database'],
): Pick<Conversations, 'open' | 'session' | 'writers'> {
	const {openOf, sessionOf, writers} = createReading(database, createMemoSteps({database}));
	return {
		session: async conversation => sessionOf(conversation),
		open: async (profile, conversation) => openOf(profile, conversation),
		writers: async () => writers(),
	};
}

/** `Conversations` on SQLite. `now` is the clock by which identifiers grow old. */
export function createConversations({
	database,
	clock,
	commit,
	memos,
	enqueue,
	pool,
	now,
}: Pick<StoreParts, 'clock' | 'commit' | 'database'> & {
	readonly memos: MemoSteps;
	readonly enqueue: (run: NewRun) => number;
	readonly pool: Pick<WaitingPool, 'queueRefusal'>;
	readonly now: () => number;
}): Conversations {
	const known = database.prepare('select at from inbound where platform = ? and message = ?');
	const keep = database.prepare(
		'insert or replace into inbound (platform, message, at) values (?, ?, ?)',
	);
	// Lanes of a chat: its own, and those of its threads, whose names go on with a slash.
	const ofChat = database.prepare(
		`select count(*) as waiting from run where due_at is not null and state = 'queued'
		and (lane = json_array(?1, ?2, null) or (lane > ?3 || '/' and lane < ?3 || '0'))`,
	);
	const waitingOfChat = (profile: string, {platform, chat}: Conversation): number => {
		const name = conversationName({platform, chat});
		const beginning = JSON.stringify([profile, name]).slice(0, -2);
		return integerOf(ofChat.get(profile, name, beginning)?.['waiting'] ?? 0);
	};

	const {openOf, sessionOf, writers} = createReading(database, memos);
	const putSession = (conversation: Conversation, session: string) => {
		memos.put(kinds.session, conversationName(conversation), session);
		return session;
	};

	const note = ({conversation, user, name}: AskedMessage) => {
		const {platform, chat, thread = null} = conversation;
		const key = JSON.stringify([platform, chat, thread, user]);
		const before = memos.get(kinds.writer, key);
		const messages = isJsonObject(before) ? Number(before['messages']) : 0;
		memos.put(kinds.writer, key, {name: name ?? null, at: clock.now(), messages: messages + 1});
	};

	const queue = (message: AskedMessage, entry: Entry): ReceivedMessage => {
		const {conversation, user, asks} = message;
		if (asks.kind !== 'turn') {
			return {kind: 'noted'};
		}

		const {profile, maxQueued, maxWaiting} = entry;
		const route = conversationName(conversation);
		const waiting = openOf(profile, conversation).filter(({isQueued}) => isQueued).length;
		if (waiting >= maxWaiting) {
			return {kind: 'full', waiting, isOfConversation: true};
		}

		const inChat = waitingOfChat(profile, conversation);
		if (inChat >= maxWaitingOfChat) {
			return {kind: 'full', waiting: inChat, isOfConversation: true};
		}

		const refusal = pool.queueRefusal({profile, route}, maxQueued);
		if (refusal) {
			return {kind: 'full', waiting: refusal.queued, isOfConversation: false};
		}

		// Written anew, so that it is among those of conversations that go on.
		const session = putSession(conversation, sessionOf(conversation) ?? mintSessionId());
		const at = clock.now();
		const runId = enqueue({
			delivery: null,
			profile,
			route,
			target: asks.plan.target.kind,
			createdAt: at,
			dueAt: at,
			turn: {conversation: {...conversation, user}, plan: {...asks.plan, session}},
		});
		return {kind: 'queued', runId, session};
	};

	const receive = (message: AskedMessage, entry: Entry): ReceivedMessage => {
		const {platform} = entry;
		const {id, asks, conversation} = message;
		if (asks.kind === 'nothing') {
			note(message);
			return {kind: 'noted'};
		}

		const before = known.get(platform, id);
		if (before && now() - integerOf(before['at']) < sameMessageMs) {
			return {kind: 'duplicate'};
		}

		keep.run(platform, id, now());
		note(message);
		if (asks.kind === 'session') {
			putSession(conversation, mintSessionId());
		}

		return queue(message, entry);
	};

	return {
		receive: async entry =>
			commit.write(() => {
				const received = entry.messages.map(message => receive(message, entry));
				if (entry.cursor !== undefined) {
					memos.put(kinds.cursor, entry.platform, entry.cursor);
				}

				return received;
			}),
		cursor: async platform => memos.get(kinds.cursor, platform),
		session: async conversation => sessionOf(conversation),
		async setSession(conversation, session) {
			await commit.write(() => putSession(conversation, session));
		},
		open: async (profile, conversation) => openOf(profile, conversation),
		writers: async () => writers(),
	};
}

function writerOf(key: string, value: JsonValue): Writer | undefined {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `note` writes it
	const [platform, chat, thread, user] = JSON.parse(key) as [string, string, string | null, string];
	if (!isJsonObject(value)) {
		return undefined;
	}

	const {name, at, messages} = value;
	return {
		platform,
		chat,
		...(thread !== null && {thread}),
		user,
		...(typeof name === 'string' && {name}),
		lastAt: Number(at),
		messages: Number(messages),
	};
}

/** Identifiers that are told apart no more, some in each slice. */
export function createMessageRetention(
	{database}: Pick<StoreParts, 'database'>,
	now: () => number,
): RetentionStep {
	const slice = 500;
	const old = database.prepare(
		`select platform, message from inbound where at <= ? order by at limit ${slice}`,
	);
	const drop = database.prepare('delete from inbound where platform = ? and message = ?');
	return () => {
		const rows = old.all(now() - sameMessageMs);
		for (const row of rows) {
			drop.run(textOf(row['platform']), textOf(row['message']));
		}

		return {went: rows.length, last: 0, more: rows.length === slice};
	};
}
