import {spawn} from '@lydell/node-pty';
import {UnicodeGraphemesAddon} from '@xterm/addon-unicode-graphemes';
import xterm from '@xterm/headless';
import {bytesOfKey} from '../../source/terminal/input/key-event.ts';
import type {Cell, Screen} from './cells.ts';

export type DemoTerminal = AsyncDisposable & {
	/** Presses keys by name, slowly enough to be taken one by one. */
	press(...keys: readonly string[]): Promise<void>;
	/** Resolves when `text` stands on the screen; rejects with the screen after 60 s. */
	waitFor(text: string | RegExp): Promise<void>;
	/** Resolves with what `pattern` matches on the screen, as soon as it does. */
	find(pattern: RegExp): Promise<string>;
	/** Makes it higher or lower, as a person who drags its edge. */
	setRows(rows: number): void;
	/** What stands on the screen now. */
	screen(): Screen;
};

const betweenKeysMs = 80;

/** What follows sooner may be taken for one key with it. */
const afterEscapeMs = 400;

const giveUpMs = 60_000;
const pollMs = 30;

/** Waits. */
export const pause = async (ms: number) =>
	new Promise<void>(resolve => {
		setTimeout(resolve, ms);
	});

/** Starts a program in a pseudo terminal. Disposing of it asks the program to end and waits for that. */
export function startInTerminal(
	command: readonly [string, ...string[]],
	env: Readonly<Record<string, string>>,
	size: {readonly cols: number; readonly rows: number},
): DemoTerminal {
	const emulator = new xterm.Terminal({...size, allowProposedApi: true, scrollback: 0});
	emulator.loadAddon(new UnicodeGraphemesAddon());
	const [program, ...args] = command;
	const pty = spawn(program, args, {...size, name: 'xterm-256color', env: {...env}});
	pty.onData(data => {
		emulator.write(data);
	});
	emulator.onData(data => {
		pty.write(data);
	});
	const ended = new Promise<void>(resolve => {
		pty.onExit(() => {
			resolve();
		});
	});
	const line = (row: number) => emulator.buffer.active.getLine(row);
	const text = () =>
		Array.from({length: emulator.rows}, (_, row) => line(row)?.translateToString(true) ?? '').join(
			'\n',
		);

	const waitFor = async (wanted: string | RegExp) => {
		const stands = () =>
			typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text());
		for (let waited = 0; !stands(); waited += pollMs) {
			if (waited > giveUpMs) {
				throw new Error(`Nothing like "${String(wanted)}" on the screen:\n${text()}`);
			}

			await pause(pollMs);
		}
	};

	return {
		async press(...keys) {
			for (const key of keys) {
				pty.write(bytesOfKey(key));
				await pause(key === 'esc' ? afterEscapeMs : betweenKeysMs);
			}
		},
		waitFor,
		async find(pattern) {
			await waitFor(pattern);
			return pattern.exec(text())?.[0] ?? '';
		},
		setRows(rows) {
			emulator.resize(size.cols, rows);
			pty.resize(size.cols, rows);
		},
		screen: () =>
			Array.from({length: emulator.rows}, (_, row) =>
				Array.from({length: size.cols}, (__, column): Cell => {
					const cell = line(row)?.getCell(column);
					return {
						text: cell?.getChars() || ' ',
						columns: cell?.getWidth() ?? 1,
						color: cell ? colorOf(cell, 'Fg') : undefined,
						background: cell ? colorOf(cell, 'Bg') : undefined,
						bold: Boolean(cell?.isBold()),
						dim: Boolean(cell?.isDim()),
						underline: Boolean(cell?.isUnderline()),
						inverse: Boolean(cell?.isInverse()),
					};
				}).filter(({columns}) => columns > 0),
			),
		async [Symbol.asyncDispose]() {
			pty.kill('SIGTERM');
			await ended;
			emulator.dispose();
		},
	};
}

type EmulatedCell = NonNullable<
	ReturnType<NonNullable<ReturnType<xterm.IBuffer['getLine']>>['getCell']>
>;

/** A number of the palette, or `#rrggbb`; `undefined` is the terminal's own colour. */
function colorOf(cell: EmulatedCell, side: 'Fg' | 'Bg'): number | string | undefined {
	const [isDefault, isRgb, color] =
		side === 'Fg'
			? [cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()]
			: [cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()];
	if (isDefault) {
		return undefined;
	}

	return isRgb ? `#${color.toString(16).padStart(6, '0')}` : color;
}
