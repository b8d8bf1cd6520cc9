import {messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {textAt, type Ask} from '../ask.ts';
import {marksOf, type Behind, type Marks} from '../catch-up.ts';
import type {Hearing, InboundMessage, ListenerWorld} from '../listener.ts';
import {bounded, quoteInTime} from '../message-text.ts';
import {answeredIn, isLater, isOfPerson, messageIn, placeIn, pressIn} from './inbound.ts';

const askMs = 30_000;
/** Discord shows a press that is answered later as failed. */
const pressMs = 3000;
/** Messages of one answer, and answers for one channel. */
const pageSize = 100;
const maxPages = 10;
const maxPageBytes = 16 * 1024 * 1024;
/** Of a text that is told to one person. */
const maxToldLength = 2000;

/** How far a channel was heard. Messages that are asked for do not say whether they are direct. */
type Mark = {readonly last: string; readonly isDirect: boolean};

/** Hands over what one connection brings, and what came meanwhile. */
export function createTaker({
	ask,
	base,
	behind,
	cursor,
	hearing,
	signal,
	world: {clock, log},
}: {
	readonly ask: Ask;
	/** Where the API begins. */
	readonly base: string;
	/** Channels that are still to be caught up. */
	readonly behind: Behind;
	readonly cursor: JsonValue | undefined;
	readonly hearing: Hearing;
	readonly signal: AbortSignal;
	readonly world: Pick<ListenerWorld, 'clock' | 'log'>;
}) {
	let known: Marks<Mark> | undefined;
	const marksFor = (me: string) => (known ??= marksOf<Mark>(cursor, me));

	/** The message that `message` answers; `undefined` where it is gone, or cannot be had at once. Nothing is asked for strangers, who could hold up all others. */
	const answeredBy = async (message: JsonObject, chat: string) => {
		const answered = answeredIn(message);
		if (typeof answered !== 'string') {
			return answered;
		}

		if (!hearing.isAllowed(textAt(message, 'author', 'id'))) {
			return undefined;
		}

		const path = `/channels/${chat}/messages/${answered}`;
		return quoteInTime(log, 'Discord', async limitMs =>
			ask({method: 'GET', path}, {limitMs, signal}),
		);
	};

	const take = async (all: readonly JsonObject[], me: string, isDirect?: boolean) => {
		const marks = marksFor(me);
		const heard: InboundMessage[] = [];
		for (const one of all) {
			const found = placeIn(one);
			if (found) {
				const place = {...found, ...(isDirect !== undefined && {isDirect})};
				const {last = place.id} = marks.of.get(place.chat) ?? {};
				marks.set(place.chat, {
					last: isLater(last, place.id) ? last : place.id,
					isDirect: place.isDirect,
				});
				const message =
					isOfPerson(one, me) &&
					messageIn(one, place, {
						me,
						// oxlint-disable-next-line no-await-in-loop -- one message after the other
						answered: await answeredBy(one, place.chat),
					});
				heard.push(...(message ? [message] : []));
			}
		}

		if (heard.length > 0 && !signal.aborted) {
			await hearing.onMessages(heard, marks.cursor());
		}
	};

	const catchUpChat = async (chat: string, {last, isDirect}: Mark, me: string) => {
		let after = last;
		for (let page = 0; page < maxPages; page++) {
			// oxlint-disable-next-line no-await-in-loop -- one page after the other
			const found = await ask(
				{
					method: 'GET',
					path: `/channels/${chat}/messages?after=${after}&limit=${pageSize}`,
					maxAnswerBytes: maxPageBytes,
				},
				{limitMs: askMs, signal},
			);
			const all = Object.values(found).filter(isJsonObject);
			// The newest comes first.
			const inOrder = all
				.map(one => ({...one, channel_id: chat}))
				.flatMap(one => (placeIn(one) ? [{one, id: textAt(one, 'id')}] : []))
				.toSorted((a, b) => (isLater(a.id, b.id) ? 1 : -1));
			// oxlint-disable-next-line no-await-in-loop -- as above
			await take(
				inOrder.map(({one}) => one),
				me,
				isDirect,
			);
			after = inOrder.at(-1)?.id ?? after;
			if (all.length < pageSize) {
				return;
			}
		}

		log.warn('more messages came in a Discord channel than are caught up: later ones are lost', {
			channel: chat,
			caughtUp: pageSize * maxPages,
		});
	};

	return {
		/** Messages in their order. */
		take,
		/** Shows the person who pressed what `hearing` says. Rejects as `onPress`. */
		async answerPress(interaction: JsonObject): Promise<void> {
			const found = pressIn(interaction);
			if (!found) {
				return;
			}

			const {path, ...pressed} = found;
			const content = bounded(await hearing.onPress(pressed), maxToldLength);
			const data = {content, flags: 64, allowed_mentions: {parse: []}};
			try {
				await ask(
					// As an address of which no part is public: the path has a token.
					{url: base + path, json: {type: 4, data}, sendsNothing: true},
					{limitMs: pressMs, signal},
				);
			} catch (error) {
				log.debug('A press of a button on Discord was not answered', {reason: messageOf(error)});
			}
		},
		/** For another session of that user, which sends nothing of before. */
		markAllBehind(me: string) {
			for (const chat of marksFor(me).of.keys()) {
				behind.set(chat, 0);
			}
		},
		/** Rejects as `Ask` and `onMessages`; goes on there with the next call. */
		catchUp: async (me: string) =>
			marksFor(me).catchUp(behind, async (chat, mark) => catchUpChat(chat, mark, me), {
				clock,
				log,
				signal,
			}),
	};
}
