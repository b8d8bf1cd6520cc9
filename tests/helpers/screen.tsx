import {Writable} from 'node:stream';
import {UnicodeGraphemesAddon} from '@xterm/addon-unicode-graphemes';
import xterm, {type IBufferCell} from '@xterm/headless';
import {render, type Instance} from 'ink';
import type {ReactNode} from 'react';
import type {Clock} from '../../source/core/clock.ts';
import {
	createInputFrontend,
	type InputFrontend,
} from '../../source/terminal/input/input-frontend.ts';
import {bytesOfKey} from '../../source/terminal/input/key-event.ts';
import {InputContext} from '../../source/tui/input/use-keys.ts';
import {setColorLevel, type ColorLevel} from './color-level.ts';
import {createFakeClock} from './fake-clock.ts';
import {createFakeTerminal} from './fake-terminal.ts';

export type ScreenSize = {readonly columns: number; readonly rows: number};

/** One cell of the screen. Colours are palette numbers, `#rrggbb`, or `default`. */
type ScreenCell = {
	readonly text: string;
	readonly foreground: string;
	readonly background: string;
	readonly bold: boolean;
	readonly dim: boolean;
	readonly inverse: boolean;
	readonly underline: boolean;
};

export type Screen = AsyncDisposable & {
	/** What stands on the screen, one string a row, blanks at the end cut. */
	lines(): readonly string[];
	/** The cell at `row`, `column`, both from 0. */
	cell(row: number, column: number): ScreenCell;
	/** The whole screen with colours, as comparable text. */
	picture(): string;
	/** Presses keys by their names (`j`, `ctrl+k`, `esc`), each in a read of its own, and waits for the screen. */
	press(...keys: readonly string[]): Promise<void>;
	/** Types text in one read. */
	type(text: string): Promise<void>;
	/** Pastes with the marks of bracketed paste. */
	paste(text: string): Promise<void>;
	/** Feeds raw bytes. */
	feed(bytes: string | Buffer): Promise<void>;
	resize(size: ScreenSize): Promise<void>;
	rerender(element: ReactNode): Promise<void>;
	/** Waits until Ink has drawn everything and the emulator has taken it in. No time passes on a clock. */
	settled(): Promise<void>;
	/** Forgets what was drawn, as the product does when the size changes: the next frame is a whole one. */
	clear(): void;
	/** Every byte written so far. */
	written(): string;
	readonly frontend: InputFrontend;
	/** Whether the program holds the keyboard in raw mode. */
	readonly isRaw: () => boolean;
	/** Settles when the program has left the screen. */
	readonly exited: Promise<unknown>;
};

const turnOfTheLoop = async () =>
	new Promise<void>(resolve => {
		setImmediate(resolve);
	});

/** A stdout in front of a terminal emulator; a write is done when the emulator has parsed it. */
function createDisplay({columns, rows}: ScreenSize) {
	const terminal = new xterm.Terminal({
		cols: columns,
		rows,
		allowProposedApi: true,
		convertEol: true,
		scrollback: 0,
	});
	terminal.loadAddon(new UnicodeGraphemesAddon());
	const chunks: string[] = [];
	const stream = Object.assign(
		new Writable({
			decodeStrings: false,
			write(chunk, _encoding, done) {
				chunks.push(String(chunk));
				terminal.write(String(chunk), () => {
					done();
				});
			},
		}),
		{isTTY: true, columns, rows},
	);
	return {terminal, stream, written: () => chunks.join('')};
}

/**
 * Draws `element` as the product does (alternate screen, incremental, 60 frames a second) into a terminal emulator, with our
 * input front-end in front of Ink and around the element. To be held by `await using`.
 */
