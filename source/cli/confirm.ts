import {createInterface} from 'node:readline/promises';
import {SvcError} from '../core/errors.ts';
import {block} from '../core/untrusted.ts';
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

	const {stdin, stderr} = context;
	if (!(stdin.isTTY && stderr.isTTY)) {
		throw new SvcError(
			'confirmation_needed',
			`Not done: nobody can be asked "${question}"; add --yes to do it`,
		);
	}

	const interrupt = new AbortController();
	using prompt = createInterface({input: stdin, output: stderr});
	prompt.once('SIGINT', () => {
		interrupt.abort();
	});
	// The end of the input, too, is no answer; without this the question would stay open for ever.
	const closed = new Promise<string>(resolve => {
		prompt.once('close', () => {
			resolve('');
		});
	});
	const asked = prompt
		.question(`${block(question).text} [y/N] `, {signal: interrupt.signal})
		.catch(() => '');
	const answer = await Promise.race([asked, closed]);
	if (/^y(?:es)?$/i.test(answer.trim())) {
		return true;
	}

	tell(context, 'Not done');
	context.exit(interrupt.signal.aborted ? 130 : 1);
	return false;
}
