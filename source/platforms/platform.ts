import {extraValue, shownKey} from './target-keys.ts';
import type {TargetWords} from './target-kind.ts';

/** What is the same for every messaging platform: its messages are read by people, and go on after a break where they were. */
export const platform = <const Kind extends string>(kind: Kind) => ({
	kind,
	reachesPeople: true,
	afterBreak: 'resumed' as const,
	...platformWords(kind),
});

/** How a message on a platform is spoken of. */
export const platformWords = (kind: string): TargetWords => ({
	place: extra =>
		`${kind} ${extraValue(extra, 'chat_id') === undefined ? '(home channel)' : shownKey(extra, 'chat_id')}`,
	effect: extra =>
		`sends a message to ${kind} ${(extraValue(extra, 'chat_id') ?? null) === null ? 'home channel' : shownKey(extra, 'chat_id')}`,
});
