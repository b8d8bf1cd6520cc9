import type {JsonValue} from '../core/json.ts';
import type {Conversation} from '../core/origin.ts';
import type {OpenSocket} from './socket.ts';
import type {SenderWorld} from './target-kind.ts';

/** A place on the platform, and who wrote or pressed there. All texts are a stranger's: as they came, not cleaned. */
type Author = Omit<Conversation, 'platform'> & {
	/** The identifier that nobody can change; never a name. */
	readonly user: string;
	/** What they call themselves. */
	readonly name?: string;
};

/** A message of a person: listeners leave out edits, reactions, what bots wrote, and what we wrote. */
export type InboundMessage = Author & {
	/** No other message of the platform has it: with the chat in it where the platform counts per chat. At most 300 characters. */
	readonly id: string;
	/** Without the mention of us that it begins with. */
	readonly text: string;
	/** Whether the chat is between that person and us alone. */
	readonly isDirect: boolean;
	/** Whether it mentions us, or answers a message of ours. */
	readonly isForUs: boolean;
	/** The message that it answers or quotes, where that is not ours: who wrote that, and its text. */
	readonly quote?: {readonly author: string; readonly text: string};
	/** Keys of `deliver_extra`, besides `chat_id`, with which an answer stands in the thread, and in a room below this message. */
	readonly answer: {readonly thread_id?: string; readonly reply_to?: string};
};

/** A press of a button of ours. */
export type Press = Author & {
	/** What the button was sent with: `approve K7QF`. */
	readonly data: string;
};

/** What a listener hands over to. */
export type Hearing = {
	/** Messages come in from now on. `note`: what a person should know of it, one sentence. */
	onListening(note?: string): void;
	/**
	 * Resolves once the messages are on disk, with the cursor behind them: only then may they be acknowledged. Messages that came before change nothing, so that the same may be handed over again.
	 * May be called with a cursor alone. Rejects where nothing could be written: nothing may be acknowledged then, and the connection is to end with that error.
	 */
	onMessages(messages: readonly InboundMessage[], cursor?: JsonValue): Promise<void>;
	/** Resolves with a sentence for the person who pressed; rejects as `onMessages`. */
	onPress(press: Press): Promise<string>;
	/** Sends a line of ours to a chat, without waiting for it: that it is encrypted. */
	say(chat: string, text: string): void;
	/** Whether a user may talk with us; only their invitations are taken, and only their mails are read. */
	isAllowed(user: string): boolean;
};

export type ListenerWorld = Pick<
	SenderWorld,
	'clean' | 'clock' | 'hide' | 'log' | 'post' | 'secureContext'
> & {
	readonly openSocket: OpenSocket;
	/** From 0 to 1, so that programs that lost their connections together do not come back together. */
	readonly random: () => number;
};

/**
 * What listens to a platform. It keeps between its connections what it needs to go on where one broke (a session to resume); beyond the process, the cursor alone is kept.
 */
export type Listener = {
	/**
	 * One connection: connects, says so to `hearing`, and hands over what comes in, in order, until the connection ends. Resolves when it ended as usual and another may follow at once, or `signal` has aborted,
	 * which ends it within a second.
	 *
	 * @param cursor what was last given to `onMessages`; `undefined` at a first start: what is there already is not answered then
	 * @throws DeliveryError where it broke: `retryAfterMs`, where the platform told a wait or one is known; not `retryable` where settings seem to have to change first
	 */
	listen(
		hearing: Hearing,
		options: {readonly cursor: JsonValue | undefined; readonly signal: AbortSignal},
	): Promise<void>;
};

/** How listening to a platform stands. */
export type ListeningState =
	| {readonly state: 'connecting'}
	| {readonly state: 'listening'; readonly note?: string}
	| {
			readonly state: 'failed';
			readonly reason: string;
			/** When it is tried again, milliseconds since 1970; absent: once its settings change, since something lacks. */
			readonly nextTry?: number;
	  };

export type ListenerModule<Settings> = {
	/** A listener for these settings; the next settings get another one. No I/O. */
	createListener(settings: Settings, world: ListenerWorld): Listener;
};
