import {SvcError} from '../../core/errors.ts';
import {askLine, canAsk} from './ask-line.ts';
import type {Context} from './context.ts';
import {tell} from './print.ts';

/**
 * Whether the person agrees: by `yes` beforehand, or now, on the terminal. Everything but a clear yes is a no, which is said and makes the command
 * exit with 1 (130 after Ctrl-C).
 *
 * @throws SvcError `confirmation_needed` when there is nobody to ask
 */
export async function confirm(
	context: Context,
	{question, yes = false}: {readonly question: string; readonly yes?: boolean | undefined},
): Promise<boolean> {
	if (yes) {
		return true;
	}

	if (!canAsk(context)) {
		throw new SvcError(
			'confirmation_needed',
			`Not done: nobody can be asked "${question}"; add --yes to do it`,
		);
	}

	const {text, interrupted} = await askLine(context, `${question} [y/N] `);
	if (isYes(text)) {
		return true;
	}

	tell(context, 'Not done');
	context.exit(interrupted ? 130 : 1);
	return false;
}

/** Whether an answer to `[y/N]` is a yes. */
export const isYes = (text: string): boolean => /^y(?:es)?$/i.test(text);
