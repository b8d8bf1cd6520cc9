import type {SecureContext} from 'node:tls';
import type {z} from 'zod';
import type {Clock} from '../core/clock.ts';
import type {Finding} from '../core/health.ts';
import type {JsonObject} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import type {Memos} from '../core/memos.ts';
import type {Difference} from '../core/schema-parts.ts';
import type {Declarations} from '../core/settings.ts';
import type {Listening} from './conversing.ts';
import type {OutgoingMessage} from './outgoing-message.ts';
import type {Post} from './post.ts';
import type {CommonSettings} from './settings.ts';
import type {Checked} from './target-keys.ts';

/** Why something cannot be used: a stable name, and the rest of a sentence behind its subject. */
export type TargetProblem = {readonly code: string; readonly reason: string};

/** How a target is called: cleaned and of bounded length. Absent and unreadable keys are shown as a question mark. */
export type TargetWords = {
	/** The place of an answer: `the log`, `a comment on acme/api#7`. */
	place(extra: JsonObject): string;
	/** What delivering does: `posts a comment to acme/api#7`. */
	effect(extra: JsonObject): string;
};

/**
 * A kind of target: everything that the rest of the program needs to know about one. A descriptor does no I/O and loads nothing that does: the sender stands behind `load`. `Settings` is
 * its section of the configuration, `Address` what `check` makes of `deliver_extra`.
 *
 * @see manual/delivery.md
 */
export type TargetKind<Settings = unknown, Address = unknown> = TargetWords & {
	/** Its name in `deliver`, and below `platforms`. */
	readonly kind: string;
	/** Other names in `deliver`. */
	readonly aliases?: readonly string[];
	/** Whether people read its texts. Such a text was written by a model (see `allow_offline_delivery`) and is not empty, its replay is confirmed, and `deliver_only` may use it. */
	readonly reachesPeople: boolean;
	/**
	 * What happens after a try whose end is unknown, because the process died or the connection broke after the request was written. `repeated`: it is made again, since a text that arrives
	 * twice does no harm. `uncertain`: the run becomes uncertain, and a person decides. `resumed`: parts are noted one by one, and the delivery goes on with the first that has not arrived; a
	 * part that may have arrived is repeated while the platform deduplicates by its key, and is uncertain after that.
	 *
	 * @see manual/guarantees.md#nothing-accepted-is-lost
	 */
	readonly afterBreak: 'repeated' | 'uncertain' | 'resumed';
	/** How long the platform deduplicates by the message's key, milliseconds from the first try; 0 or absent: it has none. Of kinds that are `resumed`. */
	readonly keyWindowMs?: number | ((chat: string) => number);
	/** Its name for people. Of platforms. */
	readonly title?: string;
	/** Messages a minute that it takes for one chat, unless `per_minute` is set; 0: any number. Of platforms. */
	readonly pace?: number | ((chat: string) => number);
	/** How often a sent message can be changed; absent: never. Of platforms. */
	readonly edits?: number;
	/** Its settings one by one, and the keys of those without which nothing can be sent. Of platforms. */
	readonly fields?: Declarations;
	readonly needs?: readonly string[];
	/** How a person gets what its settings need: sentences. Of platforms. */
	readonly setUp?: readonly string[];
	/** Limits of the texts that it sends; absent: a text is sent as it is. */
	readonly text?: {
		/** Characters. */
		readonly maxLength: number;
		/** `neutralised` where an `@name` that a stranger wrote would notify somebody. */
		readonly mentions: 'kept' | 'neutralised';
	};
	/** The section of `config.yaml` with its settings, where it is no platform. Where the section is absent or broken, its defaults count, with `broken` beside them. */
	readonly section?: {readonly name: string} & SettingsPart<Settings>;
	/** Texts in the settings that must never be shown, besides those below a key whose name says that it is a secret. */
	secrets?(settings: Settings): readonly string[];
	/** What is wrong with `deliver_extra` before templates are filled in. `deliver` is the name that was used. */
	problem?(extra: JsonObject, deliver: string): TargetProblem | undefined;
	/** The default `deliver_extra` of `svc webhook subscribe`. `events` as written. */
	defaults?(events: unknown): JsonObject;
	/** The address that a rendered `deliver_extra` sends to, or what is wrong with it. No I/O. */
	check(extra: JsonObject, settings: Settings): Checked<Address>;
	/** Loads the sender. */
	load(): Promise<SenderModule<Settings, Address>>;
	/** How it is listened to. Of platforms on which people can talk with the agent. */
	readonly listens?: Listening<Settings>;
} & (
		| SettingsPart<Settings | undefined>
		| {readonly settings?: never; readonly differences?: never}
	);

