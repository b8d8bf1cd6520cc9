import {conversationName, type Conversation} from '../core/origin.ts';
import {integerOf, type Row, textOf, wordOf} from './columns.ts';
import {
	type Conversations,
	conversationMemos,
	lanesOfChat,
	receiveMessage,
	type Received,
	type ReceivingState,
	sessionOfMemo,
	writerOfMemo,
} from './conversation-rules.ts';
import type {StoreParts} from './parts.ts';
import type {RetentionStep} from './retention.ts';
import {sameMessageMs} from './rules.ts';

/** Returns a function that reads the unfinished runs of a conversation, oldest first. */
function createOpenTurns(database: StoreParts['database']) {
	const lane = 'run.lane = json_array(?1, ?2, null)';
	const open = database.prepare(
		`select id, state from run where finished_at is null and due_at is null and ${lane}
		union all select id, state from run where due_at is not null and ${lane} order by id`,
	);
	return (profile: string, conversation: Conversation) =>
		open.all(profile, conversationName(conversation)).map(openTurnOfRow);
}

/** Reads conversations; needs no write access. */
export function createConversationReader({
	database,
	memoSteps: memos,
}: Pick<StoreParts, 'database' | 'memoSteps'>): Pick<
	Conversations,
	'open' | 'session' | 'writers'
> {
	const openOf = createOpenTurns(database);
	return {
		session: async conversation =>
			sessionOfMemo(memos.get(conversationMemos.session, conversationName(conversation))),
		open: async (profile, conversation) => openOf(profile, conversation),
		writers: async () =>
			memos.list(conversationMemos.writer).flatMap(memo => writerOfMemo(memo) ?? []),
	};
}

/** `Conversations` on SQLite. */
export function createConversations(parts: StoreParts): Conversations {
	const {database, clock, commit, memoSteps: memos, enqueue, pool, steadyNow: now} = parts;
	const openOf = createOpenTurns(database);
	const known = database.prepare('select at from inbound where platform = ? and message = ?');
	const keep = database.prepare(
		'insert or replace into inbound (platform, message, at) values (?, ?, ?)',
	);
	// The lanes of a chat: its own, and those of its threads, whose names continue with a slash.
	const ofChat = database.prepare(
		`select count(*) as waiting from run where due_at is not null and state = 'queued'
		and (lane = json_array(?1, ?2, null) or (lane > ?3 and lane < ?4))`,
	);
	const stateOf = ({profile, platform, maxQueued}: Received): ReceivingState => ({
		now: clock.now(),
		isKnown(id) {
			const before = known.get(platform, id);
			return before !== undefined && now() - integerOf(before['at']) < sameMessageMs;
		},
		keep: id => keep.run(platform, id, now()),
		memo: (kind, name) => memos.get(kind, name),
		putMemo: (kind, name, value) => memos.put(kind, name, value),
		waiting: conversation => openOf(profile, conversation).filter(({isQueued}) => isQueued).length,
		waitingOfChat(conversation) {
			const {name, from, to} = lanesOfChat(profile, conversation);
			return integerOf(ofChat.get(profile, name, from, to)?.['waiting'] ?? 0);
		},
		refusal: route => pool.queueRefusal({profile, route}, maxQueued),
		enqueue,
	});

	return {
		receive: async entry =>
			commit.write(() => {
				const state = stateOf(entry);
				const received = entry.messages.map(message => receiveMessage(message, entry, state));
				if (entry.cursor !== undefined) {
					memos.put(conversationMemos.cursor, entry.platform, entry.cursor);
				}

				return received;
			}),
		cursor: async platform => memos.get(conversationMemos.cursor, platform),
		setSession: async (conversation, session) =>
			commit.write(() =>
				memos.put(conversationMemos.session, conversationName(conversation), session),
			),
		...createConversationReader(parts),
	};
}

/** Parses the row of an unfinished run of a conversation. */
export const openTurnOfRow = (row: Row) => ({
	run: integerOf(row['id']),
	isQueued: wordOf(row['state']) === 'queued',
});

/** Deletes identifiers too old to count as duplicates, a slice at a time. */
export function createMessageRetention({
	database,
	steadyNow: now,
}: Pick<StoreParts, 'database' | 'steadyNow'>): RetentionStep {
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
