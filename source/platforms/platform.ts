import type {z} from 'zod';
import type {JsonObject} from '../core/json.ts';
import type {Declarations, ValueOf} from '../core/settings.ts';
import {
	definePlatformSettings,
	secretsOfWebhooks,
	webhooks,
	type CommonSettings,
	type Webhook,
} from './settings.ts';
import {
	type Checked,
	allOf,
	extraValue,
	incompleteTarget,
	invalidTarget,
	isGiven,
	platformWords,
	requiredText,
	shownKey,
	stickyOf,
} from './target-keys.ts';
import type {SenderModule, TargetKind} from './target-kind.ts';

/** Creates the sender of a platform. */
export type Connect<Settings> = SenderModule<Settings, MessagePlace>['connect'];

/** The destination of a message: `deliver_extra`, rendered and checked. */
export type MessagePlace = {
	/** The chat's name on the platform. */
	readonly chat: string;
	/** The topic or thread in the chat. */
	readonly thread?: string;
	/** The message to reply to. */
	readonly replyTo?: string;
	/** Whether the text is Markdown, or to be shown unchanged. */
	readonly format: 'markdown' | 'plain';
	/** Whether the route keeps one message up to date there. */
	readonly isSticky: boolean;
	/** Whether the chat is the name of a webhook. */
	readonly isWebhook: boolean;
	/** Keys of `deliver_extra` without a meaning on the platform. */
	readonly ignored: readonly string[];
};

/** The allowed values of a key of `deliver_extra`. */
export type KeyForm = {
	/** Matches the whole text. */
	readonly form: RegExp;
	/** Describes the values for an error: `a chat id (-1001234) or @channel`. */
	readonly says: string;
};

type Read<Fields extends Declarations> = CommonSettings & ValueOf<Fields>;

/** The settings of a platform. `lacks`: names the missing settings without which nothing can be sent. */
export type SettingsOf<Fields extends Declarations, Needs extends string = never> = Omit<
	Read<Fields>,
	Needs
> &
	Required<Pick<Read<Fields>, Needs & keyof Read<Fields>>> & {readonly lacks?: string};

type PlatformRecord<Kind, Fields extends Declarations, Needs> = Pick<
	TargetKind<SettingsOf<Fields, Needs & string>, MessagePlace>,
	'edits' | 'keyWindowMs' | 'listens' | 'load'
> & {
	readonly kind: Kind;
	/** The platform's name for people: `Telegram`. */
	readonly title: string;
	/** Its settings besides those of every platform; with those of `conversing` if it `listens`. */
	readonly fields: Fields;
	/** Settings, by property name, without which nothing can be sent. */
	readonly needs: readonly Needs[];
	/** Names other missing settings (`"auth_token", or "api_key" and "api_secret"`); empty or `undefined` when there are none. */
	readonly lacks?: (settings: Read<Fields>) => string | undefined;
	/** The form of `chat_id` and `home_channel`. `hooks`: they may be names of `webhooks`. A function reads both itself. */
	readonly chat:
		| (Partial<KeyForm> & {readonly hooks?: true})
		| ((extra: JsonObject, homeChannel: string | undefined) => Checked<string>);
	/** The form of `thread_id`; absent when there are no threads, or none in that chat. */
	readonly thread?: KeyForm | ((chat: string) => KeyForm | undefined);
	/** The form of `reply_to`; absent when messages cannot be replied to, or not there. */
	readonly reply?: KeyForm | ((chat: string, thread: string | undefined) => KeyForm | undefined);
	/** See `TargetKind.pace`. */
	readonly perMinute: number | ((chat: string) => number);
	/** Texts to redact, besides settings that are secrets: encodings of them, such as base64 for Basic. */
	readonly secrets?: (settings: Read<Fields>) => readonly string[];
	/** Instructions for getting the settings in `needs`, one sentence each. */
	readonly setUp: readonly string[];
};

const maxTextLength = 500_000;

/** A messaging platform: people read its messages, and after a break a text continues with the part that has not arrived. */
export function definePlatform<
	const Kind extends string,
	Fields extends Declarations,
	const Needs extends keyof ValueOf<Fields> & string = never,
