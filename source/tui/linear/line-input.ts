import {createInterface, type Interface} from 'node:readline';
import {Writable} from 'node:stream';
import type {Clock} from '../../core/clock.ts';
import type {Suspend} from '../../terminal/suspend.ts';
import type {Typed} from './asked.ts';

export type LineInput = Disposable & {
	readonly write: (text: string) => void;
	readonly prompt: (
		text: string,
		options: {readonly isMasked: boolean; readonly isAnswer: boolean},
	) => void;
	readonly isTyping: () => boolean;
	readonly isLent: () => boolean;
	/** Gives the terminal to another program meanwhile. */
	readonly suspend: Suspend;
};

export type LineEvents = {
	/** Lines of one read. */
	readonly onLines: (lines: readonly Typed[]) => void;
	/** Ctrl-C. */
	readonly onInterrupt: () => void;
	/** Ctrl-D on an empty line. */
	readonly onEnd: () => void;
	/** Ctrl-Z. */
	readonly onStop: () => void;
	/** The terminal is gone. */
	readonly onGone: () => void;
};

const historySize = 200;

/** Reads lines from a terminal with Node's line editor, and writes whole ones. */
export function createLineInput(
	{
		stdin,
		stdout,
		clock,
	}: {
		readonly stdin: NodeJS.ReadStream;
		readonly stdout: NodeJS.WriteStream;
		readonly clock: Clock;
	},
	events: LineEvents,
): LineInput {
	let isMuted = false;
	let isAnswer = false;
	let lent = 0;
	let isClosed = false;
	let isGone = false;
	let history: string[] = [];
	let batch: {readonly t: number; readonly endsLine: boolean; readonly lines: string[]} | undefined;

	// What the line editor echoes; a secret is not.
	const output = Object.assign(
		new Writable({
			write(chunk: Buffer, _encoding, done) {
				if (!isMuted) {
					stdout.write(chunk);
				}

				done();
			},
		}),
		{isTTY: true, columns: stdout.columns},
	);

	const flush = () => {
		const read = batch;
		batch = undefined;
		if (read && read.lines.length > 0 && !isClosed) {
			const alone = read.lines.length === 1 && read.endsLine;
			events.onLines(read.lines.map(text => ({text, t: read.t, alone})));
		}
	};

	// Before the line editor sees it: the lines that it makes of this read belong together.
	const onData = (data: Buffer | string) => {
		batch ??= {t: clock.monotonic(), endsLine: /[\r\n]$/.test(String(data)), lines: []};
		queueMicrotask(flush);
	};

	const onGone = () => {
		isGone = true;
		events.onGone();
	};

	stdin.on('data', onData);
	stdin.on('end', onGone);
	stdin.on('close', onGone);
	stdin.on('error', onGone);
	stdout.on('error', onGone);

	const open = (): Interface => {
		const lines = createInterface({input: stdin, output, terminal: true, historySize, history});
		lines.on('line', text => {
			if (isMuted) {
				isMuted = false;
				stdout.write('\n');
			}

			(batch ??= {t: clock.monotonic(), endsLine: true, lines: []}).lines.push(text);
			queueMicrotask(flush);
		});
		lines.on('history', (now: string[]) => {
			if (isAnswer) {
				now.shift();
			}

			history = [...now];
		});
		lines.on('SIGINT', () => {
			dropMasked();
			events.onInterrupt();
		});
		lines.on('SIGTSTP', events.onStop);
		lines.on('close', () => {
			if (isClosed || lines !== editor) {
				return;
			}

			isMuted = false;
			// Ctrl-D closes the editor, not the terminal: what is asked about it needs another one.
			queueMicrotask(() => {
				if (!isGone && !isClosed) {
					editor = open();
					events.onEnd();
				}
			});
		});
		return lines;
	};

	let editor = open();

	/** Forgets what was typed of a secret: whatever is asked next would echo it. */
	const dropMasked = () => {
		if (isMuted && editor.line !== '') {
			editor.write(null, {ctrl: true, name: 'e'});
			editor.write(null, {ctrl: true, name: 'u'});
		}

		isMuted = false;
	};

	return {
		write(text) {
			stdout.write(text);
		},
		prompt(text, options) {
			({isAnswer} = options);
			output.columns = stdout.columns;
			editor.setPrompt(text);
			if (options.isMasked) {
				// The line editor would write what is typed so far behind the prompt.
				isMuted = true;
				stdout.write(text);
			} else {
				dropMasked();
			}

			editor.prompt(true);
		},
		isTyping: () => editor.line !== '',
		isLent: () => lent > 0,
		async suspend(task) {
			lent += 1;
			editor.pause();
			stdin.setRawMode(false);
			try {
				await task();
			} finally {
				lent -= 1;
				// Who stops with the program that has the terminal goes on without it.
				if (!isClosed && lent === 0) {
					stdin.setRawMode(true);
					editor.resume();
				}
			}
		},
		[Symbol.dispose]() {
			isClosed = true;
			stdin.off('data', onData);
			stdin.off('end', onGone);
			stdin.off('close', onGone);
			stdin.off('error', onGone);
			stdout.off('error', onGone);
			editor.close();
		},
	};
}