/** Settings in `config.yaml`: of a platform those are `platforms.<kind>`, and other kinds have none there. */
export type SettingsPart<Settings = unknown> = {
	/** The schema of the written settings. */
	readonly settings: z.ZodType<Settings>;
	/** The differences between two values of `settings`, of which either may be absent. */
	readonly differences: (
		before: object | undefined,
		after: object | undefined,
	) => readonly Difference[];
};

/** The sender of one kind. */
export type SenderModule<Settings, Address> = {
	/** A sender for these settings; the next settings get another one. No I/O. */
	connect(settings: Settings, world: SenderWorld): Sender<Address>;
};

export type Sender<Address> = {
	/** The messages that a text becomes, in their order: at least one, at most `maxParts`, the same for each try. Pure. Absent: the text is one message. */
	split?(text: string, address: Address, maxParts?: number): readonly string[];
	/**
	 * Sends one part, which is the text of `message`.
	 *
	 * @throws DeliveryError: `passes` where another try may help, with the wait that the platform asks for; `isUncertain` where the part may have arrived
	 */
	send(message: OutgoingMessage, address: Address, part: MessagePart): Promise<Sent>;
	/** Puts a text in the place of the message `id`. Same errors; `message_gone` when that message cannot be changed any more. */
	edit?(
		message: OutgoingMessage,
		address: Address,
		part: MessagePart & {readonly id: string},
	): Promise<void>;
	/**
	 * Asks the platform whether it accepts our credentials, without sending; resolves with the account that they are for. Absent: it cannot be asked.
	 *
	 * @throws DeliveryError
	 */
	check?(limits: Pick<MessagePart, 'limitMs' | 'signal' | 'until'>): Promise<string>;
	/** Why nothing can be sent for `profile` now, as far as that can be found out within 5 s and without sending: a cleaned sentence. Absent: it cannot be asked. Never rejects. */
	problemNow?(profile: string): Promise<string | undefined>;
	/** Checks whether something could be sent for `profile`, without sending; `signal` ends it. Never rejects. Absent: there is nothing to check. */
	examine?(profile: string, signal: AbortSignal): Promise<TargetHealth>;
};

/** A message that has arrived. */
export type Sent = {
	/** Where, for a person; absent: the kind and the chat (`telegram -1001234`). */
	readonly place?: string;
	/** Its identifier on the platform: exact, since it may be sent back, without hidden characters, at most 1,000. */
	readonly id?: string | undefined;
};

/** One message of a delivery, on a try. */
export type MessagePart = {
	/** From 0. */
	readonly index: number;
	readonly of: number;
	/** The same for each try of this part, also after a restart, and of no other: 25 hex digits. */
	readonly key: string;
	/** How long sending may take, milliseconds: 30 s, or the rest of 5 s while a sender of events waits. */
	readonly limitMs: number;
	/** The end of that time, `Clock.monotonic`: later ones of several requests have the time that is left. */
	readonly until?: number;
	/** Ends it. */
	readonly signal: AbortSignal;
};

/** The result of a check of a target: one sentence with strangers' words cleaned, and what to do about a problem. */
export type TargetHealth = Omit<Finding, 'subject'>;

/** What the gateway gives to senders. */
export type SenderWorld = {
	readonly clock: Clock;
	/** Where answers for `log` are written. */
	readonly log: Logger;
	/** Makes what others said fit for an error message. */
	readonly clean: (text: string) => string;
	/** The variables of this process. */
	readonly environment: () => Readonly<Record<string, string>>;
	/** The variables of a profile: its `.env` over those of the process. */
	readonly profileEnvironment: (profile: string) => Readonly<Record<string, string>>;
	/** A text with the mark by which the gateway recognises its own text in an event: at most `maxMarkLength` characters more. */
	readonly sign: (text: string) => string;
	/** Asks a platform over HTTP. */
	readonly post: Post;
	/** Keeps a secret that was received while running (an access token) out of every message and log, as those of the settings. */
	readonly hide: (secret: string) => void;
	/** The CAs that TLS connections trust; absent: those of Node. */
	readonly secureContext?: () => SecureContext;
	/** Kept beyond this process; absent where nothing is sent. */
	readonly memos?: Memos | undefined;
	/** Ends child processes at once. */
	readonly killed: AbortSignal;
};

/** Settings that every platform has. */
export type PlatformSettings = Omit<CommonSettings, 'homeChannel'> & {
	/** What is missing for sending, in words; absent: nothing. */
	readonly lacks?: string;
};
