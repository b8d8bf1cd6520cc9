import {keepLast} from '../../core/bounds.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {maxAnswerBytes, objectAt} from '../ask.ts';
import {marksOf, type Taking} from '../catch-up.ts';
import type {InboundMessage} from '../listener.ts';
import {quoteInTime} from '../message-text.ts';
import {
	isOfPerson,
	messageIn,
	placeIn,
	threadIn,
	type Ours,
	type Placed,
	type Thread,
	type PostDetails,
} from './inbound.ts';

const askMs = 30_000;
/** Maximum number of posts in a server's list. */
const maxListed = 1000;
const maxThreads = 500;

/** How far posts of a channel may arrive out of order, milliseconds. */
const overlapMs = 10_000;
/**
 * For this long after a channel's last post, milliseconds, queries overlap by `overlapMs`; later they ask only for newer posts. Half of the day for which repeated posts
 * are recognised.
 */
const knownMs = 43_200_000;

/** The position reached in a channel: when its first and last posts were written, milliseconds since 1970. Requested posts do not say whether they are direct. */
type Mark = {readonly first: number; readonly last: number; readonly isDirect: boolean};

type Post = {readonly post: JsonObject; readonly place: Placed; readonly isDirect: boolean};

/** Passes on the posts of one connection, and those missed before it. `threads`: known ones, by first post. */
export function createTaker(taking: Taking, ours: Ours, threads: Map<string, Thread>) {
	const {ask, behind, hearing, signal, world} = taking;
	const {clock, log} = world;
	const marks = marksOf<Mark>(taking, ours.user);

	/** Not requested for posts of strangers, who could hold up all others. */
	const threadOf = async ({root, user}: Placed): Promise<Thread> => {
		const known = threads.get(root) ?? (hearing.isAllowed(user) ? undefined : {isOurs: false});
		if (known) {
			return known;
		}

		const path = `/posts/${root}/thread`;
		const list = await quoteInTime(log, 'Mattermost', async limitMs =>
			ask({method: 'GET', path, maxAnswerBytes}, {limitMs, signal}),
		);
		if (!list) {
			return {isOurs: false};
		}

		const thread = threadIn(list, root, ours);
		keepLast(threads, [root, thread], maxThreads);
		return thread;
	};

	const take = async (posts: readonly Post[], told: PostDetails = {}) => {
		const heard: InboundMessage[] = [];
		for (const {post, place, isDirect} of posts) {
			const {chat, root, at, user} = place;
			const {first = at, last = at} = marks.of.get(chat) ?? {};
			marks.set(chat, {first, last: Math.max(last, at), isDirect});
			if (user === ours.user && root !== '') {
				keepLast(threads, [root, {isOurs: true}], maxThreads);
			}

			if (user !== ours.user && isOfPerson(post)) {
				// oxlint-disable-next-line no-await-in-loop -- sequential posts
				const inThread = root === '' ? undefined : await threadOf(place);
				const message = messageIn(post, place, {...told, ours, isDirect, inThread});
				heard.push(...(message ? [message] : []));
			}
		}

		if (heard.length > 0 && !signal.aborted) {
			await hearing.onMessages(heard, marks.cursor());
		}
	};

	const catchUpChat = async (chat: string, {first, last, isDirect}: Mark) => {
		const isKnown = clock.now() - last < knownMs;
		const from = isKnown ? Math.max(first, last - overlapMs) : last + 1;
		const list = await ask(
			{method: 'GET', path: `/channels/${chat}/posts?since=${from - 1}`, maxAnswerBytes},
			{limitMs: askMs, signal},
		);
		const all = Object.values(objectAt(list, 'posts')).filter(isJsonObject);
		if (all.length >= maxListed) {
			log.warn('a Mattermost channel had more new posts than are listed: some may be lost', {
				channel: chat,
				listed: all.length,
			});
		}

		// The list includes older posts that were edited since then.
		const posts = all
			.flatMap(post => {
				const place = placeIn(post);
				return place?.chat === chat && place.at >= from ? [{post, place, isDirect}] : [];
			})
			.toSorted((a, b) => a.place.at - b.place.at);
		await take(posts);
	};

	return {
		/** Passes on posts in order; `told`: details from their event. */
		take,
		/** Catches up all known channels. Rejects as `Ask` and `onMessages`. */
		async catchUp(): Promise<void> {
			for (const chat of marks.of.keys()) {
				behind.set(chat, behind.get(chat) ?? 0);
			}

			await marks.catchUp(catchUpChat);
		},
	};
}
