import {keepLast} from '../../core/bounds.ts';
import {messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {listAt, maxAnswerBytes, memberAt, objectAt, textAt, type Ask} from '../ask.ts';
import {DeliveryError} from '../delivery-error.ts';
import type {Hearing, InboundMessage, ListenerWorld} from '../listener.ts';
import {quoteInTime} from '../message-text.ts';
import {
	isMembership,
	messageIn,
	namesIn,
	quoteIn,
	sinceJoin,
	type NameOf,
	type ReadMessage,
} from './inbound.ts';

const askMs = 10_000;
const pageMs = 60_000;
const pageSize = 100;
/** Maximum number of events to fill a gap, and of requests for them: some pages are empty. */
const maxMissed = 1000;
const maxPages = 20;
const maxRemembered = 1000;
const maxEncrypted = 100;

const withNames = {lazy_load_members: true, include_redundant_members: true};

/** The required events of a timeline, and of a room's state, the latter with the members who write, for their names. */
export const timelineFilter = {
	types: ['m.room.message', 'm.room.encrypted', 'm.room.encryption', 'm.room.member'],
	...withNames,
};
export const stateFilter = {types: ['m.room.encryption', 'm.room.member'], ...withNames};

/** Requests by kind. */
export type Asks = Readonly<Record<'event' | 'members' | 'messages', Ask>>;

export type Turn = {
	/** Our user id. */
	readonly ours: string;
	readonly hearing: Hearing;
	/** The cursor before this sync. */
	readonly since: string;
	/** When quotes start to be left out, by `Clock.monotonic`. */
	readonly until: number;
	readonly signal: AbortSignal;
};

/** Facts about rooms, kept between syncs in limited number; dropped ones are requested again. */
export function createRooms({clock, log}: Pick<ListenerWorld, 'clock' | 'log'>, asks: Asks) {
	/** Number of members by room. */
	const members = new Map<string, number>();
	const unreadMembers = new Map<string, true>();
	/** Whether events that were answered or seen are ours. */
	const isOurEvent = new Map<string, boolean>();
	const lastSeen = new Map<string, string>();
	/** Encrypted rooms, and whether we have said there that we cannot read them. */
	const encrypted = new Map<string, boolean>();

	/** The events of a room between the last one seen and the timeline of a sync, with the members who wrote them. */
	const missedIn = async (room: string, from: string, {since, signal}: Turn) => {
		const events: JsonObject[] = [];
		const state: JsonObject[] = [];
		let token = from;
		try {
			for (let page = 0; page < maxPages && token !== '' && events.length < maxMissed; page += 1) {
				const query = new URLSearchParams({
					from: token,
					to: since,
					dir: 'b',
					limit: String(pageSize),
					filter: JSON.stringify(timelineFilter),
				});
				const path = `/rooms/${encodeURIComponent(room)}/messages?${query.toString()}`;
				// oxlint-disable-next-line no-await-in-loop -- sequential pages
				const answer = await asks.messages(
					{method: 'GET', path, maxAnswerBytes},
					{limitMs: pageMs, signal},
				);
				const chunk = listAt(answer, 'chunk').filter(isJsonObject);
				const known = chunk.findIndex(event => textAt(event, 'event_id') === lastSeen.get(room));
				events.push(...(known === -1 ? chunk : chunk.slice(0, known)));
				state.push(...listAt(answer, 'state').filter(isJsonObject));
				token = known === -1 ? textAt(answer, 'end') : '';
			}
		} catch (error) {
			if (!(error instanceof DeliveryError) || error.retryable) {
				throw error;
			}

			// Access to the history may be forbidden now: only the timeline is used.
			log.debug('Missed messages of a Matrix room cannot be read', {reason: messageOf(error)});
		}

		return {events: events.slice(0, maxMissed).toReversed(), state};
	};

	const isDirect = async (room: string, signal: AbortSignal): Promise<boolean> => {
		if (!members.has(room)) {
			const path = `/rooms/${encodeURIComponent(room)}/joined_members`;
			let count = Infinity;
			try {
				const answer = await asks.members(
					{method: 'GET', path, maxAnswerBytes},
					{limitMs: askMs, signal},
				);
				count = Object.keys(objectAt(answer, 'joined')).length;
			} catch (error) {
				// Retried once, or a direct message without a mention would be lost; not more often, since one room must not hold up the others.
				if (error instanceof DeliveryError && error.retryable && !unreadMembers.has(room)) {
					keepLast(unreadMembers, [room, true], maxRemembered);
					throw error;
				}
			}

			keepLast(members, [room, count], maxRemembered);
		}

		return members.get(room) === 2;
	};

	/** Combines a message with the event that it replies to. A quote that does not arrive in time is left out. */
	const withAnswered = async (
		{answered, isMention, ...message}: ReadMessage,
		nameOf: NameOf,
		{ours, hearing, ...limits}: Turn,
	): Promise<InboundMessage> => {
		const event = answered?.event ?? '';
		const known = isOurEvent.get(event);
		const isNeeded =
			answered !== undefined && (answered.isQuoted ? known !== true : known === undefined);
		let quote: InboundMessage['quote'];
		if (isNeeded && hearing.isAllowed(message.user) && clock.monotonic() < limits.until) {
			const path = `/rooms/${encodeURIComponent(message.chat)}/event/${encodeURIComponent(event)}`;
			const found = await quoteInTime(log, 'Matrix', async limitMs =>
				asks.event({method: 'GET', path}, {limitMs, ...limits}),
			);
			limits.signal.throwIfAborted();
			if (found) {
				const isOurs = textAt(found, 'sender') === ours;
				keepLast(isOurEvent, [event, isOurs], maxRemembered);
				quote = isOurs || !answered.isQuoted ? undefined : quoteIn(found, nameOf);
			}
		}

		const direct = await isDirect(message.chat, limits.signal);
		const {reply_to: _, ...inThread} = message.answer;
		return {
			...message,
			isDirect: direct,
			isForUs: isMention || isOurEvent.get(event) === true,
			quote,
			answer: direct ? inThread : message.answer,
		};
	};

	const noteEncrypted = (room: string, joined: JsonObject) => {
		const events = [...eventsAt(joined, 'state'), ...eventsAt(joined, 'timeline')];
		if (!encrypted.has(room) && encrypted.size < maxEncrypted && events.some(isEncryption)) {
			encrypted.set(room, false);
		}
	};

	/** Says once in an encrypted room that it cannot be read, when an allowed person writes there. */
	const sayEncrypted = (room: string, event: JsonObject, {ours, hearing}: Turn) => {
		const sender = textAt(event, 'sender');
		const isWritten = textAt(event, 'type') === 'm.room.encrypted' && sender !== ours;
		if (isWritten && encrypted.get(room) === false && hearing.isAllowed(sender)) {
			encrypted.set(room, true);
			hearing.say(room, encryptedWords);
		}
	};

	/** Hands over the new messages of a room. */
	const hear = async (room: string, joined: JsonObject, turn: Turn): Promise<void> => {
		const {ours, hearing} = turn;
		const isLimited = memberAt(joined, 'timeline', 'limited') === true;
		const missed = isLimited
			? await missedIn(room, textAt(joined, 'timeline', 'prev_batch'), turn)
			: {events: [], state: []};
		const timeline = [...missed.events, ...eventsAt(joined, 'timeline')];
		const state = [...missed.state, ...eventsAt(joined, 'state')];
		const names = namesIn([...state, ...timeline]);
		const nameOf = (user: string) => names.get(user);
		const count = memberAt(joined, 'summary', 'm.joined_member_count');
		if (isLimited || [...state, ...timeline].some(isMembership)) {
			members.delete(room);
		}

		if (typeof count === 'number') {
			keepLast(members, [room, count], maxRemembered);
		}

		const messages: InboundMessage[] = [];
		for (const event of sinceJoin(timeline, ours)) {
			const sender = textAt(event, 'sender');
			const id = textAt(event, 'event_id');
			if (sender === ours && id !== '') {
				keepLast(isOurEvent, [id, true], maxRemembered);
			}

			sayEncrypted(room, event, turn);
			const message = messageIn(event, {room, ours, nameOf});
			if (message) {
				// oxlint-disable-next-line no-await-in-loop -- in order
				messages.push(await withAnswered(message, nameOf, turn));
			}
		}

		if (messages.length > 0) {
			await hearing.onMessages(messages);
		}

		const last = textAt(timeline.at(-1) ?? {}, 'event_id');
		if (last !== '') {
			keepLast(lastSeen, [room, last], maxRemembered);
		}
	};

	return {
		encrypted,
		noteEncrypted,
		hear,
		forget(room: string) {
			for (const known of [members, lastSeen, encrypted]) {
				known.delete(room);
			}
		},
	};
}

const encryptedWords =
	'This room is encrypted, and I cannot read encrypted messages: write to me in a room without encryption';

const eventsAt = (joined: JsonObject, part: 'state' | 'timeline'): readonly JsonObject[] =>
	listAt(joined, part, 'events').filter(isJsonObject);

const isEncryption = (event: JsonObject): boolean =>
	['m.room.encryption', 'm.room.encrypted'].includes(textAt(event, 'type'));
