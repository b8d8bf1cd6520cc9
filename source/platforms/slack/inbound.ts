import type {JsonObject} from '../../core/json.ts';
import {idAt, memberAt, nameAt, objectAt, textAt} from '../ask.ts';
import type {InboundMessage, Press} from '../listener.ts';
import {bounded, maxQuoteLength, maxTextLength, quotedText} from '../message-text.ts';

/** The bot's user. */
export type Ours = {readonly user: string; readonly name: string};

const channelForm = /^[A-Z0-9]{2,32}$/;
const tsForm = /^\d{1,12}\.\d{1,9}$/;
const subtypes: ReadonlySet<string> = new Set(['', 'file_share', 'thread_broadcast']);
/** Slackbot has no `bot_id`. */
const slackbot = 'USLACKBOT';

/**
 * The message of an event `message` or `app_mention`, which may both be sent for one message; `undefined` for any other event, for edits, for messages of bots and ours,
 * and for files without a text. `rootBy`: the author of the thread's first message, if the message may be about that.
 *
 * @see https://docs.slack.dev/reference/events/message
 */
export function messageIn(
	event: JsonObject,
	ours: Ours,
): (InboundMessage & {readonly rootBy?: string}) | undefined {
	const type = textAt(event, 'type');
	const chat = textAt(event, 'channel');
	const user = textAt(event, 'user');
	const ts = textAt(event, 'ts');
	const root = textAt(event, 'thread_ts');
	const isWritten =
		(type === 'message' || type === 'app_mention') &&
		subtypes.has(textAt(event, 'subtype')) &&
		memberAt(event, 'edited') === undefined;
	const isOfPerson =
		channelForm.test(user) &&
		user !== ours.user &&
		user !== slackbot &&
		textAt(event, 'bot_id') === '';
	if (!isWritten || !isOfPerson || !channelForm.test(chat) || !tsForm.test(ts)) {
		return undefined;
	}

	const written = textAt(event, 'text').slice(0, 4 * maxTextLength);
	const mention = `<@${ours.user}`;
	const text = readable(withoutLead(written, mention), ours).trim();
	if (text === '') {
		return undefined;
	}

	const kind = textAt(event, 'channel_type');
	const isDirect = kind === 'im' || (kind === '' && chat.startsWith('D'));
	const isReply = tsForm.test(root) && root !== ts;
	const thread = isReply ? root : isDirect ? undefined : ts;
	const rootBy = idAt(event, 'parent_user_id');
	const shared = objectAt(event, 'attachments', '0');
	const quote = isShared(shared) ? quoteIn(shared, ours) : undefined;
	const isForUs =
		type === 'app_mention' ||
		written.includes(`${mention}>`) ||
		written.includes(`${mention}|`) ||
		(isReply && rootBy === ours.user);
	const isAboutRoot = isReply && isForUs && !quote && rootBy !== ours.user && rootBy !== user;
	return {
		id: `${chat}/${ts}`,
		chat,
		user,
		name: nameOf(event),
		...(thread !== undefined && {thread}),
		text: bounded(text, maxTextLength),
		isDirect,
		isForUs,
		quote,
		answer: thread === undefined ? {} : {thread_id: thread},
		...(isAboutRoot && rootBy !== undefined && {rootBy}),
	};
}

/** The press of a button; `undefined` for any other payload. @see https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export function pressIn(payload: JsonObject): Press | undefined {
	const data = textAt(payload, 'actions', '0', 'value');
	const chat = textAt(payload, 'channel', 'id') || textAt(payload, 'container', 'channel_id');
	const user = textAt(payload, 'user', 'id');
	const thread =
		textAt(payload, 'container', 'thread_ts') || textAt(payload, 'message', 'thread_ts');
	return textAt(payload, 'type') === 'block_actions' &&
		channelForm.test(chat) &&
		channelForm.test(user) &&
		data !== '' &&
		data.length <= 2000
		? {
				chat,
				user,
				name: nameAt(payload, 'user', 'username') ?? nameAt(payload, 'user', 'name'),
				...(tsForm.test(thread) && {thread}),
				data,
			}
		: undefined;
}

/** Another person's message as a quote; `undefined` for our own, and for one without a text. */
export function quoteIn(message: JsonObject, ours: Ours): InboundMessage['quote'] {
	const user = idAt(message, 'user') ?? idAt(message, 'author_id') ?? '';
	const author = nameAt(message, 'author_name') ?? nameOf(message) ?? user;
	const text = quotedText(readable(textAt(message, 'text').slice(0, 4 * maxQuoteLength), ours));
	return user === '' || user === ours.user || text === '' ? undefined : {author, text};
}

const nameOf = (message: JsonObject): string | undefined =>
	nameAt(message, 'user_profile', 'display_name') ??
	nameAt(message, 'user_profile', 'real_name') ??
	nameAt(message, 'username');

/** Whether the attachment is a message that was shared, or whose link is in the text. */
const isShared = (attachment: JsonObject): boolean =>
	memberAt(attachment, 'is_share') === true || memberAt(attachment, 'is_msg_unfurl') === true;

/** Removes a mention at the beginning of a text. */
function withoutLead(text: string, mention: string): string {
	const start = text.trimStart();
	const end = start.startsWith(mention) ? start.indexOf('>') : -1;
	return end === -1 || !/^[>|]/.test(start.slice(mention.length))
		? text
		: start.slice(end + 1).replace(/^[\s:,]+/, '');
}

const entities: Readonly<Record<string, string>> = {amp: '&', lt: '<', gt: '>'};

/** Converts Slack's markup to the text that people see. @see https://docs.slack.dev/messaging/formatting-message-text */
const readable = (text: string, ours: Ours): string =>
	text
		.replaceAll(/<([^<>]*)>/g, (_, inside: string) => readableMark(inside, ours))
		.replaceAll(/&(amp|lt|gt);/g, (whole, name: string) => entities[name] ?? whole);

function readableMark(inside: string, ours: Ours): string {
	const [target = '', ...labels] = inside.split('|');
	const label = labels.join('|');
	const sign = target.slice(0, 1);
	if (sign === '@' || sign === '#') {
		const id = target.slice(1);
		return sign + (id === ours.user ? ours.name : label || id);
	}

	if (sign === '!') {
		return label || `@${target.slice(1)}`;
	}

	return label === '' || target === label || target === `mailto:${label}`
		? label || target
		: `${label} (${target})`;
}
