import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {maxAnswerBytes, textAt} from '../ask.ts';
import {marksOf, type HeardMarks, type Taking} from '../catch-up.ts';
import type {InboundMessage} from '../listener.ts';
import {answerPress, bounded, quoteInTime} from '../message-text.ts';
import {answeredIn, isLater, isOfPerson, messageIn, placeIn, pressIn} from './inbound.ts';

const askMs = 30_000;
/** Time limit for answering a press, milliseconds: Discord shows it as failed afterwards. */
const pressMs = 3000;
/** Maximum number of messages per page, and of pages per channel. */
const pageSize = 100;
const maxPages = 10;
/** Maximum length of the answer to a press, characters. */
const maxToldLength = 2000;

/** The position reached in a channel. Messages read by request do not say whether they are direct. */
type Mark = {readonly last: string; readonly isDirect: boolean};

/** Passes on the messages of one connection, and those missed before it. `base`: the base URL of the API. */
export function createTaker(taking: Taking, base: string) {
	const {ask, behind, hearing, signal, world} = taking;
	const {log} = world;
	let known: HeardMarks<Mark> | undefined;
	const marksFor = (me: string) => (known ??= marksOf<Mark>(taking, me));

	/** The message that `message` replies to; `undefined` if it is deleted, or does not arrive in time. Not requested for messages of strangers, who could hold up all others. */
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
				const newest = isLater(last, place.id) ? last : place.id;
				marks.set(place.chat, {last: newest, isDirect: place.isDirect});
				const message =
					isOfPerson(one, me) &&
					messageIn(one, place, {
						me,
						// oxlint-disable-next-line no-await-in-loop -- sequential messages
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
			// oxlint-disable-next-line no-await-in-loop -- sequential pages
			const found = await ask(
				{
					method: 'GET',
					path: `/channels/${chat}/messages?after=${after}&limit=${pageSize}`,
					maxAnswerBytes,
				},
				{limitMs: askMs, signal},
			);
			const all = Object.values(found).filter(isJsonObject);
			// Newest messages come first.
			const inOrder = all
				.map((one): JsonObject => ({...one, channel_id: chat}))
				.filter(one => placeIn(one))
				.toSorted((a, b) => (isLater(textAt(a, 'id'), textAt(b, 'id')) ? 1 : -1));
			// oxlint-disable-next-line no-await-in-loop -- as above
			await take(inOrder, me, isDirect);
			after = textAt(inOrder.at(-1) ?? {}, 'id') || after;
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
		/** Passes on messages in order. */
		take,
		/** Shows the reply of `hearing` to the person who pressed. Rejects as `onPress`. */
		async answerPress(interaction: JsonObject): Promise<void> {
			const found = pressIn(interaction);
			if (!found) {
				return;
			}

			const {path, ...pressed} = found;
			const content = bounded(await hearing.onPress(pressed), maxToldLength);
			const data = {content, flags: 64, allowed_mentions: {parse: []}};
			// A complete URL, so that no part of it is logged: the path contains a token.
			const request = {url: base + path, json: {type: 4, data}, sendsNothing: true};
			await answerPress(log, 'Discord', async () => ask(request, {limitMs: pressMs, signal}));
		},
		/** For a new session of that user, which does not repeat earlier messages. */
		markAllBehind(me: string) {
			for (const chat of marksFor(me).of.keys()) {
				behind.set(chat, 0);
			}
		},
		/** Rejects as `Ask` and `onMessages`; the next call continues there. */
		catchUp: async (me: string) =>
			marksFor(me).catchUp(async (chat, mark) => catchUpChat(chat, mark, me)),
	};
}
