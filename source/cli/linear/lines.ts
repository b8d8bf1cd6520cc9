import {createInterface, type Interface} from 'node:readline/promises';
import {setImmediate} from 'node:timers/promises';
import {within} from '../../core/clock.ts';
import {asWord, splitCommand} from '../../core/shell-words.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {freeWrites} from '../../terminal/free-writes.ts';
import {inputHasEnded} from '../console/ask-line.ts';
import {runCaptured} from '../console/captured-run.ts';
import type {Context} from '../console/context.ts';
import {asTyped, openLineEditor} from '../console/open-line-editor.ts';
import {tell} from '../console/print.ts';

const prompt = 'svc> ';
const historySize = 1000;
/** The most lines of a paste that are kept. */
const maxQueued = 100;

/** Words accepted besides the commands. */
export const words: Readonly<Record<string, string>> = {
	help: 'tells the commands; "help TOPIC" shows a page of the manual',
	'/reload-mcp': 'reads the configuration of the tool servers again',
	'/use-model': 'agrees to the model that costs money',
	'/install': 'looks at a link that asks for a tool server, by its number',
	quit: 'leaves; so do "exit", the end of the input, and Ctrl-C twice',
};

/** How input ended: by the person or the end of the input, by loss of the terminal, or because the gateway ends. */
export type LinesEnd = {readonly reason: 'quit' | 'terminal-gone' | 'aborted'};

/** A source of lines. */
export type Lines = Disposable & {
	/** The next line, or how the input ended. */
	next(): Promise<string | LinesEnd>;
	/** Drops lines of a paste that were not run yet. */
	drop(): void;
	isTyping(): boolean;
	/** Whether a line is being awaited. */
	isOpen(): boolean;
	/** Prints something above the line being typed. */
	aside(say: () => void): void;
};

/** Reads lines from a pipe, without a prompt. */
export function createPipedLines({stdin}: Context, ended: AbortSignal): Lines {
	const editor = createInterface({input: stdin, terminal: false});
	const lines = editor[Symbol.asyncIterator]();
	return {
		async next() {
			const line = await unlessAborted(lines.next(), ended);
			return line === 'aborted'
				? {reason: 'aborted'}
				: line.done === true
					? {reason: 'quit'}
					: line.value;
		},
		drop() {},
		isTyping: () => false,
		isOpen: () => false,
		aside: say => say(),
		[Symbol.dispose]() {
			editor.close();
		},
	};
}

/** Reads typed lines, with history and completion. The line editor uses the terminal only while a line is awaited. */
export function createTypedLines(context: Context, ended: AbortSignal): Lines {
	const {stdin, stdout, stderr} = context;
	const history: string[] = [];
	let queue: string[] = [];
	/** What was typed or pasted after the line when its editor closed; written into the next editor. */
	let begun = '';
	let editor: Interface | undefined;
	let interrupted = 0;

	const read = async (): Promise<string | LinesEnd> => {
		if (inputHasEnded(stdin)) {
			return {reason: 'terminal-gone'};
		}

		freeWrites(stdout);
		freeWrites(stderr);
		let isClosing = false;
		using open = openLineEditor(stdout, {
			input: stdin,
			environment: context.environment,
			history,
			historySize,
			removeHistoryDuplicates: true,
			async completer(line: string): Promise<[string[], string]> {
				const found = await complete(context, line).catch((): [string[], string] => [[], line]);
				// A closed line editor cannot be used again.
				return isClosing ? new Promise(() => {}) : found;
			},
		});

		editor = open;
		open.setPrompt(prompt);
		const {promise, resolve} = Promise.withResolvers<string | LinesEnd>();
		open.on('line', written => {
			const line = asTyped(written);
			interrupted = 0;
			// The first line of a paste is the command; the others are read before the editor closes, and are separate commands.
			if (isClosing) {
				queue = [...queue, line].slice(0, maxQueued);
			} else {
				isClosing = true;
				resolve(line);
			}
		});
		open.on('SIGINT', () => {
			const hasText = open.line !== '';
			interrupted = hasText ? 0 : interrupted + 1;
			stdout.write('\n');
			if (interrupted > 1) {
				resolve({reason: 'quit'});
				return;
			}

			if (hasText) {
				// Ctrl-C discards the line.
				open.write(null, {ctrl: true, name: 'e'});
				open.write(null, {ctrl: true, name: 'u'});
			} else {
				tell(context, 'Ctrl-C once more leaves');
			}

			open.prompt();
		});
		const onClose = () => {
			stdout.write('\n');
			isClosing = true;
			resolve({reason: inputHasEnded(stdin) ? 'terminal-gone' : 'quit'});
		};

		open.on('close', onClose);
		open.prompt();
		open.write(begun);
		begun = '';
		const line = await unlessAborted(promise, ended);
		isClosing = true;
		// Writes completions that are ready first.
		await setImmediate();
		begun = open.line;
		open.off('close', onClose);
		editor = undefined;
		return line === 'aborted' ? {reason: 'aborted'} : line;
	};

	return {
		async next() {
			const pasted = queue.shift();
			if (pasted === undefined) {
				return ended.aborted ? {reason: 'aborted'} : read();
			}

			stdout.write(`${prompt}${escapeLine(pasted, Infinity)}\n`);
			return pasted;
		},
		drop() {
			queue = [];
			begun = '';
		},
		isTyping: () => (editor?.line ?? '') !== '',
		isOpen: () => editor !== undefined,
		aside(say) {
			const {line = ''} = editor ?? {};
			// Does not redraw: output stays above.
			stdout.write('\n');
			say();
			if (editor) {
				editor.prompt(true);
				// A terminal without cursor movement does not redraw the line by itself.
				stdout.write(context.environment['TERM'] === 'dumb' ? escapeLine(line, Infinity) : '');
			}
		},
		[Symbol.dispose]() {
			editor?.close();
		},
	};
}

/** The result, unless the signal aborts first. */
const unlessAborted = async <Result>(
	result: Promise<Result>,
	signal: AbortSignal,
): Promise<Result | 'aborted'> =>
	within(result, signal).catch((error: unknown) => {
		if (signal.aborted) {
			return 'aborted';
		}

		throw error;
	});

/** The completions of the last word of `line`, like `svc completion`, with the part to replace. */
async function complete(context: Context, line: string): Promise<[string[], string]> {
	const begun = /(?:[^\s\\]|\\[^])*$/.exec(line)?.[0] ?? '';
	const before = splitCommand(line.slice(0, line.length - begun.length));
	const {profile} = context.paths();
	const first = before[0] === 'svc' ? before.slice(1) : before;
	const of = profile === 'default' ? [] : ['-p', profile];
	const argv = ['__complete', '--', ...of, ...first, begun];
	const {text} = await runCaptured(context, argv, new AbortController().signal);
	const found = text
		.split('\n')
		.map(candidate => candidate.split('\t', 1)[0] ?? '')
		.filter(value => value !== '' && value !== ':file');
	const own =
		first.length === 0
			? [...Object.keys(words), 'exit'].filter(word => word.startsWith(begun))
			: [];
	return [[...found.map(asWord), ...own], begun];
}
