import {keepLast} from '../core/bounds.ts';
import {sleep} from '../core/clock.ts';
import type {JsonObject, JsonValue} from '../core/json.ts';
import {listAt, type Ask} from './ask.ts';
import {keptFor} from './connection.ts';
import {DeliveryError} from './delivery-error.ts';
import type {Hearing, ListenerWorld} from './listener.ts';

/** Maximum number of chats that are caught up after a break; the one silent for longest is dropped first. */
const maxChats = 500;

/** The context in which a connection receives messages. */
export type Taking = {
	readonly ask: Ask;
	/** Chats that are still to be caught up. */
	readonly behind: Behind;
	readonly cursor: JsonValue | undefined;
	readonly hearing: Hearing;
	readonly signal: AbortSignal;
	readonly world: Pick<ListenerWorld, 'clock' | 'log'>;
};

/** The position reached in each chat, for catching up after a break. */
export type HeardMarks<Mark extends JsonObject> = ReturnType<typeof marksOf<Mark>>;

/** Chats to be caught up, with the number of failures. */
export type Behind = Map<string, number>;

/** After this many failures a chat is dropped, so that it does not hold up all others. */
const maxFailures = 10;
const minWaitMs = 1000;
const maxWaitMs = 60_000;

/** Reads the positions from a cursor of `account`; none from the cursor of another account. */
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
		/** The cursor for `onMessages`. */
		cursor: (): JsonValue => ({account, chats: [...marks]}),
		/**
		 * Catches up every chat of `behind`, and removes it from there. A chat that the platform refuses, or that failed ten times in a row, is dropped. Waits up to a minute if
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
						// oxlint-disable-next-line no-await-in-loop -- asked again afterwards
						await sleep(clock, Math.max(minWaitMs, retryAfterMs), signal);
						// Moves it behind the others.
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
