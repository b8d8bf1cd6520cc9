import {keepLast} from '../core/bounds.ts';
import type {Clock} from '../core/clock.ts';

/** When messages may go to one chat. */
export type ChatPace = {
	/** How long the next message has to wait, milliseconds; 0: it may go now. */
	waitMs(): number;
	/** A message goes now. */
	took(): void;
	/** So many messages may go within `ms` of a chat that none went to lately. */
	within(ms: number): number;
};

const minuteMs = 60_000;

/** No two messages to a chat follow each other quicker, unless its platform takes more than 60 a minute. */
const leastGapMs = 1000;

/** More chats than messages go to in a minute; the ones that were used longest ago are forgotten. */
const maxChats = 1000;

/** The paces of chats: at most so many messages in any minute, and not all of them at once. In memory: a start forgets them. */
export function createChatPaces(
	clock: Pick<Clock, 'monotonic'>,
): (chat: string, perMinute: number) => ChatPace | undefined {
	const chats = new Map<string, number[]>();
	return (chat, perMinute) => {
		if (perMinute <= 0) {
			return undefined;
		}

		return {
			waitMs() {
				const times = chats.get(chat) ?? [];
				const now = clock.monotonic();
				const gapMs = Math.min(leastGapMs, minuteMs / perMinute);
				const afterLast = (times.at(-1) ?? -Infinity) + gapMs;
				const afterWindow = (times.at(-perMinute) ?? -Infinity) + minuteMs;
				return Math.max(0, Math.ceil(Math.max(afterLast, afterWindow) - now));
			},
			within: ms =>
				Math.min(perMinute, 1 + Math.floor(ms / Math.min(leastGapMs, minuteMs / perMinute))),
			took() {
				const now = clock.monotonic();
				const times = (chats.get(chat) ?? []).filter(time => time > now - minuteMs);
				keepLast(chats, [chat, [...times, now]], maxChats);
			},
		};
	};
}
