import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {listAt, memberAt, objectAt, textAt} from '../ask.ts';
import type {InboundMessage, Press} from '../listener.ts';
import {bounded, maxTextLength, quotedText} from '../message-text.ts';

/** The bot: `id`, and its `@name` in small letters. */
export type Ours = {readonly id: string; readonly mention: string};

const maxNameLength = 200;
const maxDataLength = 300;
/** Telegram sends at most 100. */
const maxEntities = 200;

/** The message of an update; `undefined` where no person wrote it, and where it has no text. @see https://core.telegram.org/bots/api#message */
export function messageIn(update: JsonObject, ours: Ours): InboundMessage | undefined {
	const message = objectAt(update, 'message');
	const author = authorOf(objectAt(message, 'from'), message);
	const id = idOf(memberAt(message, 'message_id'));
	const kind = textAt(message, 'chat', 'type');
	// The user behind a channel or an anonymous administrator is unknown.
	const isOfChat = kind === 'channel' || isJsonObject(memberAt(message, 'sender_chat'));
	if (!author || id === undefined || isOfChat) {
		return undefined;
	}

	const hasText = typeof memberAt(message, 'text') === 'string';
	const written = textAt(message, hasText ? 'text' : 'caption');
	const named = mentionsIn(
		written,
		listAt(message, hasText ? 'entities' : 'caption_entities'),
		ours,
	);
	const origin = forwardedFrom(message, author.user);
	const text = origin ? '' : withoutMentions(written, named);
	const quote = quoteIn(message, origin && {origin, text: written}, ours);
	if (text.trim() === '' && !quote) {
		return undefined;
	}

	const isDirect = kind === 'private';
	return {
		...author,
		id: `${author.chat}/${id}`,
		text: bounded(text, maxTextLength),
		isDirect,
		isForUs: named.length > 0 || idOf(memberAt(answeredBy(message), 'from', 'id')) === ours.id,
		quote,
		answer: {
			...(author.thread !== undefined && {thread_id: author.thread}),
			...(!isDirect && {reply_to: id}),
		},
	};
}

/** The press of a button, and the id of the `query` to answer. @see https://core.telegram.org/bots/api#callbackquery */
export function pressIn(
	update: JsonObject,
): {readonly press: Press; readonly query: string} | undefined {
	const pressed = objectAt(update, 'callback_query');
	const author = authorOf(objectAt(pressed, 'from'), objectAt(pressed, 'message'));
	const query = textAt(pressed, 'id');
	const data = textAt(pressed, 'data');
	return author && query !== '' && data !== '' && data.length <= maxDataLength
		? {press: {...author, data}, query}
		: undefined;
}

/** Reads an identifier, which is a number. */
const idOf = (value: JsonValue | undefined): string | undefined =>
	typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;

/** The person who acted, and where; `undefined` for bots. */
function authorOf(from: JsonObject, message: JsonObject): Omit<Press, 'data'> | undefined {
	const user = idOf(memberAt(from, 'id'));
	const chat = idOf(memberAt(message, 'chat', 'id'));
	if (user === undefined || chat === undefined || memberAt(from, 'is_bot') === true) {
		return undefined;
	}

	const thread = topicOf(message);
	return {chat, user, name: nameOf(from) || undefined, ...(thread !== undefined && {thread})};
}

/** The topic of a forum. Elsewhere `message_thread_id` numbers chains of replies, which are not threads. */
const topicOf = (message: JsonObject): string | undefined =>
	memberAt(message, 'is_topic_message') === true
		? idOf(memberAt(message, 'message_thread_id'))
		: undefined;

const nameOf = (user: JsonObject): string =>
	bounded(
		`${textAt(user, 'first_name')} ${textAt(user, 'last_name')}`.trim() || textAt(user, 'username'),
		maxNameLength,
	);

/** The name of a sender, which may be a chat. */
const titleOf = (sender: JsonObject): string =>
	nameOf(sender) ||
	bounded(textAt(sender, 'title'), maxNameLength) ||
	(idOf(memberAt(sender, 'id')) ?? '');

type Span = {readonly start: number; readonly end: number; readonly isCommand: boolean};

/** Mentions of us in a text: `@us`, a name linked to us, and the end of `/new@us`. */
function mentionsIn(text: string, entities: readonly JsonValue[], {id, mention}: Ours): Span[] {
	return entities
		.slice(0, maxEntities)
		.filter(isJsonObject)
		.flatMap(entity => {
			const start = Number(idOf(memberAt(entity, 'offset')));
			const end = start + Number(idOf(memberAt(entity, 'length')));
			const part = start >= 0 && end > start ? text.slice(start, end).toLowerCase() : '';
			const kind = textAt(entity, 'type');
			const isCommand = kind === 'bot_command' && part.endsWith(mention);
			const isOurs =
				part !== '' &&
				(isCommand ||
					(kind === 'mention' && part === mention) ||
					(kind === 'text_mention' && idOf(memberAt(entity, 'user', 'id')) === id));
			return isOurs ? [{start: isCommand ? end - mention.length : start, end, isCommand}] : [];
		});
}

/** Removes a mention at the beginning, and our name from commands: `/new`. */
function withoutMentions(text: string, named: readonly Span[]): string {
	const spared = named
		.filter(({isCommand, start}) => isCommand || text.slice(0, start).trim() === '')
		.toSorted((one, other) => other.start - one.start);
	return spared.reduce(
		(left, {start, end, isCommand}) =>
			isCommand ? left.slice(0, start) + left.slice(end) : left.slice(end).replace(/^[\s:,]+/, ''),
		text,
	);
}

/** The origin of a message that was forwarded by another person than its author. @see https://core.telegram.org/bots/api#messageorigin */
function forwardedFrom(message: JsonObject, user: string): JsonObject | undefined {
	const origin = memberAt(message, 'forward_origin');
	return isJsonObject(origin) && idOf(memberAt(origin, 'sender_user', 'id')) !== user
		? origin
		: undefined;
}

/** The message that another one replies to. In a forum, messages that are not replies refer to the beginning of their topic: that does not count. */
function answeredBy(message: JsonObject): JsonObject {
	const answered = objectAt(message, 'reply_to_message');
	const topic = topicOf(message);
	return topic !== undefined && idOf(memberAt(answered, 'message_id')) === topic ? {} : answered;
}

/** The message, or the quoted part of it, that another one forwards or replies to, in this chat or another. */
function quoteIn(
	message: JsonObject,
	forwarded: {readonly origin: JsonObject; readonly text: string} | undefined,
	ours: Ours,
): InboundMessage['quote'] {
	const answered = answeredBy(message);
	const part = textAt(message, 'quote', 'text');
	const elsewhere = objectAt(message, 'external_reply', 'origin');
	const origin = forwarded?.origin ?? elsewhere;
	const text = forwarded?.text ?? (part || textAt(answered, 'text') || textAt(answered, 'caption'));
	const by = idOf(memberAt(origin, 'sender_user', 'id') ?? memberAt(answered, 'from', 'id'));
	const author =
		titleOf(objectAt(origin, 'sender_user')) ||
		bounded(textAt(origin, 'sender_user_name'), maxNameLength) ||
		titleOf(objectAt(origin, 'sender_chat')) ||
		titleOf(objectAt(origin, 'chat')) ||
		titleOf(objectAt(answered, 'sender_chat')) ||
		titleOf(objectAt(answered, 'from')) ||
		'unknown';
	return by === ours.id || text.trim() === '' ? undefined : {author, text: quotedText(text)};
}
