import {messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';

/** Maximum length of a stranger's text, UTF-16 units. */
export const maxTextLength = 100_000;
/** Maximum length of a quote's text, UTF-16 units. */
export const maxQuoteLength = 4000;

/** The first `maxLength` UTF-16 units of a text, without half a surrogate pair at the end. */
export const bounded = (text: string, maxLength: number): string =>
	text.slice(0, maxLength).toWellFormed();

/** A message's text without a mention of us at the beginning, which `mention` matches; may be empty. */
export const heardText = (text: string, mention: RegExp): string =>
	bounded(text, maxTextLength).trimStart().replace(mention, '').trim();

/** The text of a quote, at most 4,000 characters. */
export const quotedText = (text: string): string => bounded(text.trim(), maxQuoteLength);

/** Resolves as `ask`; if that rejects, with `undefined`, and logs the debug message `without`. */
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
 * The quote from `ask`; `undefined` if it rejects: the message is then passed on without its quote.
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

/** Answers the press of a button with `ask`, once: platforms refuse late answers. Never rejects. */
export const answerPress = async (
	log: Logger,
	platform: string,
	ask: () => Promise<unknown>,
): Promise<void> => {
	await ifPossible(log, `A press of a button on ${platform} was not answered`, ask);
};