>(given: PlatformRecord<Kind, Fields, Needs>) {
	// Only `checkPlace` uses the forms of places.
	const {
		fields,
		needs,
		lacks,
		secrets,
		perMinute,
		chat: _chat,
		thread: _thread,
		reply: _reply,
		...record
	} = given;
	const declared = definePlatformSettings(fields);
	type Settings = SettingsOf<Fields, Needs>;
	const settings: z.ZodType<Settings | undefined> = declared.schema
		.nullish()
		.transform((written): Settings | undefined => {
			if (!written) {
				return undefined;
			}

			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value that `declared` reads
			const read = declared.read(written as never) as unknown as Read<Fields>;
			const missing = needs.filter(key => (read as Record<string, unknown>)[key] === undefined);
			const lacking = [...missing.map(key => `"${snakeCase(key)}"`), lacks?.(read) || []].flat();
			const value = {...read, ...(lacking.length > 0 && {lacks: lacking.join(', ')})};
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- missing settings were checked above
			return value as unknown as Settings;
		})
		.meta({description: `Delivery to ${record.title}`});
	return {
		...record,
		reachesPeople: true,
		afterBreak: 'resumed' as const,
		text: {maxLength: maxTextLength, mentions: 'kept' as const},
		...platformWords(record.kind),
		settings,
		differences: declared.differences,
		pace: perMinute,
		fields: declared.fields,
		needs: needs.map(snakeCase),
		secrets(value: Settings): readonly string[] {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Settings` extends these
			const known = value as unknown as ChatSettings & Read<Fields>;
			return [...secretsOfWebhooks(known.webhooks), ...(secrets?.(known) ?? [])];
		},
		check: (extra: JsonObject, value: Settings): Checked<MessagePlace> =>
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Settings` extends these
			checkPlace(extra, given, value as unknown as ChatSettings),
	} satisfies TargetKind<Settings, MessagePlace>;
}

export type WebhookSettings = SettingsOf<{readonly webhooks: typeof webhooks}, 'webhooks'>;

/** A platform that can only be used through incoming webhooks, which are its chats. */
export const defineWebhookPlatform = <const Kind extends string>(
	record: Pick<
		PlatformRecord<Kind, {readonly webhooks: typeof webhooks}, 'webhooks'>,
		'kind' | 'load' | 'perMinute' | 'setUp' | 'title'
	>,
) => definePlatform({...record, fields: {webhooks}, needs: ['webhooks'], chat: {hooks: true}});

const snakeCase = (key: string): string => key.replaceAll(/[A-Z]/g, at => `_${at.toLowerCase()}`);

/** Settings that name chats. */
type ChatSettings = {
	readonly homeChannel?: string;
	readonly webhooks?: ReadonlyMap<string, Webhook>;
};

type AnyRecord = PlatformRecord<string, Declarations, string>;

function checkPlace(
	extra: JsonObject,
	keys: Pick<AnyRecord, 'chat' | 'edits' | 'kind' | 'reply' | 'thread'>,
	settings: ChatSettings,
): Checked<MessagePlace> {
	const [found, form] =
		typeof keys.chat === 'function'
			? [keys.chat(extra, settings.homeChannel)]
			: [chatAs(extra, {...keys.chat, kind: keys.kind}, settings), keys.chat.form];
	if (!found.ok) {
		return found;
	}

	const chat = found.value;
	const threadForm = typeof keys.thread === 'function' ? keys.thread(chat) : keys.thread;
	const threadKeys = givenOf(extra, ['thread_id', 'message_thread_id']);
	const [threadKey = 'thread_id', ...otherThreadKeys] = threadKeys;
	const foundThread = keyAs(extra, threadKey, threadForm);
	if (!foundThread.ok) {
		return foundThread;
	}

	const thread = foundThread.value;
	const reply = typeof keys.reply === 'function' ? keys.reply(chat, thread) : keys.reply;
	const others = allOf({
		replyTo: keyAs(extra, 'reply_to', reply),
		isSticky: stickyOf(extra),
		format: formatOf(extra),
	});
	if (!others.ok) {
		return others;
	}

	const {replyTo, isSticky, format} = others.value;
	const isWebhook = settings.webhooks?.has(chat) === true && form?.test(chat) !== true;
	// A webhook can only send messages.
	const isEditable = keys.edits !== undefined && !isWebhook;
	return {
		ok: true,
		value: {
			chat,
			...(thread !== undefined && {thread}),
			...(replyTo !== undefined && {replyTo}),
			format,
			isWebhook,
			isSticky: isSticky && isEditable,
			ignored: [
				...(threadForm ? otherThreadKeys : threadKeys),
				...(reply ? [] : givenOf(extra, ['reply_to'])),
				...(isSticky && !isEditable ? ['sticky'] : []),
			],
		},
	};
}

const givenOf = (extra: JsonObject, names: readonly string[]): readonly string[] =>
	names.filter(name => isGiven(extra, name));

function chatAs(
	extra: JsonObject,
	{form, says, hooks, kind}: Partial<KeyForm> & {readonly hooks?: true; readonly kind: string},
	{homeChannel, webhooks: known}: ChatSettings,
): Checked<string> {
	const isHome = !isGiven(extra, 'chat_id');
	if (isHome && homeChannel === undefined) {
		return incompleteTarget(
			`deliver_extra.chat_id is missing and platforms.${kind}.home_channel is not set`,
		);
	}

	const chosen = requiredText(isHome ? {chat_id: homeChannel ?? null} : extra, 'chat_id');
	const isTaken = (name: string) => (hooks && known?.has(name)) || form?.test(name);
	if (!chosen.ok || isTaken(chosen.value)) {
		return chosen;
	}

	const named = isHome ? `platforms.${kind}.home_channel` : 'deliver_extra.chat_id';
	const expected = [
		...(hooks ? [`a name of platforms.${kind}.webhooks`] : []),
		...(says === undefined ? [] : [says]),
	].join(', or ');
	return invalidTarget(`${named} must be ${expected}`);
}

/** Checks an optional key; `expected` is `undefined` if it has no meaning there. */
function keyAs(
	extra: JsonObject,
	key: string,
	expected: KeyForm | undefined,
): Checked<string | undefined> {
	if (!expected || !isGiven(extra, key)) {
		return {ok: true, value: undefined};
	}

	const text = requiredText(extra, key);
	return !text.ok || expected.form.test(text.value)
		? text
		: invalidTarget(`deliver_extra.${key} must be ${expected.says}`);
}

function formatOf(extra: JsonObject): Checked<MessagePlace['format']> {
	const format = extraValue(extra, 'format') ?? 'markdown';
	return format === 'markdown' || format === 'plain'
		? {ok: true, value: format}
		: invalidTarget(
				`deliver_extra.format is "${shownKey(extra, 'format')}" and must be plain or markdown`,
			);
}
