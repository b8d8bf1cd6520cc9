import {createInterface} from 'node:readline/promises';
import {block} from '../../core/untrusted.ts';
import type {Context} from './context.ts';

/** What a person typed; `interrupted` after Ctrl-C. The end of the input is an empty answer. */
export type TypedLine = {readonly text: string; readonly interrupted: boolean};

/** Whether somebody can be asked: both ends are a terminal. */
export const canAsk = ({stdin, stderr}: Pick<Context, 'stdin' | 'stderr'>): boolean =>
	stdin.isTTY && stderr.isTTY;

/** Asks for one line on the terminal, the question on stderr. */
export async function askLine(
	{stdin, stderr}: Pick<Context, 'stdin' | 'stderr'>,
	question: string,
): Promise<TypedLine> {
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
	const asked = prompt.question(block(question).text, {signal: interrupt.signal}).catch(() => '');
	const text = await Promise.race([asked, closed]);
	return {text: text.trim(), interrupted: interrupt.signal.aborted};
}
