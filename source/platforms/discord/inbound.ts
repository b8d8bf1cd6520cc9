import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {listAt, memberAt, nameAt, objectOf, textAt} from '../ask.ts';
import type {InboundMessage, Press} from '../listener.ts';
import {heardText, quotedText} from '../message-text.ts';
import {snowflake} from './descriptor.ts';

/** The types of messages written by people: plain ones and replies. All others report events in a channel. */
const written: ReadonlySet<unknown> = new Set([0, 19]);

/** Maximum length of a button's data; Discord allows 100. */
const maxDataLength = 200;

/** The channel or thread of a message, since a thread is a channel. Messages read by request do not say whether they are direct. `undefined` for anything but a message. */
export function placeIn(message: JsonObject) {
	const chat = textAt(message, 'channel_id');
	const id = textAt(message, 'id');
	return snowflake.test(chat) && snowflake.test(id)
		? {chat, id, isDirect: (memberAt(message, 'guild_id') ?? null) === null}
		: undefined;
}

/** Whether message `id` was written after message `other`. */
export const isLater = (id: string, other: string): boolean => BigInt(id) > BigInt(other);

/** Whether a person wrote it, neither we nor another bot. */
export function isOfPerson(message: JsonObject, me: string): boolean {
	const user = textAt(message, 'author', 'id');
	return (
		written.has(memberAt(message, 'type')) &&
		snowflake.test(user) &&
		user !== me &&
		memberAt(message, 'author', 'bot') !== true &&
		memberAt(message, 'webhook_id') === undefined
	);
}

/** The message that it replies to, or only its id if Discord gives no more; `undefined` if it is no reply, or the original was deleted. */
export function answeredIn(message: JsonObject): JsonObject | string | undefined {
	const answered = memberAt(message, 'referenced_message');
	if (answered !== undefined) {
		return isJsonObject(answered) ? answered : undefined;
	}

	const id = textAt(message, 'message_reference', 'message_id');
	const isAnswer =
		memberAt(message, 'type') === 19 &&
		textAt(message, 'message_reference', 'channel_id') === textAt(message, 'channel_id');
	return isAnswer && snowflake.test(id) ? id : undefined;
}

/** Converts a person's message; `undefined` if it has no text. `answered`: the message that it replies to. */
export function messageIn(
	message: JsonObject,
	{chat, id, isDirect}: NonNullable<ReturnType<typeof placeIn>>,
	{me, answered = {}}: {readonly me: string; readonly answered?: JsonObject | undefined},
): InboundMessage | undefined {
	const text = heardText(textAt(message, 'content'), new RegExp(`^<@!?${me}>[\\s,:]*`));
	if (text === '') {
		return undefined;
	}

	const answeredUser = textAt(answered, 'author', 'id');
	const quote = quotedText(textAt(answered, 'content'));
	return {
		id,
		chat,
		user: textAt(message, 'author', 'id'),
		name: nameOf(message, 'author'),
		text,
		isDirect,
		isForUs:
			answeredUser === me ||
			listAt(message, 'mentions').some(one => textAt(objectOf(one), 'id') === me),
		...(snowflake.test(answeredUser) &&
			answeredUser !== me &&
			quote !== '' && {quote: {author: nameOf(answered, 'author') ?? answeredUser, text: quote}}),
		answer: isDirect ? {} : {reply_to: id},
	};
}

/**
 * The press of a button, and the path for answering it, which contains a token; `undefined` for any other interaction.
 *
 * @see https://discord.com/developers/docs/interactions/receiving-and-responding
 */
export function pressIn(interaction: JsonObject): (Press & {readonly path: string}) | undefined {
	const chat = textAt(interaction, 'channel_id');
	const id = textAt(interaction, 'id');
	const token = textAt(interaction, 'token');
	const data = textAt(interaction, 'data', 'custom_id');
	const where = memberAt(interaction, 'member') === undefined ? ['user'] : ['member', 'user'];
	const user = textAt(interaction, ...where, 'id');
	return memberAt(interaction, 'type') === 3 &&
		[chat, id, user].every(one => snowflake.test(one)) &&
		token !== '' &&
		data !== '' &&
		data.length <= maxDataLength
		? {
				chat,
				user,
				name: nameOf(interaction, ...where),
				data,
				path: `/interactions/${id}/${encodeURIComponent(token)}/callback`,
			}
		: undefined;
}

const nameOf = (json: JsonObject, ...path: readonly string[]): string | undefined =>
	nameAt(json, ...path, 'global_name') ?? nameAt(json, ...path, 'username');
