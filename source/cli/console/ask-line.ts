import {Writable} from 'node:stream';
import {SvcError} from '../../core/errors.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';
import type {Context} from './context.ts';
import {asTyped, openLineEditor} from './open-line-editor.ts';
import {tell, tellWhole} from './print.ts';

/** A person's input. `ended`: the input is at its end, and the text empty; `interrupted`: Ctrl-C. */
export type TypedLine = {
	readonly text: string;
	/** The text with surrounding blanks. */
	readonly raw: string;
	readonly interrupted: boolean;
	readonly ended: boolean;
	/** When the line's first byte was read (`Clock.monotonic()`): typing from before the question was shown is included. */
	readonly begunAt: number;
	/** Whether no other line came in the same reads, and the line was not pasted, as far as the terminal marks pastes. */
	readonly alone: boolean;
};

/** What asking a question needs. */
export type PromptWorld = Pick<Context, 'stdin' | 'stderr' | 'environment' | 'clock' | 'signal'>;

/** Whether a person can be asked: stdin and stderr are terminals. */
export const canAsk = ({stdin, stderr}: Pick<Context, 'stdin' | 'stderr'>): boolean =>
	stdin.isTTY && stderr.isTTY;

type LineOptions = {
	readonly masked?: boolean;
	readonly history?: string[];
	readonly onAgain?: () => void;
};

/**
 * Asks for a line on the terminal, writing the question to stderr. `masked`: hides the input. `history`: earlier lines, newest first; the input is added.
 * `onAgain` is called when the question is written again.
 */
export async function askLine(
	{stdin, stderr, environment, clock, signal}: PromptWorld,
	question: string,
	{masked = false, history, onAgain}: LineOptions = {},
): Promise<TypedLine> {
	if (signal?.aborted === true || inputHasEnded(stdin)) {
		// Opening and closing a line editor would pause the reader of the terminal.
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
	// Discards the line editor's echo of a secret.
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
	// The end of the input counts as no answer; otherwise the question would stay open forever.
	const closed = new Promise<undefined>(resolve => {
		prompt.once('close', () => resolve(undefined));
	});
	const asked = prompt.question(masked ? '' : shown, {signal: stop}).catch(() => undefined);
	if (masked) {
		// Only once the editor reads key by key: before, the terminal would turn Ctrl-D into a character.
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

/** Writes the open question and its input again, below other output. */
export const askAgain = (stdin: NodeJS.ReadStream): void => questions.get(stdin)?.();

/** Whether the input has ended: a line editor would wait forever. */
export const inputHasEnded = ({readableEnded, destroyed}: NodeJS.ReadStream): boolean =>
	readableEnded || destroyed;

const historySize = 200;

/** Sent by a terminal in bracketed paste mode before a paste. */
const pasteStart = '\u001B[200~';

const lineEnd = /\r\n|\r|\n/g;

/** Records the arrival of reads that make up a line. Must subscribe before the line editor does. */
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
 * Whether the person agrees: beforehand by `yes`, or now on the terminal. Anything but a clear yes means no; `leaves` says what then stays unchanged, and the
 * command exits with 1 (130 after Ctrl-C).
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
	/** Said after a no. */
	readonly leaves?: string;
};

/** Shows the whole change of a file with warnings, and asks for confirmation like `confirm`. */
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
