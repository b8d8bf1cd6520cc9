import type {JsonValue} from '../core/json.ts';
import type {Conversation} from '../core/origin.ts';
import type {OpenSocket} from './socket.ts';
import type {SenderWorld} from './target-kind.ts';

/** A place on the platform, and the person who wrote or pressed there. All texts are a stranger's: as they came, not cleaned. */
type Author = Omit<Conversation, 'platform'> & {
	/** An identifier that cannot be changed; never a name. */
	readonly user: string;
	/** The name that the person has chosen. */
	readonly name?: string | undefined;
};

/** A message of a person. Listeners leave out edits, reactions, messages of bots and our own. */
export type InboundMessage = Author & {
	/** Unique on the platform: has the chat in it where the platform counts per chat. At most 300 characters. */
	readonly id: string;
	/** Without the mention of us that it begins with. */
	readonly text: string;
	/** Whether the chat is between that person and us alone. */
	readonly isDirect: boolean;
	/** Whether it mentions us, or answers a message of ours. */
	readonly isForUs: boolean;
	/** The message of another person that it answers or quotes. */
	readonly quote?: {readonly author: string; readonly text: string} | undefined;
	/** Keys of `deliver_extra`, besides `chat_id`, that put an answer into the thread, and in a room below this message. */
	readonly answer: {readonly thread_id?: string; readonly reply_to?: string};
};

/** A press of a button of ours. */
export type Press = Author & {
	/** The data that the button was sent with: `approve K7QF`. */
	readonly data: string;
};

/** Receives what a listener hears. */
export type Hearing = {
	/** Messages come in from now on. `note`: one sentence that a person should know about it. */
	onListening(note?: string): void;
	/**
	 * Resolves once the messages are on disk, with the cursor behind them: only then may they be acknowledged. Repeated messages change nothing, so the same ones may be handed over again.
	 * May be called with a cursor alone. Rejects where nothing could be written: then nothing may be acknowledged, and the connection has to end with that error.
	 */
	onMessages(messages: readonly InboundMessage[], cursor?: JsonValue): Promise<void>;
	/** Resolves with a sentence for the person who pressed. Rejects as `onMessages`. */
	onPress(press: Press): Promise<string>;
	/** Sends a line of ours to a chat, without waiting for it: that the chat is encrypted. */
	say(chat: string, text: string): void;
	/** Whether a user may talk with us. Only invitations of allowed users are accepted, and only their mails are read. */
	isAllowed(user: string): boolean;
};

export type ListenerWorld = Pick<
	SenderWorld,
	'clean' | 'clock' | 'hide' | 'log' | 'post' | 'secureContext'
> & {
	readonly openSocket: OpenSocket;
	/** From 0 to 1: spreads the reconnects of programs that lost their connections together. */
	readonly random: () => number;
};

/** What listens to a platform. Between connections it keeps what it needs to resume; beyond the process only the cursor is kept. */
export type Listener = {
	/**
	 * One connection: connects, says so to `hearing`, and hands over what comes in, in order, until the connection ends. Resolves when it ended as usual and another may follow at once, or `signal` has aborted,
	 * which ends it within a second.
	 *
	 * @param cursor the last one given to `onMessages`; `undefined` at a first start: messages from before are not answered then
	 * @throws DeliveryError where it broke: `retryAfterMs`, where the platform told a wait or one is known; not `retryable` where settings seem to have to change first
	 */
	listen(
		hearing: Hearing,
		options: {readonly cursor: JsonValue | undefined; readonly signal: AbortSignal},
	): Promise<void>;
};

/** The state of listening to a platform. */
export type ListeningState =
	| {readonly state: 'connecting'}
	| {readonly state: 'listening'; readonly note?: string}
	| {
			readonly state: 'failed';
			readonly reason: string;
			/** When it is tried again, milliseconds since 1970; absent: once its settings change, since something is missing. */
			readonly nextTry?: number;
	  };

/** Makes a listener for these settings; the next settings get another one. No I/O. */
export type CreateListener<Settings> = ListenerModule<Settings>['createListener'];

export type ListenerModule<Settings> = {
	createListener(settings: Settings, world: ListenerWorld): Listener;
};
