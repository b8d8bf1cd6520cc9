import type {JsonValue} from '../../core/json.ts';
import {type Conversation, conversationName} from '../../core/origin.ts';
import {integerOf, readJson, textOf} from '../columns.ts';
import {
	type Conversations,
	type ReceivedMessage,
	conversationMemos,
	lanesOfChat,
	receiveMessage,
	type Received,
	type ReceivingState,
	sessionOfMemo,
	writerKeyOf,
	writerOfMemo,
} from '../conversation-rules.ts';
import {openTurnOfRow} from '../conversations.ts';
import type {NewRun} from '../due-queue.ts';
import {sameMessageMs} from '../rules.ts';
import {columnsOf} from './ask.ts';
import type {Transaction} from './database.ts';
import {enqueue, laneOf} from './enqueue.ts';
import {getMemo, listMemos, type NewMemo, putMemos} from './memos.ts';
import type {PostgresParts} from './parts.ts';
import type {Waiting, WaitingReader} from './waiting.ts';

/** `Conversations` on PostgreSQL. */
export function createConversations({
	database,
	readWaiting,
	queued,
}: Pick<PostgresParts, 'database' | 'queued' | 'readWaiting'>): Conversations {
	return {
		async receive(entry) {
			const received = await database.transact(
				async transaction => receive(transaction, {entry, readWaiting}),
				'accept',
			);
			if (received.some(({kind}) => kind === 'queued')) {
				queued.tell();
			}

			return received;
		},
		cursor: async platform => getMemo(database, conversationMemos.cursor, platform),
		session: async conversation =>
			sessionOfMemo(
				await getMemo(database, conversationMemos.session, conversationName(conversation)),
			),
		async setSession(conversation, session) {
			const name = conversationName(conversation);
			await putMemos(database, [{kind: conversationMemos.session, name, value: session}]);
		},
		async open(profile, conversation) {
			const rows = await database.query(
				`select id, state from run where lane = $1 and finished_at is null and due_at is null
				union all select id, state from run where lane = $1 and due_at is not null order by id`,
				[laneOf(profile, conversationName(conversation), undefined)],
			);
			return rows.map(openTurnOfRow);
		},
		async writers() {
			const memos = await listMemos(database, conversationMemos.writer);
			return memos.flatMap(memo => writerOfMemo(memo) ?? []);
		},
	};
}

async function receive(
	transaction: Transaction,
	{entry, readWaiting}: {readonly entry: Received; readonly readWaiting: WaitingReader},
): Promise<readonly ReceivedMessage[]> {
	const {now, run} = transaction;
	const {platform, messages, cursor} = entry;
	const changes: Changes = {known: new Set(), kept: new Set(), memos: [], runs: []};
	const waiting = entry.messages.some(({asks}) => asks.kind === 'turn')
		? await readWaiting(transaction, [entry.maxQueued])
		: undefined;
	const state = await readState(transaction, entry, {changes, waiting});
	const received = messages.map(message => receiveMessage(message, entry, state));
	if (cursor !== undefined) {
		changes.memos.push({kind: conversationMemos.cursor, name: platform, value: cursor});
	}

	if (changes.kept.size > 0) {
		await run(
			`insert into inbound (platform, message, at) select $1, message, $2 from unnest($3::text[]) as message
			on conflict (platform, message) do update set at = excluded.at`,
			[platform, now, [...changes.kept]],
		);
	}

	await putMemos(transaction, changes.memos);
	const ids = changes.runs.length === 0 ? [] : await enqueue(transaction, changes.runs);
	return received.map(one => (one.kind === 'queued' ? {...one, runId: ids[one.runId] ?? 0} : one));
}

/** The changes of receiving messages, written together. */
type Changes = {
	readonly known: Set<string>;
	readonly kept: Set<string>;
	readonly memos: NewMemo[];
	readonly runs: NewRun[];
};

const keyOf = (kind: string, name: string): string => JSON.stringify([kind, name]);