export async function renderTui(
	element: ReactNode,
	size: ScreenSize,
	{
		inputClock = createFakeClock(),
		colors = 3,
	}: {
		/** Decides when held keys (Escape) are let go; its own by default, so that keys move no other clock. */
		readonly inputClock?: Clock & {advance?(byMs: number): void};
		readonly colors?: ColorLevel;
	} = {},
): Promise<Screen> {
	await setColorLevel(colors);
	const keyboard = createFakeTerminal();
	const display = createDisplay(size);
	const frontend = createInputFrontend(keyboard.stream, {clock: inputClock});
	const wrap = (node: ReactNode) => <InputContext value={frontend}>{node}</InputContext>;
	const instance: Instance = render(wrap(element), {
		stdin: frontend.stdin,
		stdout: display.stream as unknown as NodeJS.WriteStream,
		stderr: new Writable({write: (_chunk, _encoding, done) => done()}) as NodeJS.WriteStream,
		alternateScreen: true,
		incrementalRendering: true,
		interactive: true,
		maxFps: 60,
		exitOnCtrlC: false,
		patchConsole: false,
	});
	const exited = instance.waitUntilExit();
	exited.catch(() => {});

	const settled = async () => {
		// React commits what a resize or a store did within two turns; what that causes may take two more.
		for (let quiet = 0; quiet < 2 || frontend.busy(); quiet++) {
			const before = display.written().length;
			// oxlint-disable-next-line no-await-in-loop -- turn after turn
			await turnOfTheLoop();
			// oxlint-disable-next-line no-await-in-loop -- turn after turn
			await instance.waitUntilRenderFlush();
			quiet = display.written().length === before ? quiet : -1;
		}
	};

	const feed = async (bytes: string | Buffer) => {
		keyboard.type(bytes);
		// What is held for its rest (Escape) is let go.
		inputClock.advance?.(100);
		await settled();
	};

	const lineAt = (row: number) => display.terminal.buffer.active.getLine(row);
	const cell = (row: number, column: number) => cellOf(lineAt(row)?.getCell(column));

	await settled();
	return {
		lines: () =>
			Array.from(
				{length: display.terminal.rows},
				(_, row) => lineAt(row)?.translateToString(true).trimEnd() ?? '',
			),
		cell,
		picture: () =>
			JSON.stringify(
				Array.from({length: display.terminal.rows}, (_, row) =>
					Array.from({length: display.terminal.cols}, (__, column) => cell(row, column)),
				),
			),
		async press(...keys) {
			for (const key of keys) {
				// oxlint-disable-next-line no-await-in-loop -- one key after the other
				await feed(bytesOfKey(key));
			}
		},
		type: feed,
		paste: async text => feed(`\u001B[200~${text}\u001B[201~`),
		feed,
		async resize({columns, rows}) {
			display.terminal.resize(columns, rows);
			Object.assign(display.stream, {columns, rows});
			display.stream.emit('resize');
			await settled();
		},
		async rerender(node) {
			instance.rerender(wrap(node));
			await settled();
		},
		settled,
		clear() {
			instance.clear();
		},
		written: display.written,
		frontend,
		isRaw: () => keyboard.isRaw(),
		exited,
		async [Symbol.asyncDispose]() {
			instance.unmount();
			await exited.catch(() => {});
			frontend[Symbol.dispose]();
			display.terminal.dispose();
		},
	};
}

const blank = {
	text: '',
	foreground: 'default',
	background: 'default',
	bold: false,
	dim: false,
	inverse: false,
	underline: false,
};

function cellOf(cell: IBufferCell | undefined): ScreenCell {
	if (!cell) {
		return blank;
	}

	const hex = (color: number) => `#${color.toString(16).padStart(6, '0')}`;
	const foreground = cell.isFgRGB() ? hex(cell.getFgColor()) : String(cell.getFgColor());
	const background = cell.isBgRGB() ? hex(cell.getBgColor()) : String(cell.getBgColor());
	return {
		// A cell that was erased looks like a blank one.
		text: cell.getChars() || ' '.repeat(cell.getWidth()),
		foreground: cell.isFgDefault() ? 'default' : foreground,
		background: cell.isBgDefault() ? 'default' : background,
		bold: cell.isBold() !== 0,
		dim: cell.isDim() !== 0,
		inverse: cell.isInverse() !== 0,
		underline: cell.isUnderline() !== 0,
	};
}
