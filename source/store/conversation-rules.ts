import {isJsonObject, type JsonValue} from '../core/json.ts';
import {type Conversation, conversationName} from '../core/origin.ts';
import {mintSessionId} from '../core/session.ts';
import type {AskedMessage, Conversations, ReceivedMessage, Writer} from './conversation-port.ts';
import {maxWaitingOfChat} from './rules.ts';
import type {NewRun} from './run-queue.ts';

export type Received = Parameters<Conversations['receive']>[0];

/** Kinds of memos: the cursor of a platform, the session of a conversation, who wrote. */
export const conversationMemos = {
	cursor: 'listener',
	session: 'conversation',
	writer: 'chat-writer',
} as const;

/** What receiving goes by, and changes, within one transaction. */
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
