import type {SecureContext} from 'node:tls';
import type {z} from 'zod';
import type {Clock} from '../core/clock.ts';
import type {Finding} from '../core/health.ts';
import type {JsonObject} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import type {Memos} from '../core/memos.ts';
import type {Declarations, Difference} from '../core/settings.ts';
import type {Listening} from './conversing.ts';
import type {OutgoingMessage} from './outgoing-message.ts';
import type {Post} from './post.ts';
import type {Checked} from './target-keys.ts';

/** Why something cannot be used: a stable name, and what follows the subject in a sentence. */
export type TargetProblem = {readonly code: string; readonly reason: string};

/** What `deliver` says of any target: words that are cleaned and of bounded length. Absent and unreadable keys are a question mark. */
export type TargetWords = {
	/** Where an answer goes: `the log`, `a comment on acme/api#7`. */
	place(extra: JsonObject): string;
	/** What delivering does: `posts a comment to acme/api#7`. */
	effect(extra: JsonObject): string;
};

/**
 * A kind of target, as far as it can be known without reaching it: everything that the rest of the program asks about one. A descriptor does no I/O and loads nothing that
 * does: what sends stands behind `load`. `Settings` is what its section of the configuration says, `Address` what `check` makes of `deliver_extra`.
 *
 * @see manual/delivery.md
 */
export type TargetKind<Settings = unknown, Address = unknown> = TargetWords & {
	/** Its name in `deliver`, and below `platforms`. */
	readonly kind: string;
	/** Other names in `deliver`. */
	readonly aliases?: readonly string[];
	/** What it sends is read by others. Such a text has an author (see `allow_offline_delivery`) and is not empty, a replay of it is confirmed, and `deliver_only` may use it. */
	readonly reachesPeople: boolean;
	/**
	 * What becomes of a try whose end is not known, because the process died or the connection broke after the request was written. `repeated`: it is made again, a text that arrives twice does
	 * no harm. `uncertain`: the run is, and a person decides. `resumed`: the delivery is noted part by part and goes on with the part that has not arrived; one that may have is repeated
	 * while the platform deduplicates by its key, and is uncertain after that.
	 *
	 * @see manual/guarantees.md#nothing-accepted-is-lost
	 */
	readonly afterBreak: 'repeated' | 'uncertain' | 'resumed';
	/** How long the platform deduplicates by the message's key, milliseconds from the first try; 0 or absent: it has none. Of kinds that are `resumed`. */
	readonly keyWindowMs?: number | ((chat: string) => number);
	/** What people call it; of platforms. */
	readonly title?: string;
	/** Messages that it takes in a minute for one chat, 0: any number; `per_minute` of the settings counts instead. Of platforms. */
	readonly pace?: number | ((chat: string) => number);
	/** So often a message can be changed after it was sent; absent: never. Of platforms. */
	readonly edits?: number;
	/** Its settings one by one, and the keys of those without which nothing can be sent. Of platforms. */
	readonly fields?: Declarations;
	readonly needs?: readonly string[];
	/** How a person gets what its settings need: sentences. Of platforms. */
	readonly setUp?: readonly string[];
	/** What of a text is sent; all of it, as it is, where this is absent. */
	readonly text?: {
		/** Characters. */
		readonly maxLength: number;
		/** `neutralised`: its readers would be notified by an `@name` that a stranger wrote. */
		readonly mentions: 'kept' | 'neutralised';
	};
	/** Where its settings are, when it is no platform: a section of `config.yaml` by that name. Absent or broken, its defaults stand in, with `broken` beside them. */
	readonly section?: {readonly name: string} & SettingsPart<Settings>;
	/** Texts in the settings that must never be shown, besides those below a key whose name says so. */
	secrets?(settings: Settings): readonly string[];
	/** What is wrong with `deliver_extra` as it is written, before templates are filled in. `deliver` is the name that was used. */
	problem?(extra: JsonObject, deliver: string): TargetProblem | undefined;
	/** What `svc webhook subscribe` writes into `deliver_extra` where nothing else is said. `events` as written. */
	defaults?(events: unknown): JsonObject;
	/** Where exactly a rendered `deliver_extra` sends to, or what is wrong with it. No I/O. */
	check(extra: JsonObject, settings: Settings): Checked<Address>;
	/** Loads what sends. */
	load(): Promise<SenderModule<Settings, Address>>;
	/** What listens to it; of platforms on which people can talk with the agent. */
	readonly listens?: Listening<Settings>;
} & (
		| SettingsPart<Settings | undefined>
		| {readonly settings?: never; readonly differences?: never}
	);

