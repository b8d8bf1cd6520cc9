import {keepLast} from '../core/bounds.ts';
import {sleep} from '../core/clock.ts';
import type {JsonObject, JsonValue} from '../core/json.ts';
import {listAt, type Ask} from './ask.ts';
import {keptFor} from './connection.ts';
import {DeliveryError} from './delivery-error.ts';
import type {Hearing, ListenerWorld} from './listener.ts';

/** The most chats that are caught up after a break; the one that was silent longest is forgotten first. */
const maxChats = 500;

/** The context in which one connection takes messages. */
export type Taking = {
	readonly ask: Ask;
	/** Chats that are still to be caught up. */
	readonly behind: Behind;
	readonly cursor: JsonValue | undefined;
	readonly hearing: Hearing;
	readonly signal: AbortSignal;
	readonly world: Pick<ListenerWorld, 'clock' | 'log'>;
};

/** How far each chat was heard, for catching up after a break. */
export type HeardMarks<Mark extends JsonObject> = ReturnType<typeof marksOf<Mark>>;

/** Chats that are to be caught up, and how often that has failed. */
export type Behind = Map<string, number>;

/** One chat may not hold up all others. */
const maxFailures = 10;
const minWaitMs = 1000;
const maxWaitMs = 60_000;

/** The marks in a cursor of `account`; none where it is the cursor of another account. */
export function marksOf<Mark extends JsonObject>(
	{cursor, behind, signal, world: {clock, log}}: Omit<Taking, 'ask' | 'hearing'>,
	account: string,
) {
	const marks = new Map<string, Mark>();
	const written = listAt(keptFor(cursor, account), 'chats');
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `cursor` made it
	for (const [chat, mark] of written as ReadonlyArray<readonly [string, Mark]>) {
		marks.set(chat, mark);
	}

	return {
		of: marks as ReadonlyMap<string, Mark>,
		set(chat: string, mark: Mark) {
			keepLast(marks, [chat, mark], maxChats);
		},
		/** For `onMessages`. */
		cursor: (): JsonValue => ({account, chats: [...marks]}),
		/**
		 * Brings every chat of `behind` up to date, and removes it from `behind`. A chat that the platform refuses, or that failed ten times in a row, is forgotten. Waits up to a minute where
		 * the platform asks for it.
		 *
		 * @throws what `catchUpChat` rejects with; the chats left in `behind` are still to be caught up
		 */
		async catchUp(catchUpChat: (chat: string, mark: Mark) => Promise<void>) {
			for (const [chat, failures] of behind) {
				const mark = marks.get(chat);
				try {
					if (mark) {
						// oxlint-disable-next-line no-await-in-loop -- one chat after the other
						await catchUpChat(chat, mark);
					}

					behind.delete(chat);
				} catch (error) {
					if (!(error instanceof DeliveryError) || signal.aborted) {
						throw error;
					}

					const {code, message, retryAfterMs = Infinity} = error;
					if (code === 'platform_rejected' || failures + 1 >= maxFailures) {
						log.warn('a chat cannot be caught up: what came there meanwhile is lost', {
							chat,
							reason: message,
						});
						marks.delete(chat);
						behind.delete(chat);
					} else if (code === 'platform_rate_limited' && retryAfterMs <= maxWaitMs) {
						// oxlint-disable-next-line no-await-in-loop -- it is asked again after that
						await sleep(clock, Math.max(minWaitMs, retryAfterMs), signal);
						// After the others.
						behind.delete(chat);
						behind.set(chat, failures);
					} else {
						behind.set(chat, failures + 1);
						throw error;
					}
				}
			}
		},
	};
}
