import {isJsonObject, type JsonValue} from '../core/json.ts';
import {type Conversation, conversationName, type CallerOrigin} from '../core/origin.ts';
import type {RunPlan} from '../core/run.ts';
import {mintSessionId} from '../core/session.ts';
import type {NewRun} from './due-queue.ts';
import type {Lease} from './port.ts';
import {maxWaitingOfChat} from './rules.ts';

export type Received = Parameters<Conversations['receive']>[0];

/** Kinds of memos: the cursor of a platform, the session of a conversation, who wrote. */
export const conversationMemos = {
	cursor: 'listener',
	session: 'conversation',
	writer: 'chat-writer',
} as const;

/** The state that receiving reads and changes within one transaction. */
export type ReceivingState = {
	/** Milliseconds since 1970. */
	readonly now: number;
	/** Whether a message of the platform with this identifier was received within `sameMessageMs`. */
	isKnown(id: string): boolean;
	/** Keeps its identifier. */
	keep(id: string): void;
	memo(kind: string, name: string): JsonValue | undefined;
	putMemo(kind: string, name: string, value: JsonValue): void;
	/** Turns of the conversation that wait. */
	waiting(conversation: Conversation): number;
	/** Turns that wait in its chat and all threads of that. */
	waitingOfChat(conversation: Conversation): number;
	/** Why one more run of the route may not wait; `queued` wait. */
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

	// Written anew, so that it is among those of conversations that go on.
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

/** The name of the memo that counts who wrote. */
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

/** Who wrote, from its memo. */
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

/** Lanes of a chat: its own, and those of its threads, whose names go on with a slash: above `from`, below `to`. */
export function lanesOfChat(profile: string, {platform, chat}: Conversation) {
	const name = conversationName({platform, chat});
	const beginning = JSON.stringify([profile, name]).slice(0, -2);
	return {name, from: `${beginning}/`, to: `${beginning}0`};
}

/** A message on a platform, and what it asks for. */
export type AskedMessage = {
	/** No other message of the platform has it. */
	readonly id: string;
	readonly conversation: Conversation;
	/** The identifier of who wrote. */
	readonly user: string;
	/** What they call themselves; bounded. */
	readonly name?: string;
	/**
	 * `turn`: an answer of the agent, by this plan. `session`: another session for what follows. `word`: something that is done once, elsewhere. `nothing`: it is counted for `svc chats list`, and
	 * its identifier is not kept, since strangers can make any number.
	 */
	readonly asks:
		| {readonly kind: 'turn'; readonly plan: Omit<RunPlan, 'session'>}
		| {readonly kind: 'session' | 'word' | 'nothing'};
};

export type ReceivedMessage =
	/** It had been received within 24 hours; nothing was written. */
	| {readonly kind: 'duplicate'}
	/** A run waits for it, as a turn of that session. */
	| {readonly kind: 'queued'; readonly runId: number; readonly session: string}
	/** So many turns of its conversation, or of all threads of its chat, wait already, or so many runs of all; its identifier is kept. */
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

/** Conversations on platforms: what came in, and whose turn it is. A run of one has its name as its route. */
export type Conversations = {
	/**
	 * One atomic, durable call: keeps the identifiers of the messages and does what they ask for, in their order, and keeps the cursor behind them. At most `maxWaiting` turns of a conversation wait, in all threads of a chat `maxWaitingOfChat` (see `rules`), and of all runs `maxQueued`. A turn goes to the session that its conversation has then; the first makes one. Turns of a conversation are leased one at a time, in their order: one that is
	 * to be tried again holds up those behind it.
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
	/** What was kept behind the last messages of a platform. */
	cursor(platform: string): Promise<JsonValue | undefined>;
	/** The session of the conversation; absent: it has none yet. */
	session(conversation: Conversation): Promise<string | undefined>;
	/** From here on the conversation has this session. @throws SvcError `journal_unavailable` */
	setSession(conversation: Conversation, session: string): Promise<void>;
	/** Runs of the conversation that have not ended, oldest first. */
	open(
		profile: string,
		conversation: Conversation,
	): Promise<ReadonlyArray<{readonly run: number; readonly isQueued: boolean}>>;
	/** Who wrote, last of all first; the newest 10,000. */
	writers(): Promise<readonly Writer[]>;
};

/** Turns of chats, as the journal has them. */
export type Chats = {
	/**
	 * Durably writes down a turn of a chat that begins now, as a run that is leased already. A client waits for it at an open connection: it needs no place, and is never run again. A lease of it that is
	 * lost ends it as `failed`.
	 * @throws SvcError `journal_unavailable`
	 */
	beginChat(
		turn: {readonly profile: string; readonly origin: CallerOrigin; readonly plan: RunPlan},
		leaseMs: number,
	): Promise<Lease>;
};
