import {createHash} from 'node:crypto';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {listAt, memberAt, objectAt, textAt} from '../ask.ts';
import type {InboundMessage} from '../listener.ts';
import {bounded, maxTextLength, quotedText} from '../message-text.ts';

/** A message, as far as its event alone shows. */
export type ReadMessage = Omit<InboundMessage, 'isDirect' | 'isForUs' | 'quote'> & {
	readonly isMention: boolean;
	/** The event that it replies to; in a thread the first event, which is not quoted. */
	readonly answered?: {readonly event: string; readonly isQuoted: boolean};
};

/** The name of a user in a room. */
export type NameOf = (user: string) => string | undefined;

const maxNameLength = 200;
const maxIdLength = 300;
const eventForm = /^\$\S{1,254}$/;
const userForm = /^@\S{1,254}$/;
/** How old messages from before our join may be, milliseconds. */
const beforeJoinMs = 600_000;

/**
 * The message of an event; `undefined` for notices, which bots write, for edits, reactions, files without a caption, and for our own events.
 *
 * @see Matrix client-server API, m.room.message
 */
export function messageIn(
	event: JsonObject,
	{room, ours, nameOf}: {readonly room: string; readonly ours: string; readonly nameOf: NameOf},
): ReadMessage | undefined {
	const content = objectAt(event, 'content');
	const relation = objectAt(content, 'm.relates_to');
	const user = textAt(event, 'sender');
	const id = textAt(event, 'event_id');
	const isMessage =
		textAt(event, 'type') === 'm.room.message' &&
		memberAt(event, 'state_key') === undefined &&
		textAt(relation, 'rel_type') !== 'm.replace';
	if (!isMessage || !userForm.test(user) || user === ours || !eventForm.test(id)) {
		return undefined;
	}

	const written = textIn(content);
	const text = withoutLead(written, content, ours);
	if (text.trim() === '') {
		return undefined;
	}

	const root = eventAt(relation, 'event_id');
	const thread = textAt(relation, 'rel_type') === 'm.thread' ? root : undefined;
	// For clients without threads, messages of a thread are shown as replies to the previous one: not a real reply.
	const isFallback = thread !== undefined && memberAt(relation, 'is_falling_back') === true;
	const replied = isFallback ? undefined : eventAt(relation, 'm.in_reply_to', 'event_id');
	const answered = replied ?? thread;
	return {
		id: identityOf(`${room}/${id}`),
		chat: room,
		user,
		name: nameOf(user),
		...(thread !== undefined && {thread}),
		text: bounded(text, maxTextLength),
		isMention: mentions(written, content, ours),
		...(answered !== undefined && {
			answered: {event: answered, isQuoted: replied !== undefined},
		}),
		answer: {...(thread !== undefined && {thread_id: thread}), reply_to: id},
	};
}

/** Another person's event as a quote; `undefined` if it has no text. */
export function quoteIn(event: JsonObject, nameOf: NameOf): InboundMessage['quote'] {
	const user = textAt(event, 'sender');
	const text = textIn(objectAt(event, 'content'));
	return userForm.test(user) && text.trim() !== ''
		? {author: nameOf(user) ?? user, text: quotedText(text)}
		: undefined;
}

/** The names of a room's members, by user id. */
export function namesIn(events: readonly JsonObject[]): ReadonlyMap<string, string> {
	return new Map(
		events
			.filter(isMembership)
			.map((event): [string, string] => [
				textAt(event, 'state_key'),
				bounded(textAt(event, 'content', 'displayname'), maxNameLength),
			])
			.filter(([, name]) => name !== ''),
	);
}

/** A room's events that concern us: those after our join, and recent ones between the invitation and the join. */
export function sinceJoin(events: readonly JsonObject[], ours: string): readonly JsonObject[] {
	const memberships = events.map(event => (isOwn(event, ours) ? changeOf(event) : undefined));
	const join = memberships.lastIndexOf('join');
	if (join === -1) {
		return events;
	}

	const invite = memberships.slice(0, join).lastIndexOf('invite');
	const early = invite === -1 ? [] : events.slice(invite + 1, join);
	const oldest = writtenAt(events[join]) - beforeJoinMs;
	return [...early.filter(event => writtenAt(event) >= oldest), ...events.slice(join + 1)];
}

