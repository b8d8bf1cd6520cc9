import {SvcError} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import type {Guard} from '../../tui/approvals/guard.ts';
import {askLine, canAsk, type TypedLine} from './ask-line.ts';
import type {Context} from './context.ts';
import {tell, tellWhole} from './print.ts';

type AskedWhole = {
	/** The lines to read; none is cut. */
	readonly lines: readonly string[];
	readonly question: string;
	/** Whether the input agrees. */
	readonly isYes: (text: string) => boolean;
};

/** `text`: the last input. */
export type WholeAnswer = {
	readonly agreed: boolean;
	readonly text: string;
	readonly interrupted: boolean;
};

const leaves = /^(?:q|quit|n|no|leave)$/i;

/**
 * Asks for something that must be read before it is allowed, on a terminal. Lines are shown in pages; each must be requested by a separate input line, once the
 * page before was shown for half a second. For a yes, the last page must also have been shown so long, judged by the guard of the screen's sheets
 * (`tui/approvals/guard`); the whole answer must be typed after that, and must not share a read with another line. Other input is ignored; a no counts at any
 * time.
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

/**
 * Asks one question. The guard is told that it is shown once the terminal has taken all output: a stalled line shows nothing. A question that is written again,
 * below other output, starts over.
 */
async function askShown(context: Context, question: string, guard: Guard): Promise<TypedLine> {
	const {stderr, environment} = context;
	// A terminal that supports no control sequences gets none.
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

/**
 * Whether a person can be asked.
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

/** Shows all pages; returns the input if the person stopped before the last one. */
async function readPages(
	context: Context,
	lines: readonly string[],
	guard: Guard,
): Promise<TypedLine | undefined> {
	// Some terminals report 0.
	const {columns, rows: height} = context.stderr;
	const rows = lines.flatMap(line =>
		hardWrap(escapeLine(line, Infinity), (columns || 80) - 3, Infinity).rows.map((row, index) =>
			index === 0 ? row : `${gutter.goesOn} ${row}`,
		),
	);
	// Leaves a line for the question, and one for the hint after a wrong answer.
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

/** Resolves to `undefined` when the next page is requested, else to the input that stops. */
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
