import type {JsonValue} from '../core/json.ts';
import type {Conversation} from '../core/origin.ts';
import type {RunPlan} from '../core/run.ts';

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
	 * its identifier is not kept: strangers make as many as they like.
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

/** Somebody who wrote to us in a chat. */
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
	/** The session of the conversation; absent: nobody has talked there. */
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
