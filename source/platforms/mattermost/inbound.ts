import {isJsonObject, parsedJson, type JsonObject} from '../../core/json.ts';
import {memberAt, nameAt, objectAt, textAt} from '../ask.ts';
import type {InboundMessage} from '../listener.ts';
import {heardText, quotedText} from '../message-text.ts';

const idForm = /^[a-z0-9]{26}$/;

/** The bot account. */
export type Ours = {
	readonly user: string;
	/** `mention` finds a mention anywhere, `lead` one at the beginning of a text. */
	readonly mention: RegExp;
	readonly lead: RegExp;
};

/** The account in the answer of `/users/me`; `undefined` if it is invalid. */
export function oursIn(me: JsonObject): Ours | undefined {
	const user = textAt(me, 'id');
	const name = textAt(me, 'username');
	// A full stop after a name does not belong to it.
	const at = `@${RegExp.escape(name)}(?![\\w-]|\\.\\w)`;
	return idForm.test(user) && /^[\w.-]{1,64}$/.test(name)
		? {
				user,
				mention: new RegExp(`(?<![\\w@.-])${at}`, 'i'),
				lead: new RegExp(`^${at}[\\s,:]*`, 'i'),
			}
		: undefined;
}

/** Where a post was written; `undefined` for anything but a post. `root`: the first post of its thread, empty outside of threads. */
export function placeIn(post: JsonObject) {
	const [id, chat, user] = ['id', 'channel_id', 'user_id'].map(key => textAt(post, key));
	const root = textAt(post, 'root_id');
	const at = memberAt(post, 'create_at');
	return id !== undefined &&
		chat !== undefined &&
		user !== undefined &&
		[id, chat, user].every(one => idForm.test(one)) &&
		(root === '' || idForm.test(root)) &&
		typeof at === 'number' &&
		Number.isSafeInteger(at) &&
		at > 0
		? {id, chat, user, root, at}
		: undefined;
}

export type Placed = NonNullable<ReturnType<typeof placeIn>>;

const isSet = (value: unknown): boolean => value === true || value === 'true';

/** Whether a person wrote it (no bot, no webhook, not the server), and it has not been deleted. */
export const isOfPerson = (post: JsonObject): boolean =>
	textAt(post, 'type') === '' &&
	!['from_bot', 'from_webhook', 'from_plugin'].some(key => isSet(memberAt(post, 'props', key))) &&
	(memberAt(post, 'delete_at') ?? 0) === 0;

/** Whether we wrote in a thread; otherwise its first post as a quote. */
export type Thread = Pick<InboundMessage, 'quote'> & {readonly isOurs: boolean};

/** Parses the server's listing of the thread of the post `root`. */
export function threadIn(list: JsonObject, root: string, {user}: Ours): Thread {
	const all = Object.values(objectAt(list, 'posts'));
	if (all.some(post => isJsonObject(post) && textAt(post, 'user_id') === user)) {
		return {isOurs: true};
	}

	const author = textAt(list, 'posts', root, 'user_id');
	const text = quotedText(textAt(list, 'posts', root, 'message'));
	return {isOurs: false, ...(idForm.test(author) && text !== '' && {quote: {author, text}})};
}

/** Members of an event besides the post: the mentioned users, the author's name. Absent for posts that were requested. */
export type PostDetails = {readonly mentions?: string; readonly sender?: string | undefined};

export const postDetailsIn = (event: JsonObject): PostDetails => ({
	mentions: textAt(event, 'data', 'mentions'),
	sender: nameAt(event, 'data', 'sender_name')?.replace(/^@/, ''),
});

/** Converts a person's message; `undefined` if it has no text. In rooms, the answer starts a thread below it. */
export function messageIn(
	post: JsonObject,
	{id, chat, user, root}: Placed,
	{
		ours,
		isDirect,
		mentions = '',
		sender,
		inThread,
	}: PostDetails & {
		readonly ours: Ours;
		readonly isDirect: boolean;
		/** The thread that contains it. */
		readonly inThread: Thread | undefined;
	},
): InboundMessage | undefined {
	const written = textAt(post, 'message');
	const text = heardText(written, ours.lead);
	if (text === '') {
		return undefined;
	}

	const thread = root === '' ? (isDirect ? undefined : id) : root;
	return {
		id,
		chat,
		user,
		name: sender || undefined,
		...(thread !== undefined && {thread}),
		text,
		isDirect,
		isForUs:
			ours.mention.test(written) ||
			isMentioned(written, mentions, ours.user) ||
			inThread?.isOurs === true,
		quote: inThread?.quote,
		answer: thread === undefined ? {} : {thread_id: thread},
	};
}

/** Whether the server's list `mentions` contains the bot. For `@all`, `@channel` and `@here` it contains every member, which does not count. */
function isMentioned(text: string, mentions: string, user: string): boolean {
	const named = parsedJson(mentions);
	return (
		Array.isArray(named) && named.includes(user) && !/@(?:all|channel|here)(?![\w-])/i.test(text)
	);
}