/** Milliseconds since 1970; 0 where the event has no time. */
function writtenAt(event: JsonObject = {}): number {
	const at = memberAt(event, 'origin_server_ts');
	return typeof at === 'number' && Number.isSafeInteger(at) ? at : 0;
}

export const isMembership = (event: JsonObject): boolean =>
	textAt(event, 'type') === 'm.room.member';

const isOwn = (event: JsonObject, ours: string): boolean =>
	isMembership(event) && textAt(event, 'state_key') === ours;

/** The new membership if an event changes it; `undefined` if it only changes a name. */
function changeOf(event: JsonObject): string | undefined {
	const membership = textAt(event, 'content', 'membership');
	const before = objectAt(event, 'unsigned', 'prev_content');
	const isUnknown =
		textAt(before, 'membership') === '' &&
		memberAt(event, 'unsigned', 'replaces_state') !== undefined;
	return isUnknown || textAt(before, 'membership') === membership ? undefined : membership;
}

/** All users who invite us in the events of an invitation: a stranger's server may have added some. */
export const invitersIn = (events: readonly JsonObject[], ours: string): readonly string[] =>
	events
		.filter(event => isOwn(event, ours) && textAt(event, 'content', 'membership') === 'invite')
		.map(event => textAt(event, 'sender'));

const identityOf = (id: string): string =>
	id.length <= maxIdLength ? id : `sha256:${createHash('sha256').update(id).digest('hex')}`;

function eventAt(json: JsonObject, ...path: readonly string[]): string | undefined {
	const id = textAt(json, ...path);
	return eventForm.test(id) ? id : undefined;
}

/** Types of messages that may have a caption: `body` is one if it differs from the file's name. */
const files: ReadonlySet<string> = new Set(['m.audio', 'm.file', 'm.image', 'm.video']);

function textIn(content: JsonObject): string {
	const kind = textAt(content, 'msgtype');
	const body = memberAt(content, 'body');
	const file = memberAt(content, 'filename');
	const isText =
		kind === 'm.text' || (files.has(kind) && typeof file === 'string' && file !== body);
	if (!isText || typeof body !== 'string') {
		return '';
	}

	const isReply = isJsonObject(memberAt(content, 'm.relates_to', 'm.in_reply_to'));
	return isReply ? withoutFallback(body) : body;
}

/** Removes the quote that older clients put before a reply. @see Matrix client-server API 1.12, fallbacks for rich replies */
function withoutFallback(body: string): string {
	if (!/^> (?:\* )?<@[^>\n]*>/.test(body)) {
		return body;
	}

	const lines = body.split('\n');
	const end = lines.findIndex(line => !line.startsWith('> '));
	return end === -1 ? '' : lines.slice(lines[end] === '' ? end + 1 : end).join('\n');
}

function mentions(text: string, content: JsonObject, ours: string): boolean {
	const named = listAt(content, 'm.mentions', 'user_ids');
	// Clients that know no `m.mentions` link to us.
	const isLinked =
		!isJsonObject(memberAt(content, 'm.mentions')) &&
		linksTo(ours).some(link => htmlIn(content).includes(link));
	return named.includes(ours) || isLinked || indexOfUs(text, ours) !== -1;
}

/** Links to a user: only some clients encode the id. */
const linksTo = (user: string): readonly string[] =>
	[user, encodeURIComponent(user)].map(name => `"https://matrix.to/#/${name}"`);

/** The HTML without the quote that older clients put before a reply. */
const htmlIn = (content: JsonObject): string =>
	textAt(content, 'formatted_body').replace(/^<mx-reply>.*?<\/mx-reply>/s, '');

/** The index of our user id as a separate word; -1 if it does not occur. */
const indexOfUs = (text: string, ours: string): number =>
	text.search(new RegExp(`(?<!\\w)${RegExp.escape(ours)}(?![\\w-]|[.:]\\w)`));

/** Removes our name (the words of the link to us) or user id from the beginning of a text. */
function withoutLead(text: string, content: JsonObject, ours: string): string {
	const [, href = '', name = ''] =
		/^(?:<p>)?<a href=("[^"]*")>([^<]*)<\/a>/.exec(htmlIn(content)) ?? [];
	const start = text.trimStart();
	const lead =
		indexOfUs(start, ours) === 0
			? ours
			: linksTo(ours).includes(href) && start.startsWith(name)
				? name
				: '';
	return lead === '' ? text : start.slice(lead.length).replace(/^[\s:,]+/, '');
}
