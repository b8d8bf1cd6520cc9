import {sleep, type Clock} from '../core/clock.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {DeliveryError} from './delivery-error.ts';

const maxTextLength = 100_000;
const maxQuoteLength = 4000;

/** A message's text without the mention of us that it begins with, which `mention` matches; empty where nothing else is in it. */
export const heardText = (text: string, mention: RegExp): string =>
	cut(text, maxTextLength).trimStart().replace(mention, '').trim();

/** The text of a quote, at most 4,000 characters. */
export const quotedText = (text: string): string => cut(text.trim(), maxQuoteLength);

const cut = (text: string, maxLength: number): string => text.slice(0, maxLength).toWellFormed();

/** Sets a member of a map that keeps those that were set last. */
export function keepLast<Key, Value>(
	map: Map<Key, Value>,
	[key, value]: readonly [Key, Value],
	max: number,
): void {
	map.delete(key);
	map.set(key, value);
	const [oldest] = map.keys();
	if (map.size > max && oldest !== undefined) {
		map.delete(oldest);
	}
}

/** Chats that are caught up after a break at most; the one that was silent longest is forgotten first. */
const maxChats = 500;

/** How far each chat was heard, for what is asked after a break. */
export type Marks<Mark> = {
	readonly of: ReadonlyMap<string, Mark>;
	set(chat: string, mark: Mark): void;
	/** For `onMessages`. */
	cursor(): JsonValue;
	/**
	 * Brings every chat of `behind` up to date, and takes it out. A chat that the platform refuses is forgotten; a wait that it asks for is waited, up to a minute.
	 *
	 * @throws what `bring` rejects with; what is left in `behind` is still to be done
	 */
	catchUp(
		behind: Set<string>,
		bring: (chat: string, mark: Mark) => Promise<void>,
		limits: {readonly clock: Clock; readonly signal: AbortSignal},
	): Promise<void>;
};

const minWaitMs = 1000;
const maxWaitMs = 60_000;

/** The marks that stand in a cursor; none where it is no such cursor. */
export function marksOf<Mark extends JsonObject>(cursor: JsonValue | undefined): Marks<Mark> {
	const marks = new Map<string, Mark>();
	const written = isJsonObject(cursor) && Array.isArray(cursor['chats']) ? cursor['chats'] : [];
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `cursor` made it
	for (const [chat, mark] of written as ReadonlyArray<readonly [string, Mark]>) {
		marks.set(chat, mark);
	}

	return {
		of: marks,
		set(chat, mark) {
			keepLast(marks, [chat, mark], maxChats);
		},
		cursor: () => ({chats: [...marks]}),
		async catchUp(behind, bring, {clock, signal}) {
			for (const chat of behind) {
				const mark = marks.get(chat);
				try {
					// oxlint-disable-next-line no-await-in-loop -- one chat after the other
					await (mark && bring(chat, mark));
					behind.delete(chat);
				} catch (error) {
					const {code, retryAfterMs = Infinity} =
						error instanceof DeliveryError ? error : {code: undefined};
					if (code === 'platform_rejected') {
						marks.delete(chat);
						behind.delete(chat);
					} else if (code === 'platform_rate_limited' && retryAfterMs <= maxWaitMs) {
						// oxlint-disable-next-line no-await-in-loop -- it is asked again after that
						await sleep(clock, Math.max(minWaitMs, retryAfterMs), signal);
						// After the others.
						behind.delete(chat);
						behind.add(chat);
					} else {
						throw error;
					}
				}
			}
		},
	};
}
