import {type Clock, sleep} from '../core/clock.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {memberAt} from './ask.ts';
import {readConnection} from './connection.ts';

/** What a stranger wrote is cut there, UTF-16 units. */
export const maxTextLength = 100_000;
/** The same of a text that a message quotes. */
export const maxQuoteLength = 4000;

const pauseMs = 1000;

/**
 * One connection of a listener that polls: does `connect`, and then `poll` over and over until `signal` aborts. `poll` says whether anything came: a server that has nothing and does not wait
 * for it is asked once a second.
 *
 * @throws as `readConnection`
 */
export async function pollWhile(
	platform: string,
	{clock, signal}: {readonly clock: Clock; readonly signal: AbortSignal},
	connect: () => Promise<() => Promise<boolean>>,
): Promise<void> {
	await readConnection(platform, signal, async () => {
		const poll = await connect();
		while (!signal.aborted) {
			const since = clock.monotonic();
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			if (!(await poll()) && clock.monotonic() - since < pauseMs) {
				// oxlint-disable-next-line no-await-in-loop -- one after the other
				await sleep(clock, pauseMs, signal);
			}
		}
	});
}

/** The first characters of a text, without half of one. */
export const bounded = (text: string, maxLength: number): string =>
	text.slice(0, maxLength).toWellFormed();

/** The mapping where `path` leads; an empty one where it does not. */
export function objectAt(json: JsonObject, ...path: readonly string[]): JsonObject {
	const value = memberAt(json, ...path);
	return isJsonObject(value) ? value : {};
}

/** The list where `path` leads; an empty one where it does not. */
export function listAt(json: JsonObject, ...path: readonly string[]): readonly JsonValue[] {
	const value = memberAt(json, ...path);
	return Array.isArray(value) ? value : [];
}
