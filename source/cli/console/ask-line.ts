import {Writable} from 'node:stream';
import {SvcError} from '../../core/errors.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';
import type {Context} from './context.ts';
import {asTyped, openLineEditor} from './open-line-editor.ts';
import {tell, tellWhole} from './print.ts';

/** What a person typed. The end of the input is an empty answer that `ended`, Ctrl-C one that was `interrupted`. */
export type TypedLine = {
	readonly text: string;
	/** The same with the blanks around it. */
	readonly raw: string;
	readonly interrupted: boolean;
	readonly ended: boolean;
	/** When the first byte of the line was read, `Clock.monotonic()`: what was typed before a question was shown is read with it. */
	readonly begunAt: number;
	/** The line came in no read with another line, and was not pasted, as far as the terminal marks pastes. */
	readonly alone: boolean;
};

/** What a question is asked with. */
export type PromptWorld = Pick<Context, 'stdin' | 'stderr' | 'environment' | 'clock' | 'signal'>;

/** Whether a person can be asked: both ends are a terminal. */
export const canAsk = ({stdin, stderr}: Pick<Context, 'stdin' | 'stderr'>): boolean =>
	stdin.isTTY && stderr.isTTY;

type LineOptions = {
	readonly masked?: boolean;
	readonly history?: string[];
	readonly onAgain?: () => void;
};

/** Asks for one line on the terminal, the question on stderr. `masked`: what is typed is not shown. `history`: lines of before, the newest first, which gets what is typed. `onAgain` hears that the question was written once more. */
export async function askLine(
	{stdin, stderr, environment, clock, signal}: PromptWorld,
	question: string,
	{masked = false, history, onAgain}: LineOptions = {},
): Promise<TypedLine> {
	if (signal?.aborted === true || inputHasEnded(stdin)) {
		// Opening a line editor, and closing it, would stop what reads the terminal now.
		return {
			text: '',
			raw: '',
			interrupted: signal?.aborted === true,
			ended: inputHasEnded(stdin),
			begunAt: clock.monotonic(),
			alone: true,
		};
	}

	const interrupt = new AbortController();
	const stop = signal ? AbortSignal.any([interrupt.signal, signal]) : interrupt.signal;
	using reads = watchReads(stdin, clock);
	// What the line editor echoes of a secret goes nowhere.
	const output = masked
		? Object.assign(new Writable({write: (_chunk, _encoding, done) => done()}), {isTTY: true})
		: stderr;
	const shown = escapeBlock(question);
	using prompt = openLineEditor(output, {input: stdin, environment, history, historySize});
	using _ = openAt(stdin, () => {
		if (masked) {
			stderr.write(shown);
		} else {
			prompt.prompt(true);
		}

		onAgain?.();
	});
	prompt.once('SIGINT', () => interrupt.abort());
	// The end of the input, too, is no answer; without this the question would stay open for ever.
	const closed = new Promise<undefined>(resolve => {
		prompt.once('close', () => resolve(undefined));
	});
	const asked = prompt.question(masked ? '' : shown, {signal: stop}).catch(() => undefined);
	if (masked) {
		// Once the editor reads key by key: before that, the terminal makes a character of Ctrl-D.
		stderr.write(shown);
	}

	const line = await Promise.race([asked, closed]);
	const text = line === undefined ? line : asTyped(line);
	if (masked || (stop.aborted && !interrupt.signal.aborted)) {
		stderr.write('\n');
	}

	return {
		text: (text ?? '').trim(),
		raw: text ?? '',
		interrupted: stop.aborted,
		ended: text === undefined && !stop.aborted,
		...reads.line(),
	};
}

const questions = new WeakMap<NodeJS.ReadStream, () => void>();

function openAt(stdin: NodeJS.ReadStream, write: () => void): Disposable {
	questions.set(stdin, write);
	return {
		[Symbol.dispose]() {
			questions.delete(stdin);
		},
	};
}

/** Writes the question that is open there once more, with what is typed so far, below something that was said meanwhile. */
export const askAgain = (stdin: NodeJS.ReadStream): void => questions.get(stdin)?.();

/** Whether nothing can be read any more: a line editor would wait for ever. */
export const inputHasEnded = ({readableEnded, destroyed}: NodeJS.ReadStream): boolean =>
	readableEnded || destroyed;

const historySize = 200;

/** What a terminal in bracketed paste mode sends before a paste. */
const pasteStart = '\u001B[200~';

const lineEnd = /\r\n|\r|\n/g;

/** When the reads came of which a line is made. To be begun before the line editor hears of them. */
function watchReads(
	stdin: NodeJS.ReadStream,
	clock: Context['clock'],
): Disposable & {line(): Pick<TypedLine, 'begunAt' | 'alone'>} {
	let begunAt: number | undefined;
	let lines = 0;
	let endsLine = false;
	let isPasted = false;
	const onData = (data: Buffer | string) => {
		begunAt ??= clock.monotonic();
		const text = String(data);
		lines += [...text.matchAll(lineEnd)].length;
		endsLine = /[\r\n]$/.test(text);
		isPasted ||= text.includes(pasteStart);
	};

	stdin.on('data', onData);
	return {
		line: () => ({
			begunAt: begunAt ?? clock.monotonic(),
			alone: lines === 1 && endsLine && !isPasted,
		}),
		[Symbol.dispose]() {
			stdin.off('data', onData);
		},
	};
}

/**
 * Whether the person agrees: by `yes` beforehand, or now, on the terminal. Everything but a clear yes is a no, of which `leaves` says what it leaves, and which makes the command
 * exit with 1 (130 after Ctrl-C).
 *
 * @throws SvcError `confirmation_needed` when there is no terminal to ask on
 */
export async function confirm(
	context: Context,
	{
		question,
		leaves,
		yes = false,
	}: {readonly question: string; readonly leaves: string; readonly yes?: boolean | undefined},
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

	tell(context, leaves);
	context.exit(interrupted ? 130 : 1);
	return false;
}

type FileChange = {
	readonly file: string;
	readonly diff: readonly string[];
	readonly warnings: readonly string[];
	/** What is told after a no. */
	readonly leaves?: string;
};

/** Shows what a file would become, whole, with what to beware of, and asks whether it is written, as `confirm` does. */
export async function confirmDiff(
	context: Context,
	{file, diff, warnings, leaves = 'Nothing was written'}: FileChange,
	yes = false,
): Promise<boolean> {
	const lines = [...diff, ...warnings.map(warning => `Warning: ${warning}`)];
	tellWhole(
		context,
		lines.map(line => escapeLine(line, Infinity)),
	);
	return confirm(context, {
		question: `Write this to ${file}?`,
		leaves,
		yes,
	});
}

/** Whether an answer to `[y/N]` is a yes. */
export const isYes = (text: string): boolean => /^y(?:es)?$/i.test(text);
