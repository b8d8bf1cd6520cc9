import {messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';

/** Where a stranger's text is cut, UTF-16 units. */
export const maxTextLength = 100_000;
/** Where the text of a quote is cut. */
export const maxQuoteLength = 4000;

/** The first `maxLength` UTF-16 units of a text, without half a character at the end. */
export const bounded = (text: string, maxLength: number): string =>
	text.slice(0, maxLength).toWellFormed();

/** A message's text without the mention of us at its beginning, which `mention` matches; may be empty. */
export const heardText = (text: string, mention: RegExp): string =>
	bounded(text, maxTextLength).trimStart().replace(mention, '').trim();

/** The text of a quote, at most 4,000 characters. */
export const quotedText = (text: string): string => bounded(text.trim(), maxQuoteLength);

/** What `ask` resolves with; `undefined`, and the debug line `without` in the log, where it rejects. */
async function ifPossible<Result>(
	log: Logger,
	without: string,
	ask: () => Promise<Result>,
): Promise<Result | undefined> {
	try {
		return await ask();
	} catch (error) {
		log.debug(without, {reason: messageOf(error)});
		return undefined;
	}
}

const quoteMs = 2000;

/**
 * The quote that `ask` resolves with; `undefined` where it rejects: the message is heard without its quote.
 *
 * @param platform its name as in the manual
 * @param ask gets how long it may take, milliseconds
 */
export const quoteInTime = async <Quote>(
	log: Logger,
	platform: string,
	ask: (limitMs: number) => Promise<Quote>,
): Promise<Quote | undefined> =>
	ifPossible(log, `A quote of a ${platform} message was left out`, async () => ask(quoteMs));

/** Answers the press of a button by `ask`, if possible: platforms refuse late answers. Never rejects. */
export const answerPress = async (
	log: Logger,
	platform: string,
	ask: () => Promise<unknown>,
): Promise<void> => {
	await ifPossible(log, `A press of a button on ${platform} was not answered`, ask);
};
