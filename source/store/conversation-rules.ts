import {isJsonObject, type JsonValue} from '../core/json.ts';
import {type Conversation, conversationName, type CallerOrigin} from '../core/origin.ts';
import type {RunPlan} from '../core/run.ts';
import {mintSessionId} from '../core/session.ts';
import type {NewRun} from './due-queue.ts';
import type {Lease} from './port.ts';
import {maxWaitingOfChat} from './rules.ts';

export type Received = Parameters<Conversations['receive']>[0];

/** Kinds of memos: a platform's cursor, a conversation's session, a writer. */
export const conversationMemos = {
	cursor: 'listener',
	session: 'conversation',
	writer: 'chat-writer',
} as const;

/** The state that receiving a message reads and changes within one transaction. */
export type ReceivingState = {
	/** Milliseconds since 1970. */
	readonly now: number;
	/** Whether a message of the platform with this identifier was received within `sameMessageMs`. */
	isKnown(id: string): boolean;
	/** Stores a message's identifier. */
	keep(id: string): void;
	memo(kind: string, name: string): JsonValue | undefined;
	putMemo(kind: string, name: string, value: JsonValue): void;
	/** Number of queued turns of the conversation. */
	waiting(conversation: Conversation): number;
	/** Number of queued turns of its chat, including all threads. */
	waitingOfChat(conversation: Conversation): number;
	/** The refusal if the queue cannot take another run of the route, with the number of queued runs; otherwise `undefined`. */
	refusal(route: string): {readonly queued: number} | undefined;
	enqueue(run: NewRun): number;
};

/** Does what one message asks for. */
export function receiveMessage(
	message: AskedMessage,
	entry: Received,
	state: ReceivingState,
): ReceivedMessage {
	const {id, asks, conversation} = message;
	if (asks.kind === 'nothing') {
		countWriter(message, state);
		return {kind: 'noted'};
	}

	if (state.isKnown(id)) {
		return {kind: 'duplicate'};
	}

	state.keep(id);
	countWriter(message, state);
	if (asks.kind === 'session') {
		putSession(conversation, mintSessionId(), state);
	}

	return queueTurn(message, entry, state);
}

function queueTurn(
	{conversation, user, asks}: AskedMessage,
	{profile, maxWaiting}: Received,
	state: ReceivingState,
): ReceivedMessage {
	if (asks.kind !== 'turn') {
		return {kind: 'noted'};
	}

	const waiting = state.waiting(conversation);
	if (waiting >= maxWaiting) {
		return {kind: 'full', waiting, isOfConversation: true};
	}

	const inChat = state.waitingOfChat(conversation);
	if (inChat >= maxWaitingOfChat) {
		return {kind: 'full', waiting: inChat, isOfConversation: true};
	}

	const route = conversationName(conversation);
	const refusal = state.refusal(route);
	if (refusal) {
		return {kind: 'full', waiting: refusal.queued, isOfConversation: false};
	}

	// Rewritten, so that it is among the newest sessions and is not trimmed.
	const known = sessionOfMemo(state.memo(conversationMemos.session, route));
	const session = putSession(conversation, known ?? mintSessionId(), state);
	const runId = state.enqueue({
		delivery: null,
		profile,
		route,
		target: asks.plan.target.kind,
		createdAt: state.now,
		dueAt: state.now,
		turn: {conversation: {...conversation, user}, plan: {...asks.plan, session}},
	});
	return {kind: 'queued', runId, session};
}

function putSession(
	conversation: Conversation,
	session: string,
	state: Pick<ReceivingState, 'putMemo'>,
): string {
	state.putMemo(conversationMemos.session, conversationName(conversation), session);
	return session;
}

/** The name of the memo that counts a writer's messages. */
export const writerKeyOf = ({conversation, user}: AskedMessage): string => {
	const {platform, chat, thread = null} = conversation;
	return JSON.stringify([platform, chat, thread, user]);
};

function countWriter(message: AskedMessage, state: ReceivingState): void {
	const key = writerKeyOf(message);
	const before = state.memo(conversationMemos.writer, key);
	const messages = isJsonObject(before) ? Number(before['messages']) : 0;
	const {name = null} = message;
	state.putMemo(conversationMemos.writer, key, {name, at: state.now, messages: messages + 1});
}