/** Settings in `config.yaml`: of a platform those are `platforms.<kind>`, and other kinds have none there. */
export type SettingsPart<Settings = unknown> = {
	/** Of what is written; what a platform's say is `undefined` where nothing can be sent with it. */
	readonly settings: z.ZodType<Settings>;
	/** What is different between two values of `settings`, of which either may be absent. */
	readonly differences: (
		before: object | undefined,
		after: object | undefined,
	) => readonly Difference[];
};

/** What sends to targets of one kind. */
export type SenderModule<Settings, Address> = {
	/** A sender for these settings; the next settings get another one. No I/O. */
	connect(settings: Settings, world: SenderWorld): Sender<Address>;
};

export type Sender<Address> = {
	/** The messages that a text becomes, in their order: at least one, and the same for each try; at most `maxParts`. Pure. Absent: it is one. */
	split?(text: string, address: Address, maxParts?: number): readonly string[];
	/**
	 * Hands one part over, which is the text of `message`.
	 *
	 * @throws DeliveryError: `passes` where another try may help, with the wait that the platform asks for; `isUncertain` where the part may have arrived
	 */
	send(message: OutgoingMessage, address: Address, part: Part): Promise<Sent>;
	/** Puts a text in the place of the message `id`. Same errors; `message_gone` when that message cannot be changed any more. */
	edit?(
		message: OutgoingMessage,
		address: Address,
		part: Part & {readonly id: string},
	): Promise<void>;
	/**
	 * Asks the platform whether it takes our credentials, without sending; resolves with whom it takes us for, for a person. Absent: it cannot be asked.
	 *
	 * @throws DeliveryError
	 */
	check?(limits: Pick<Part, 'limitMs' | 'signal' | 'until'>): Promise<string>;
	/** Why nothing can be sent for `profile` now, as far as that shows within 5 s and without sending: a sentence, cleaned. Absent: that cannot be asked. Never rejects. */
	problemNow?(profile: string): Promise<string | undefined>;
	/** Looks whether something could be sent for `profile`, without sending; `signal` ends it. Never rejects. Absent: there is nothing to look at. */
	examine?(profile: string, signal: AbortSignal): Promise<TargetHealth>;
};

/** A message that has arrived. */
export type Sent = {
	/** Where, for a person; absent: the kind and the chat (`telegram -1001234`). */
	readonly place?: string;
	/** What the platform calls it: exact, since it may be sent again, and without hidden characters; at most 1,000. */
	readonly id?: string | undefined;
};

/** One message of a delivery, on a try. */
export type Part = {
	/** From 0. */
	readonly index: number;
	readonly of: number;
	/** The same for each try of this part, also after a restart, and of no other: 25 hex digits. */
	readonly key: string;
	/** How long sending may take, milliseconds: 30 s, and what is left of 5 s while a sender of events waits. */
	readonly limitMs: number;
	/** When that is over, `Clock.monotonic`: of several requests the later ones have what is left. */
	readonly until?: number;
	/** Ends it. */
	readonly signal: AbortSignal;
};

/** What a look at a target found: one sentence of which strangers' words are cleaned, and what to do about a problem. */
export type TargetHealth = Omit<Finding, 'subject'>;

/** What the gateway has for senders. */
export type SenderWorld = {
	readonly clock: Clock;
	/** Where answers for `log` are written. */
	readonly log: Logger;
	/** Makes what others said fit for an error message. */
	readonly clean: (text: string) => string;
	/** The variables of this process. */
	readonly environment: () => Readonly<Record<string, string>>;
	/** Those of a profile: its `.env` over the process's. */
	readonly profileEnvironment: (profile: string) => Readonly<Record<string, string>>;
	/** A text with the mark by which the gateway knows it again, when an event brings it back: at most `maxMarkLength` characters more. */
	readonly sign: (text: string) => string;
	/** Asks a platform over HTTP. */
	readonly post: Post;
	/** Keeps a text that was got while running (an access token) out of every message and log, as secrets of the settings are. */
	readonly hide: (secret: string) => void;
	/** Whom TLS connections trust; absent: those that Node trusts. */
	readonly secureContext?: () => SecureContext;
	/** What is kept beyond this process; absent where nothing is sent. */
	readonly memos?: Memos | undefined;
	/** Ends child processes at once. */
	readonly killed: AbortSignal;
};

/** What the settings of every platform say. */
export type PlatformSettings = {
	readonly enabled: boolean;
	/** What is missing for sending, in words; absent: nothing. */
	readonly lacks?: string;
	readonly perMinute?: number;
	readonly maxParts?: number;
	/** Whether people may talk with the agent there. */
	readonly inbound?: boolean;
};
