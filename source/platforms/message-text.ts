import {messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';

/** A text of a stranger is cut there, UTF-16 units. */
export const maxTextLength = 100_000;
/** The same of a text that a message quotes. */
export const maxQuoteLength = 4000;

/** The first characters of a text, without half of one. */
export const bounded = (text: string, maxLength: number): string =>
	text.slice(0, maxLength).toWellFormed();

/** A message's text without the mention of us that it begins with, which `mention` matches; empty where nothing else is in it. */
export const heardText = (text: string, mention: RegExp): string =>
	bounded(text, maxTextLength).trimStart().replace(mention, '').trim();

/** The text of a quote, at most 4,000 characters. */
export const quotedText = (text: string): string => bounded(text.trim(), maxQuoteLength);

const quoteMs = 2000;

/**
 * What `ask` resolves with; `undefined`, and a debug line of the log, where it rejects: a message is heard without its quote.
 *
 * @param platform its name as in the manual
 * @param ask gets how long it may take, milliseconds
 */
export async function quoteInTime<Quote>(
	log: Logger,
	platform: string,
	ask: (limitMs: number) => Promise<Quote>,
): Promise<Quote | undefined> {
	try {
		return await ask(quoteMs);
	} catch (error) {
		log.debug(`A quote of a ${platform} message was left out`, {reason: messageOf(error)});
		return undefined;
	}
}