export const sessionOfMemo = (memo: JsonValue | undefined): string | undefined =>
	typeof memo === 'string' ? memo : undefined;

/** Parses a writer's memo. */
export function writerOfMemo({
	name: key,
	value,
}: {
	readonly name: string;
	readonly value: JsonValue;
}): Writer | undefined {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `countWriter` writes it
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

/** The lanes of a chat: its own lane, and those of its threads, whose names continue with a slash and lie between `from` and `to`. */
export function lanesOfChat(profile: string, {platform, chat}: Conversation) {
	const name = conversationName({platform, chat});
	const beginning = JSON.stringify([profile, name]).slice(0, -2);
	return {name, from: `${beginning}/`, to: `${beginning}0`};
}

/** A message on a platform, and what it asks for. */
export type AskedMessage = {
	/** Unique among the platform's messages. */
	readonly id: string;
	readonly conversation: Conversation;
	/** Identifier of the person who wrote. */
	readonly user: string;
	/** The writer's display name, of limited length. */
	readonly name?: string;
	/**
	 * `turn`: an answer of the agent according to `plan`. `session`: a new session from here on. `word`: a command that is performed elsewhere, once. `nothing`: the message is
	 * only counted for `svc chats list`; its identifier is not stored, since strangers can send any number of messages.
	 */
	readonly asks:
		| {readonly kind: 'turn'; readonly plan: Omit<RunPlan, 'session'>}
		| {readonly kind: 'session' | 'word' | 'nothing'};
};

export type ReceivedMessage =
	/** It was received before, within 24 hours; nothing was written. */
	| {readonly kind: 'duplicate'}
	/** A run is queued for it, as a turn of that session. */
	| {readonly kind: 'queued'; readonly runId: number; readonly session: string}
	/** The limit of queued turns of the conversation, of its chat's threads, or of all queued runs is reached; the identifier is stored. */
	| {readonly kind: 'full'; readonly waiting: number; readonly isOfConversation: boolean}
	| {readonly kind: 'noted'};

/** A person who wrote in a chat. */
export type Writer = Conversation & {
	readonly user: string;
	readonly name?: string;
	/** Milliseconds since 1970. */
	readonly lastAt: number;
	readonly messages: number;
};

/** Conversations on platforms: received messages and sessions. A run of a conversation has its name as its route. */
export type Conversations = {
	/**
	 * Atomically and durably stores the identifiers of messages, performs what they ask for in order, and stores the cursor. The limits of queued turns are `maxWaiting` for a
	 * conversation and `maxWaitingOfChat` (see `rules`) for all threads of a chat; `maxQueued` limits all queued runs. A turn goes to the current session of its conversation;
	 * the first turn creates one. Turns of a conversation are leased one at a time, in order: a turn to be retried holds up those behind it.
	 *
	 * @throws SvcError `journal_unavailable`
	 */
	receive(entry: {
		readonly profile: string;
		readonly platform: string;
		readonly messages: readonly AskedMessage[];
		readonly cursor?: JsonValue;
		readonly maxWaiting: number;
		readonly maxQueued: number;
	}): Promise<readonly ReceivedMessage[]>;
	/** The stored cursor of a platform. */
	cursor(platform: string): Promise<JsonValue | undefined>;
	/** The session of the conversation; `undefined` if it has none yet. */
	session(conversation: Conversation): Promise<string | undefined>;
	/** Sets the conversation's session for messages from now on. @throws SvcError `journal_unavailable` */
	setSession(conversation: Conversation, session: string): Promise<void>;
	/** Runs of the conversation that have not ended, oldest first. */
	open(
		profile: string,
		conversation: Conversation,
	): Promise<ReadonlyArray<{readonly run: number; readonly isQueued: boolean}>>;
	/** The people who wrote, most recent first; at most the newest 10,000. */
	writers(): Promise<readonly Writer[]>;
};

/** Runs for turns of chats in the journal. */
export type Chats = {
	/**
	 * Durably stores a turn of a chat that begins now as an already leased run. A client waits for it on an open connection: it takes no worker and is never retried. If its
	 * lease expires, it ends as `failed`.
	 *
	 * @throws SvcError `journal_unavailable`
	 */
	beginChat(
		turn: {readonly profile: string; readonly origin: CallerOrigin; readonly plan: RunPlan},
		leaseMs: number,
	): Promise<Lease>;
};
