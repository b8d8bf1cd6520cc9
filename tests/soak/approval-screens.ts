import {Writable} from 'node:stream';
import {render} from 'ink';
import {createElement} from 'react';
import type {InputFrontend} from '../../source/terminal/input/input-frontend.ts';
import {dialogNow} from '../../source/tui/acts/dialog.ts';
import {handleKey, handlePaste} from '../../source/tui/commands/scopes.ts';
import {App} from '../../source/tui/frame/app.tsx';
import {InputContext} from '../../source/tui/input/use-keys.ts';
import {clipLine, type Line} from '../../source/tui/lines/line.ts';
import {ruleLine} from '../../source/tui/lines/title-parts.ts';
import type {Shell} from '../../source/tui/shell/shell.ts';
import type {Size} from '../../source/tui/state/view.ts';
import {setColorLevel} from '../helpers/color-level.ts';

/** Draws the interface, and hands every frame to `show`. */
export type ApprovalScreen = {
	/** Everything that is to be drawn is drawn. */
	draw(): Promise<void>;
	resize(size: Size): void;
	close(): void;
};

type Parts = {
	readonly shell: Shell;
	readonly frontend: InputFrontend;
	readonly size: Size;
	readonly show: (rows: readonly string[]) => void;
};

const turn = async () =>
	new Promise<void>(resolve => {
		setImmediate(resolve);
	});

/** The interface itself: what Ink writes, frame after frame. */
export async function inkScreen({shell, frontend, size, show}: Parts): Promise<ApprovalScreen> {
	await setColorLevel(0);
	let frames = 0;
	const stdout = Object.assign(
		new Writable({
			decodeStrings: false,
			write(chunk, _encoding, done) {
				const rows = String(chunk).split('\n');
				frames++;
				// Ink also switches modes of the terminal.
				if (rows.length > 1) {
					show(rows);
				}

				done();
			},
		}),
		{isTTY: true, ...size},
	);
	const instance = render(
		createElement(InputContext, {value: frontend}, createElement(App, {shell})),
		{
			stdin: frontend.stdin,
			stdout: stdout as unknown as NodeJS.WriteStream,
			stderr: new Writable({write: (_chunk, _encoding, done) => done()}) as NodeJS.WriteStream,
			// Each frame is written whole, as it would look.
			debug: true,
			interactive: true,
			exitOnCtrlC: false,
			patchConsole: false,
		},
	);
	return {
		async draw() {
			for (let quiet = 0; quiet < 2; quiet++) {
				const before = frames;
				// oxlint-disable-next-line no-await-in-loop -- turn after turn
				await turn();
				quiet = frames === before ? quiet : -1;
			}
		},
		resize(next) {
			Object.assign(stdout, next);
			stdout.emit('resize');
		},
		close() {
			instance.unmount();
		},
	};
}

/** Puts the rows of a sheet together as the view does, and tells the shell as the view does; thirty times as fast as Ink. */
export async function rowScreen({shell, frontend, show}: Parts): Promise<ApprovalScreen> {
	frontend.stdin.setRawMode(true);
	frontend.onKey(key => handleKey(shell, key));
	frontend.onPaste(paste => handlePaste(shell, paste));
	const textOf = (row: Line, width: number) =>
		clipLine(row, width)
			.map(({text}) => text)
			.join('');
	return {
		async draw() {
			const {columns, rows} = shell.view.get().size;
			const {bodyHeight, isTooSmall} = shell.layout();
			const {dialog, state} = dialogNow(shell) ?? {};
			const page =
				state && !isTooSmall
					? dialog?.page?.(state, shell, {width: columns, height: bodyHeight})
					: undefined;
			if (!page?.asked) {
				show(Array.from({length: rows}, () => ''));
				return;
			}

			const {title, rows: content, top, height = 0, footer = [], width = columns, asked} = page;
			const window = Math.max(0, Math.min(height, content.length, bodyHeight - footer.length));
			const start = Math.max(0, Math.min(top, content.length - window));
			const drawn = [
				textOf(ruleLine(title, columns), columns),
				...content.slice(start, start + window).map(row => textOf(row, width)),
				...footer.map(row => textOf(row, width)),
			];
			show([...drawn, ...Array.from({length: rows - drawn.length}, () => '')].slice(0, rows));
			dialog?.shown?.(shell, asked);
		},
		resize() {},
		close() {},
	};
}
