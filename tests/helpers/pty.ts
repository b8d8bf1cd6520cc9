import {spawn} from '@lydell/node-pty';
import {UnicodeGraphemesAddon} from '@xterm/addon-unicode-graphemes';
import xterm from '@xterm/headless';
import {systemClock} from '../../source/core/clock.ts';
import {bytesOfKey} from '../../source/terminal/input/key-event.ts';
import {foreignSequences} from './foreign-sequences.ts';
import {flagsInTests} from './processes.ts';

export type PtyOptions = {
	readonly columns?: number;
	readonly rows?: number;
	readonly env?: Readonly<Record<string, string | undefined>>;
	readonly cwd?: string;
	/** Gets what the program writes, which is not kept then: for what runs long. */
	readonly onOutput?: (data: string) => void;
	/** Answers what the program asks of the terminal, in place of the emulator, which says what it can and not its colours. */
	readonly onQuestion?: (
		question: 'background' | 'attributes',
		reply: (text: string) => void,
	) => void;
};

type PtyExit = {readonly exitCode: number; readonly signal: number};

export type Pty = AsyncDisposable & {
	readonly pid: number;
	/** What stands on the screen, one string a row, blanks at the end cut. */
	lines(): readonly string[];
	/** Waits until `holds` is true of the screen; throws with the screen after `limitMs` (20 s), or when the program has ended. */
	waitFor(
		holds: (lines: readonly string[]) => boolean,
		limitMs?: number,
	): Promise<readonly string[]>;
	/** Waits for `text` anywhere on the screen. */
	waitForText(text: string | RegExp, limitMs?: number): Promise<readonly string[]>;
	/** Presses keys by their names, one write each. */
	press(...keys: readonly string[]): void;
	write(data: string): void;
	resize(columns: number, rows: number): void;
	/** Everything that the program wrote. */
	written(): string;
	/** Sequences that a program of ours must not write. */
	foreign(): readonly string[];
	isAlternateScreen(): boolean;
	/** Whether the emulator is to send pastes with marks. */
	isBracketedPaste(): boolean;
	kill(signal?: string): void;
	/** Stops and goes on reading what the program writes, as a line that stalls does. */
	pause(): void;
	resume(): void;
	/** Closes the terminal under the program, as a line that drops does. */
	hangUp(): void;
	/** Settles when the program has ended and everything it wrote is on the screen. */
	readonly exited: Promise<PtyExit>;
};

/**
 * Starts a program in a real pseudo terminal with an emulator behind it. `CI` is switched off for it, since a pseudo terminal is a
 * terminal wherever the tests run. To be held by `await using`: the program is killed at the end.
 */
export function openPty(
	command: string,
	args: readonly string[],
	{columns = 120, rows = 36, env = {}, cwd = process.cwd(), onOutput, onQuestion}: PtyOptions = {},
): Pty {
	const terminal = new xterm.Terminal({
		cols: columns,
		rows,
		allowProposedApi: true,
		scrollback: 1000,
	});
	terminal.loadAddon(new UnicodeGraphemesAddon());
	const environment = {
		...process.env,
		TERM: 'xterm-256color',
		COLORTERM: 'truecolor',
		NO_COLOR: undefined,
		TMUX: undefined,
		STY: undefined,
		// One port for all that run side by side.
		API_ENABLED: 'false',
		...env,
		CI: env['CI'] ?? 'false',
	};
	const flags = command === process.execPath ? flagsInTests : [];
	const pty = spawn(command, [...flags, ...args], {
		// It becomes TERM.
		name: environment.TERM,
		cols: columns,
		rows,
		cwd,
		env: Object.fromEntries(
			Object.entries(environment).filter(
				(entry): entry is [string, string] => entry[1] !== undefined,
			),
		),
	});

	const chunks: string[] = [];
	const watchers = new Set<() => void>();
	const notify = () => {
		for (const watcher of watchers) {
			watcher();
		}
	};

	pty.onData(data => {
		if (onOutput) {
			onOutput(data);
		} else {
			chunks.push(data);
		}

		terminal.write(data, notify);
	});
	const reply = (text: string) => {
		pty.write(text);
	};
	if (onQuestion) {
		terminal.parser.registerOscHandler(11, () => {
			onQuestion('background', reply);
			return true;
		});
		terminal.parser.registerCsiHandler({final: 'c'}, () => {
			onQuestion('attributes', reply);
			return true;
		});
	}

	// The emulator answers questions (cursor position, device attributes) as a terminal does.
	terminal.onData(data => {
		pty.write(data);
	});

	let ended: PtyExit | undefined;
	const exited = new Promise<PtyExit>(resolve => {
		pty.onExit(({exitCode, signal = 0}) => {
			terminal.write('', () => {
				ended = {exitCode, signal};
				resolve(ended);
				notify();
			});
		});
	});

	const lines = () =>
		Array.from({length: terminal.rows}, (_, row) => {
			const {active} = terminal.buffer;
			return active.getLine(active.baseY + row)?.translateToString(true) ?? '';
		});

	const waitFor = async (holds: (lines: readonly string[]) => boolean, limitMs = 20_000) => {
		const {promise, resolve, reject} = Promise.withResolvers<readonly string[]>();
		const fail = (why: string) => {
			reject(new Error(`${why}; the screen:\n${lines().join('\n').trimEnd()}`));
		};

		const look = () => {
			const now = lines();
			if (holds(now)) {
				resolve(now);
			} else if (ended) {
				fail(`The program ended with ${ended.exitCode} (signal ${ended.signal})`);
			}
		};

		const cancel = systemClock.after(limitMs, () => {
			fail(`Nothing of the kind within ${limitMs} ms`);
		});
		watchers.add(look);
		look();
		try {
			return await promise;
		} finally {
			cancel();
			watchers.delete(look);
		}
	};

	const kill = (signal = 'SIGTERM') => {
		if (!ended) {
			pty.kill(signal);
		}
	};

	return {
		pid: pty.pid,
		lines,
		waitFor,
		waitForText: async (text, limitMs) =>
			waitFor(
				now => now.some(line => (typeof text === 'string' ? line.includes(text) : text.test(line))),
				limitMs,
			),
		press(...keys) {
			for (const key of keys) {
				pty.write(bytesOfKey(key));
			}
		},
		write(data) {
			pty.write(data);
		},
		resize(newColumns, newRows) {
			terminal.resize(newColumns, newRows);
			pty.resize(newColumns, newRows);
		},
		written: () => chunks.join(''),
		foreign: () => foreignSequences(chunks.join('')),
		isAlternateScreen: () => terminal.buffer.active.type === 'alternate',
		isBracketedPaste: () => terminal.modes.bracketedPasteMode,
		kill,
		pause() {
			pty.pause();
		},
		resume() {
			pty.resume();
		},
		hangUp() {
			// Its declaration lacks it.
			(pty as typeof pty & {readonly destroy: () => void}).destroy();
		},
		exited,
		async [Symbol.asyncDispose]() {
			kill('SIGKILL');
			await exited;
			terminal.dispose();
		},
	};
}
