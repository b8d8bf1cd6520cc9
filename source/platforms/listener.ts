import type {JsonValue} from '../core/json.ts';
import type {Conversation} from '../core/origin.ts';
import type {OpenSocket} from './socket.ts';
import type {SenderWorld} from './target-kind.ts';

/** A place on the platform, and the person who wrote or pressed there. All texts come from strangers, unchanged. */
type Author = Omit<Conversation, 'platform'> & {
	/** An immutable identifier, never a name. */
	readonly user: string;
	/** The person's chosen name. */
	readonly name?: string | undefined;
};

/** A person's message. Listeners ignore edits, reactions, and messages of bots and our own. */
export type InboundMessage = Author & {
	/** Unique on the platform: includes the chat if the platform numbers messages per chat. At most 300 characters. */
	readonly id: string;
	/** Without a mention of us at the beginning. */
	readonly text: string;
	/** Whether the chat is between that person and us alone. */
	readonly isDirect: boolean;
	/** Whether it mentions us, or replies to a message of ours. */
	readonly isForUs: boolean;
	/** Another person's message that it replies to or quotes. */
	readonly quote?: {readonly author: string; readonly text: string} | undefined;
	/** Keys of `deliver_extra`, besides `chat_id`, that put an answer into the thread, and in a room below this message. */
	readonly answer: {readonly thread_id?: string; readonly reply_to?: string};
};

/** A press of one of our buttons. */
export type Press = Author & {
	/** The data that the button was sent with: `approve K7QF`. */
	readonly data: string;
};

/** Receives what a listener hears. */
export type Hearing = {
	/** Messages arrive from now on. `note`: one sentence about it for a person. */
	onListening(note?: string): void;
	/**
	 * Resolves once the messages and the cursor after them are on disk: only then may they be acknowledged. Repeated messages have no effect, so the same ones may be passed
	 * again. May be called with only a cursor. Rejects if nothing could be written: then nothing may be acknowledged, and the connection must end with that error.
	 */
	onMessages(messages: readonly InboundMessage[], cursor?: JsonValue): Promise<void>;
	/** Resolves with a reply for the person who pressed. Rejects as `onMessages`. */
	onPress(press: Press): Promise<string>;
	/** Sends a text of ours to a chat, without waiting for it, such as that the chat is encrypted. */
	say(chat: string, text: string): void;
	/** Whether a user may talk with us. Only invitations of allowed users are accepted, and only their mails are read. */
	isAllowed(user: string): boolean;
};

export type ListenerWorld = Pick<
	SenderWorld,
	'clean' | 'clock' | 'hide' | 'log' | 'post' | 'secureContext'
> & {
	readonly openSocket: OpenSocket;
	/** Returns a number from 0 to 1: spreads the reconnects of programs that lost their connections at once. */
	readonly random: () => number;
};

/** Listens to a platform. Between connections it keeps what it needs to resume; only the cursor outlives the process. */
export type Listener = {
	/**
	 * One connection: connects, reports that to `hearing`, and passes on what arrives, in order, until the connection ends. Resolves when it ended normally, so that another
	 * may follow at once, or when `signal` has aborted, which ends it within a second.
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
			/** When it is tried again, milliseconds since 1970; absent when that needs a change of its settings, since something is missing. */
			readonly nextTry?: number;
	  };

/** Creates a listener for these settings; for changed settings another one is created. No I/O. */
export type CreateListener<Settings> = ListenerModule<Settings>['createListener'];

export type ListenerModule<Settings> = {
	createListener(settings: Settings, world: ListenerWorld): Listener;
};
