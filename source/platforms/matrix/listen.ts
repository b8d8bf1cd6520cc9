import {messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {
	createAsk,
	listAt,
	maxAnswerBytes,
	objectAt,
	objectOf,
	textAt,
	type PlatformCall,
} from '../ask.ts';
import {keptFor, pollWhile} from '../connection.ts';
import {DeliveryError} from '../delivery-error.ts';
import type {CreateListener} from '../listener.ts';
import type {MatrixSettings} from './descriptor.ts';
import {invitersIn} from './inbound.ts';
import {createRooms, stateFilter, timelineFilter, type Turn} from './rooms.ts';

const askMs = 10_000;
/** How long the server holds a request while nothing happens, milliseconds. */
const holdMs = 30_000;
/** Additional time limit, milliseconds: a first answer contains all rooms. */
const syncMs = 60_000;
/** Time limit for all quotes of one answer, milliseconds. */
const quotesMs = 10_000;
const usualTimeline = 50;
const maxInvitations = 100;
const joinAgainMs = 60_000;
const maxJoins = 10;

const nothing = {not_types: ['*']};
const filterOf = (limit: number): string =>
	JSON.stringify({
		presence: nothing,
		account_data: nothing,
		room: {
			account_data: nothing,
			ephemeral: nothing,
			state: stateFilter,
			timeline: {...timelineFilter, limit},
		},
	});

const isRoom = (room: string): boolean => /^!\S{1,254}$/.test(room) && room.isWellFormed();

/**
 * Listens by sync requests. The cursor is `next_batch` together with the encrypted rooms; the server keeps the events after it as long as it keeps the room.
 *
 * @see manual/delivery-matrix.md#conversations, Matrix client-server API, GET /sync
 */
export const createListener: CreateListener<MatrixSettings> = (
	{homeserver, accessToken},
	world,
) => {
	const {clock, log} = world;
	/** Creates an `Ask` whose successful answers have that member. */
	const asking = (member: string) =>
		createAsk(world, {
			platform: 'matrix',
			base: `${homeserver}/_matrix/client/v3`,
			headers: {authorization: `Bearer ${accessToken}`},
			judge: ({json, status}, request) =>
				Object.hasOwn(json, member) || (isUnknownSince(status, request) && 'message_gone'),
		});
	const asks = {
		whoami: asking('user_id'),
		sync: asking('next_batch'),
		messages: asking('chunk'),
		event: asking('sender'),
		members: asking('joined'),
		join: asking('room_id'),
	};
	const known = createRooms(world, asks);
	const {encrypted} = known;
	/** Pending invitations: when to try next, and the attempts so far. */
	const invitations = new Map<string, {readonly at: number; readonly tries: number}>();
	let timelineLimit = usualTimeline;

	/** One sync; `undefined` if the server no longer knows `since`. */
	const sync = async (since: string | undefined, timeoutMs: number, signal: AbortSignal) => {
		const query = new URLSearchParams({
			// The first sync only needs the list of rooms.
			filter: filterOf(since === undefined ? 1 : timelineLimit),
			timeout: String(since === undefined ? 0 : timeoutMs),
			...(since !== undefined && {since}),
		});
		try {
			const answer = await asks.sync(
				{method: 'GET', path: `/sync?${query.toString()}`, maxAnswerBytes},
				{limitMs: timeoutMs + syncMs, signal},
			);
			timelineLimit = usualTimeline;
			return answer;
		} catch (error) {
			if (error instanceof DeliveryError && error.code === 'message_gone') {
				log.warn(
					'The Matrix server does not know how far messages were read: those until now are not answered',
				);
				return undefined;
			}

			// The answer may have been too large: the next one is smaller, and the rest comes page by page.
			timelineLimit = Math.ceil(timelineLimit / 5);
			throw error;
		}
	};

	/** Joins rooms to which allowed people invite us; ignores other invitations. */
	const join = async (invited: JsonObject, {ours, hearing, signal}: Omit<Turn, 'since'>) => {
		for (const [room, invitation] of Object.entries(invited)) {
			const events = listAt(objectOf(invitation), 'invite_state', 'events').filter(isJsonObject);
			const inviters = invitersIn(events, ours);
			const isWelcome = inviters.length > 0 && inviters.every(user => hearing.isAllowed(user));
			if (isWelcome && isRoom(room) && invitations.size < maxInvitations) {
				invitations.set(room, {at: clock.monotonic(), tries: 0});
			}
		}

		const due = [...invitations].filter(([, {at}]) => at <= clock.monotonic());
		for (const [room, {tries}] of due) {
			invitations.delete(room);
			try {
				const path = `/rooms/${encodeURIComponent(room)}/join`;
				// oxlint-disable-next-line no-await-in-loop -- sequential
				await asks.join({path, json: {}, sendsNothing: true}, {limitMs: askMs, signal});
			} catch (error) {
				signal.throwIfAborted();
				log.warn('A Matrix room cannot be joined', {room, reason: messageOf(error)});
				if (error instanceof DeliveryError && error.retryable && tries + 1 < maxJoins) {
					invitations.set(room, {at: clock.monotonic() + joinAgainMs, tries: tries + 1});
				}
			}
		}
	};

	return {
		async listen(hearing, {cursor, signal}) {
			let since: string | undefined;
			let noted: string | undefined;
			let isListening = false;
			const note = () => {
				const words = noteOn([...encrypted.keys()]);
				if (!isListening || words !== noted) {
					isListening = true;
					noted = words;
					hearing.onListening(words);
				}
			};

			/** Processes one sync; resolves with whether anything arrived. */
			const take = async (ours: string, timeoutMs: number): Promise<boolean> => {
				const before = since;
				const answer = await sync(before, timeoutMs, signal);
				if (!answer) {
					since = undefined;
					return true;
				}

				const rooms = objectAt(answer, 'rooms');
				for (const room of Object.keys(objectAt(rooms, 'leave'))) {
					known.forget(room);
					invitations.delete(room);
				}

				const joined = Object.entries(objectAt(rooms, 'join')).flatMap(([room, one]) =>
					isRoom(room) && isJsonObject(one) ? [[room, one] as const] : [],
				);
				for (const [room, one] of joined) {
					known.noteEncrypted(room, one);
				}

				note();
				const turn = {ours, hearing, signal, until: clock.monotonic() + quotesMs};
				for (const [room, one] of before === undefined ? [] : joined) {
					// oxlint-disable-next-line no-await-in-loop -- limits memory to the missed events of one room
					await known.hear(room, one, {...turn, since: before ?? ''});
				}

				await join(objectAt(rooms, 'invite'), turn);
				since = textAt(answer, 'next_batch');
				if (since !== before) {
					await hearing.onMessages([], {
						account: ours,
						since,
						...(encrypted.size > 0 && {encrypted: Object.fromEntries(encrypted)}),
					});
				}

				return since !== before;
			};

			await pollWhile('matrix', {clock, signal}, async () => {
				const request = {method: 'GET', path: '/account/whoami'} as const;
				const ours = textAt(await asks.whoami(request, {limitMs: askMs, signal}), 'user_id');
				const kept = keptFor(cursor, ours);
				since = textAt(kept, 'since') || undefined;
				for (const [room, isTold] of Object.entries(objectAt(kept, 'encrypted'))) {
					encrypted.set(room, isTold === true || encrypted.get(room) === true);
				}

				// The first request does not wait: it shows whether listening is allowed.
				await take(ours, 0);
				return async () => take(ours, holdMs);
			});
		},
	};
};

/** Whether the server may have refused `since`, as after being restored from a backup. A refusal for another reason recurs with the next request, which has no `since`. */
const isUnknownSince = (status: number, request: PlatformCall): boolean =>
	status === 400 && 'path' in request && /^\/sync\?.*&since=/.test(request.path);

const shownRooms = 5;

function noteOn(rooms: readonly string[]): string | undefined {
	const shown = rooms.slice(0, shownRooms).map(room => escapeLine(room, 80));
	const more = rooms.length - shown.length;
	return rooms.length === 0
		? undefined
		: `it cannot read encrypted rooms: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
