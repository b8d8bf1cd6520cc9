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
/** Lines of one paste that are kept. */
const maxQueued = 100;

/** What can be said besides the commands. */
export const words: Readonly<Record<string, string>> = {
	help: 'tells the commands; "help TOPIC" shows a page of the manual',
	'/reload-mcp': 'reads the configuration of the tool servers again',
	'/use-model': 'agrees to the model that costs money',
	'/install': 'looks at a link that asks for a tool server, by its number',
	quit: 'leaves; so do "exit", the end of the input, and Ctrl-C twice',
};

/** How lines end: by the person or the end of what is read, because the terminal is gone, or as the gateway ends. */
export type LinesEnd = {readonly reason: 'quit' | 'terminal-gone' | 'aborted'};

/** Where lines come from. */
export type Lines = Disposable & {
	/** The next line, or how the input ended. */
	next(): Promise<string | LinesEnd>;
	/** Forgets lines of a paste that were not run yet. */
	drop(): void;
	isTyping(): boolean;
	/** Whether a line is waited for. */
	isOpen(): boolean;
	/** Lets something be said above the line that is waited for. */
	aside(say: () => void): void;
};

/** Reads the lines of a pipe one after the other, without writing a prompt. */
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

/** Lines that a person types, with a history and with Tab. The line editor has the terminal only while a line is waited for. */
export function createTypedLines(context: Context, ended: AbortSignal): Lines {
	const {stdin, stdout, stderr} = context;
	const history: string[] = [];
	let queue: string[] = [];
	/** The end of a paste, as far as it was read. */
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
				// The line editor cannot go on once it is closed.
				return isClosing ? new Promise(() => {}) : found;
			},
		});

		editor = open;
		open.setPrompt(prompt);
		const {promise, resolve} = Promise.withResolvers<string | LinesEnd>();
		open.on('line', written => {
			const line = asTyped(written);
			interrupted = 0;
			// The first line of a paste is the command; the others are read before the editor closes, and each is a command of its own.
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
				// Ctrl-C drops the line.
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
		// What is completed by now is written first.
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
			// Nothing is drawn anew: what was written stays above.
			stdout.write('\n');
			say();
			if (editor) {
				editor.prompt(true);
				// A terminal that cannot move its cursor gets no line back by itself.
				stdout.write(context.environment['TERM'] === 'dumb' ? escapeLine(line, Infinity) : '');
			}
		},
		[Symbol.dispose]() {
			editor?.close();
		},
	};
}

/** What comes first. */
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

/** What may stand in place of the last word of `line`, as `svc completion` has it, with the beginning that is replaced. */
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
