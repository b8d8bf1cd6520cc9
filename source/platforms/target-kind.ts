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

/** Why something cannot be used: a stable code, and a sentence without its subject. */
export type TargetProblem = {readonly code: string; readonly reason: string};

/** Descriptions of a target: cleaned and of limited length. Missing and unreadable keys are shown as a question mark. */
export type TargetWords = {
	/** Where an answer goes: `the log`, `a comment on acme/api#7`. */
	place(extra: JsonObject): string;
	/** What delivering does: `posts a comment to acme/api#7`. */
	effect(extra: JsonObject): string;
};

/**
 * A kind of target: everything that the rest of the program needs to know about it. A descriptor does no I/O and loads no module that does: the sender is behind `load`.
 * `Settings` are its section of the configuration, `Address` is what `check` makes of `deliver_extra`.
 *
 * @see manual/delivery.md
 */
export type TargetKind<Settings = unknown, Address = unknown> = TargetWords & {
	/** Its name in `deliver`, and below `platforms`. */
	readonly kind: string;
	/** Aliases in `deliver`. */
	readonly aliases?: readonly string[];
	/**
	 * Whether people read its texts. Such a text must be written by a model (see `allow_offline_delivery`) and not be empty, replaying it needs confirmation, and
	 * `deliver_only` may use it.
	 */
	readonly reachesPeople: boolean;
	/**
	 * What happens after an attempt with an unknown outcome, since the process died or the connection broke after the request was sent. `repeated`: it is repeated, since a
	 * text that arrives twice does no harm. `uncertain`: the run becomes uncertain, and a person decides. `resumed`: parts are recorded one by one, and the delivery continues
	 * with the first that has not arrived; a part that may have arrived is repeated while the platform deduplicates by its key, and becomes uncertain later.
	 *
	 * @see manual/guarantees.md#nothing-accepted-is-lost
	 */
	readonly afterBreak: 'repeated' | 'uncertain' | 'resumed';
	/** For `resumed` kinds: how long the platform deduplicates by the message's key, milliseconds from the first attempt; 0 or absent if it does not. */
	readonly keyWindowMs?: number | ((chat: string) => number);
	/** Only for platforms: the name for people. */
	readonly title?: string;
	/** Only for platforms: messages a minute that it accepts for one chat, unless `per_minute` is set; 0 for any number. */
	readonly pace?: number | ((chat: string) => number);
	/** Only for platforms: how often a sent message can be edited; absent for never. */
	readonly edits?: number;
	/** Only for platforms: declarations of its settings, and the names of those without which nothing can be sent. */
	readonly fields?: Declarations;
	readonly needs?: readonly string[];
	/** Only for platforms: instructions for getting its settings, one sentence each. */
	readonly setUp?: readonly string[];
	/** Limits of its texts; when absent, texts are sent unchanged. */
	readonly text?: {
		/** In characters. */
		readonly maxLength: number;
		/** `neutralised` where an `@name` that a stranger wrote would notify somebody. */
		readonly mentions: 'kept' | 'neutralised';
	};
	/** Only if it is not a platform: the section of `config.yaml` with its settings. If the section is absent or broken its defaults are used, with `broken` added. */
	readonly section?: {readonly name: string} & SettingsPart<Settings>;
	/** Texts in the settings to redact, besides those below a key whose name marks a secret. */
	secrets?(settings: Settings): readonly string[];
	/** What is wrong with `deliver_extra` before templates are filled in. `deliver` is the name or alias used. */
	problem?(extra: JsonObject, deliver: string): TargetProblem | undefined;
	/** The default `deliver_extra` of `svc webhook subscribe`. `events` as written. */
	defaults?(events: unknown): JsonObject;
	/** Checks a rendered `deliver_extra`: the address that it sends to, or what is wrong with it. No I/O. */
	check(extra: JsonObject, settings: Settings): Checked<Address>;
	/** Loads the sender. */
	load(): Promise<SenderModule<Settings, Address>>;
	/** Only for platforms on which people can talk with the agent: how it is listened to. */
	readonly listens?: Listening<Settings>;
} & (
		| SettingsPart<Settings | undefined>
		| {readonly settings?: never; readonly differences?: never}
	);

