import {SvcError} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import type {Guard} from '../../tui/approvals/guard.ts';
import {askLine, canAsk, type TypedLine} from './ask-line.ts';
import type {Context} from './context.ts';
import {tell, tellWhole} from './print.ts';

type AskedWhole = {
	/** What has to be read. No line of it is cut. */
	readonly lines: readonly string[];
	readonly question: string;
	/** Whether what was typed agrees. */
	readonly isYes: (text: string) => boolean;
};

/** `text`: what was typed last. */
export type WholeAnswer = {
	readonly agreed: boolean;
	readonly text: string;
	readonly interrupted: boolean;
};

const leaves = /^(?:q|quit|n|no|leave)$/i;

/**
 * Asks on a terminal what must not be allowed unread. The lines come page by page, and each page must be asked for by a line of its own, after it was there for half a second. So must the last page be for a yes, by
 * the guard of the sheet on the screen (`tui/approvals/guard`), when all of it was typed after that, and when it came in no read with another line. Everything else changes nothing; a no counts at any time.
 */
export async function askWhole(
	context: Context,
	{lines, question, isYes}: AskedWhole,
): Promise<WholeAnswer> {
	const {createGuard} = await import('../../tui/approvals/guard.ts');
	using guard = createGuard(context.clock);
	const left = await readPages(context, lines, guard);
	if (left) {
		return {agreed: false, text: '', interrupted: left.interrupted};
	}

	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one question after the other
		const typed = await askShown(context, question, guard);
		const {text, interrupted, ended, begunAt, alone} = typed;
		if (interrupted || ended || !isYes(text)) {
			return {agreed: false, text, interrupted};
		}

		if (guard.permits(question, {t: begunAt, alone})) {
			return {agreed: true, text, interrupted};
		}

		guard.disturbed(context.clock.monotonic());
		tell(
			context,
			alone
				? 'Too early: that was typed before there was time to read. Once more, please.'
				: 'That came together with other lines, or was pasted, which answers nothing: it has to be typed. Once more, please.',
		);
	}
}

/** Asks one question. The guard hears that it is there once the terminal has taken all that was written: a line that stalls shows nothing. One that is written again, below something that was said meanwhile, is asked anew. */
async function askShown(context: Context, question: string, guard: Guard): Promise<TypedLine> {
	const {stderr, environment} = context;
	// A terminal that obeys nothing is sent nothing.
	const [begin, end] =
		environment['TERM'] === 'dumb' ? ['', ''] : ['\u001B[?2004h', '\u001B[?2004l'];
	stderr.write(begin);
	let times = 0;
	const wait = () => {
		times += 1;
		const time = times;
		guard.asked();
		stderr.write('', error => {
			if (!error && time === times) {
				guard.shown(question);
			}
		});
	};
	const asked = askLine(context, question, {onAgain: wait});
	wait();
	const typed = await asked;
	stderr.write(end);
	return typed;
}

/** Whether a person can be asked.
 * @throws SvcError `confirmation_needed` where a person types who does not see what is asked: that is no script either
 */
export function canAskWhole(context: Pick<Context, 'stdin' | 'stderr'>): boolean {
	if (context.stdin.isTTY && !context.stderr.isTTY) {
		throw new SvcError(
			'confirmation_needed',
			'Not allowed: what has to be read goes to standard error, which is no terminal here; leave it on the terminal, or take standard input from elsewhere, as in "</dev/null"',
		);
	}

	return canAsk(context);
}

/** Shows every page; returns the line that left before the last one. */
async function readPages(
	context: Context,
	lines: readonly string[],
	guard: Guard,
): Promise<TypedLine | undefined> {
	// Some terminals say 0.
	const {columns, rows: height} = context.stderr;
	const rows = lines.flatMap(line =>
		hardWrap(escapeLine(line, Infinity), (columns || 80) - 3, Infinity).rows.map((row, index) =>
			index === 0 ? row : `${gutter.goesOn} ${row}`,
		),
	);
	// A line stays for what is asked below, one for what is said of a wrong answer.
	const page = Math.max(5, (height || 24) - 4);
	for (let from = 0; ; from += page) {
		tellWhole(context, rows.slice(from, from + page));
		const rest = rows.length - from - page;
		if (rest <= 0) {
			return undefined;
		}

		// oxlint-disable-next-line no-await-in-loop -- one page after the other
		const typed = await untilReadOn(context, rest, guard);
		if (typed) {
			return typed;
		}
	}
}

/** Resolves with nothing when the next page is asked for, else with the line that leaves. */
async function untilReadOn(
	context: Context,
	rest: number,
	guard: Guard,
): Promise<TypedLine | undefined> {
	const question = `${rest} more ${rest === 1 ? 'line' : 'lines'}: Enter reads on, q leaves `;
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- until it is answered
		const typed = await askShown(context, question, guard);
		const {text, interrupted, ended, begunAt, alone} = typed;
		if (interrupted || ended || leaves.test(text)) {
			return typed;
		}

		if (/^(?:|m|more)$/i.test(text) && alone) {
			if (guard.permits(question, {t: begunAt, alone})) {
				return undefined;
			}

			guard.disturbed(context.clock.monotonic());
			tell(context, 'Too early: that was typed before there was time to read. Once more, please.');
			continue;
		}

		tell(
			context,
			alone
				? 'Not everything was read yet: Enter reads on, q leaves'
				: 'Lines that come together read nothing on: Enter alone does',
		);
	}
}