/** Reads the state for judging an entry's messages in four statements; each message sees the changes of those before it. A run's number is its index in `changes.runs`. */
async function readState(
	{query, now}: Transaction,
	entry: Received,
	{changes, waiting}: {readonly changes: Changes; readonly waiting: Waiting | undefined},
): Promise<ReceivingState> {
	const {profile, platform, messages, maxQueued} = entry;
	const asking = messages.filter(({asks}) => asks.kind === 'turn');
	const names = new Set(asking.map(({conversation}) => conversationName(conversation)));
	const writers = new Set(messages.map(writerKeyOf));
	const known = await query(
		'select message from inbound where platform = $1 and message = any($2) and at > $3',
		[platform, messages.map(({id}) => id), now - sameMessageMs],
	);
	const memos = await query(
		`select kind, name, data from memo where (kind = '${conversationMemos.session}' and name = any($1)) or (kind = '${conversationMemos.writer}' and name = any($2))`,
		[[...names], [...writers]],
	);
	const lanes = await waitingLanes({query}, entry);
	for (const row of known) {
		changes.known.add(textOf(row['message']));
	}

	const memory = new Map(
		memos.map(row => [
			keyOf(textOf(row['kind']), textOf(row['name'])),
			readJson<JsonValue>(row['data']),
		]),
	);
	return {
		now,
		isKnown: id => changes.known.has(id),
		keep(id) {
			changes.known.add(id);
			changes.kept.add(id);
		},
		memo: (kind, name) => memory.get(keyOf(kind, name)),
		putMemo(kind, name, value) {
			memory.set(keyOf(kind, name), value);
			changes.memos.push({kind, name, value});
		},
		waiting: lanes.of,
		waitingOfChat: lanes.ofChat,
		refusal: route => waiting?.queueRefusal({profile, route}, maxQueued),
		enqueue(run) {
			waiting?.add('queued', run, run.dueAt);
			if (run.turn) {
				lanes.add(run.turn.conversation);
			}

			return changes.runs.push(run) - 1;
		},
	};
}

/** Counts the waiting turns of the lanes and chats of an entry's messages. */
async function waitingLanes({query}: Pick<Transaction, 'query'>, {profile, messages}: Received) {
	const asking = messages.filter(({asks}) => asks.kind === 'turn');
	const laneOfRoute = (route: string) => laneOf(profile, route, undefined);
	const countsOf = async (...asked: Parameters<typeof query>) => {
		const rows = asking.length === 0 ? [] : await query(...asked);
		return new Map(rows.map(row => [textOf(row['name']), integerOf(row['waiting'])]));
	};

	const lanes = asking.map(({conversation}) => laneOfRoute(conversationName(conversation)));
	const inLanes = await countsOf(
		`select lane as name, count(*) as waiting from run where lane = any($1) and due_at is not null and state = 'queued' group by lane`,
		[[...new Set(lanes)]],
	);
	const named = asking.map(({conversation}) => lanesOfChat(profile, conversation));
	const chats = [...new Map(named.map(chat => [chat.name, chat])).values()];
	const inChats = await countsOf(
		`select chat.name, (
			select count(*) from run where due_at is not null and state = 'queued' and (run.lane = chat.lane or (run.lane > chat.from_lane and run.lane < chat.to_lane))
		) as waiting from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as chat (name, lane, from_lane, to_lane)`,
		[
			chats.map(({name}) => name),
			chats.map(({name}) => laneOfRoute(name)),
			...columnsOf(chats, 'from', 'to'),
		],
	);

	const of = (conversation: Conversation) =>
		inLanes.get(laneOfRoute(conversationName(conversation))) ?? 0;
	const ofChat = (conversation: Conversation) =>
		inChats.get(lanesOfChat(profile, conversation).name) ?? 0;
	return {
		of,
		ofChat,
		/** Counts one more waiting turn. */
		add(conversation: Conversation) {
			inLanes.set(laneOfRoute(conversationName(conversation)), of(conversation) + 1);
			inChats.set(lanesOfChat(profile, conversation).name, ofChat(conversation) + 1);
		},
	};
}