/** Settings in `config.yaml`: at `platforms.<kind>` for platforms, absent for other kinds. */
export type SettingsPart<Settings = unknown> = {
	/** The schema of the written settings. */
	readonly settings: z.ZodType<Settings>;
	/** The differences between two values of `settings`; either may be absent. */
	readonly differences: (
		before: object | undefined,
		after: object | undefined,
	) => readonly Difference[];
};

/** The sender of one kind. */
export type SenderModule<Settings, Address> = {
	/** Creates a sender for these settings; for changed settings another one is created. No I/O. */
	connect(settings: Settings, world: SenderWorld): Sender<Address>;
};

export type Sender<Address> = {
	/** Splits a text into messages, in order: at least one, at most `maxParts`, the same for each attempt. Pure. When absent, the text is one message. */
	split?(text: string, address: Address, maxParts?: number): readonly string[];
	/**
	 * Sends one part, which is the text of `message`.
	 *
	 * @throws DeliveryError: `passes` if a retry may succeed, with the wait that the platform asks for; `isUncertain` if the part may have arrived
	 */
	send(message: OutgoingMessage, address: Address, part: MessagePart): Promise<Sent>;
	/** Replaces the text of the message `id`. Same errors; `message_gone` when that message can no longer be edited. */
	edit?(
		message: OutgoingMessage,
		address: Address,
		part: MessagePart & {readonly id: string},
	): Promise<void>;
	/**
	 * Asks the platform whether it accepts our credentials, without sending anything; resolves with their account. Absent when that is not possible.
	 *
	 * @throws DeliveryError
	 */
	check?(limits: Pick<MessagePart, 'limitMs' | 'signal' | 'until'>): Promise<string>;
	/** Why nothing can be sent for `profile` now, as far as can be found out within 5 s without sending: a clean sentence. Absent when that is not possible. Never rejects. */
	problemNow?(profile: string): Promise<string | undefined>;
	/** Checks whether something could be sent for `profile`, without sending; `signal` ends it. Absent when there is nothing to check. Never rejects. */
	examine?(profile: string, signal: AbortSignal): Promise<TargetHealth>;
};

/** A message that has arrived. */
export type Sent = {
	/** A description of the place; absent for the kind and the chat (`telegram -1001234`). */
	readonly place?: string;
	/** Its identifier on the platform: unchanged, since it may be sent back; without hidden characters, at most 1,000 characters. */
	readonly id?: string | undefined;
};

/** One message of a delivery, in one attempt. */
export type MessagePart = {
	/** Index, from 0. */
	readonly index: number;
	readonly of: number;
	/** Idempotency key: the same for each attempt of this part, even after a restart, and unique: 25 hex digits. */
	readonly key: string;
	/** Time limit for sending, milliseconds: 30 s, or the rest of 5 s while a sender of events waits. */
	readonly limitMs: number;
	/** The end of that time, by `Clock.monotonic`: several requests share it. */
	readonly until?: number;
	/** Aborts the attempt. */
	readonly signal: AbortSignal;
};

/** The result of a check of a target: one sentence, in which foreign text is cleaned, and advice on a problem. */
export type TargetHealth = Omit<Finding, 'subject'>;

/** What the gateway provides to senders. */
export type SenderWorld = {
	readonly clock: Clock;
	/** The log for answers to `log`. */
	readonly log: Logger;
	/** Makes foreign text safe for an error message. */
	readonly clean: (text: string) => string;
	/** The environment of this process. */
	readonly environment: () => Readonly<Record<string, string>>;
	/** The environment of a profile: its `.env` over the process's. */
	readonly profileEnvironment: (profile: string) => Readonly<Record<string, string>>;
	/** Appends the mark by which the gateway recognises its own text in an event: at most `maxMarkLength` characters. */
	readonly sign: (text: string) => string;
	/** Sends an HTTP request to a platform. */
	readonly post: Post;
	/** Redacts a secret that was received while running (an access token) in all messages and logs, like those in the settings. */
	readonly hide: (secret: string) => void;
	/** The certificate authorities that TLS connections trust; absent for Node's defaults. */
	readonly secureContext?: () => SecureContext;
	/** Memos that outlive the process; absent where nothing is sent. */
	readonly memos?: Memos | undefined;
	/** Aborts to end child processes at once. */
	readonly killed: AbortSignal;
};

/** The settings that every platform has. */
export type PlatformSettings = Omit<CommonSettings, 'homeChannel'> & {
	/** Names what is missing for sending; absent when nothing is. */
	readonly lacks?: string;
};
