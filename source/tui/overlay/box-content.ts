import type {Safe} from '../../core/untrusted.ts';
import {shownLine, type LineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {nameWords} from '../acts/type-name.ts';
import {howToKeep} from '../commands/leaving.ts';
import {waitingLogins} from '../entries/login-entry.ts';
import {blankLine, clean, line, wrapText, type Line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {Overlay} from '../state/view.ts';
import {helpBox} from './help-box.ts';
import {keyLines} from './key-lines.ts';
import {confirmLines, firstRunLines, menuLines, quitLines} from './overlay-lines.ts';
import {paletteBox} from './palette-box.ts';
import {setupLines} from './setup-lines.ts';
import {statesBox} from './states-box.ts';
import {trialLines} from './trial-lines.ts';

/** What stands in the box of a dialog. */
export type BoxContent = {
	readonly title: readonly Line[];
	readonly rows: readonly Line[];
	/** The row that has to be seen where not all have room. */
	readonly shown?: number;
	/** The first row of what can be scrolled, as it is shown. */
	readonly top?: number;
	/** Cells inside of the border; as many as the widest row needs when absent. */
	readonly width?: number;
	/** A text field over the first row. */
	readonly field?: BoxField;
};

export type BoxField = {
	readonly value: string;
	readonly note: Safe;
	readonly onChange: (value: string) => void;
};

/** What lies over a pane in a box. A sheet takes the place of the pane: what was asked of a person there is counted by its rows; an answer is a page of its own. */
export type Dialog = Exclude<Overlay, {kind: 'approval' | 'install' | 'answer'}>;

export const isDialog = (overlay: Overlay): overlay is Dialog =>
	overlay.kind !== 'approval' && overlay.kind !== 'install' && overlay.kind !== 'answer';

/** No line of prose is longer, however wide the screen is. */
const widestText = 76;

/** The contents of a dialog, for at most `room` cells and rows inside of its border. */
export function boxContent(
	overlay: Dialog,
	shell: Shell,
	room: {readonly width: number; readonly height: number},
): BoxContent {
	const width = Math.min(room.width, widestText);
	switch (overlay.kind) {
		case 'help':
			return helpBox(shell.pane(), {...overlay, isReadOnly: shell.port.isReadOnly === true}, room);
		case 'palette':
			return paletteBox(shell, overlay, room);
		case 'states':
			return statesBox({...shell.feed.get(), top: overlay.top}, room);
		case 'quit':
			return {
				title: titled(literal('Quit?')),
				rows: quitLines(
					{
						embedded: shell.port.embedded,
						howToKeep: howToKeep(shell),
						pid: shell.feed.get().state.gateway.pid,
						consequences: overlay.consequences,
						logins: waitingLogins(shell.logins.attempts()),
					},
					width,
				),
			};
		case 'confirm':
			return {title: titled(overlay.title), rows: confirmLines(overlay, width)};
		case 'menu': {
			const {rows, chosenRow} = menuLines(overlay, width);
			return {title: titled(overlay.title), rows, shown: chosenRow};
		}

		case 'first-run':
			return {
				title: titled(clean(overlay.card.title ?? 'Welcome to svc')),
				rows: firstRunLines(overlay.card, shell.feed.get().state, room.width),
			};
		case 'install-link':
			return {
				title: titled(literal('Install a tool server')),
				width,
				...asked(
					[
						line(literal('  Paste the link here: svc://mcp/install?name=…&config=…')),
						line(literal('  It is shown whole before anything is installed.'), 'quiet'),
						blankLine,
					],
					overlay.text,
					{width},
				),
			};
		case 'login-paste':
			return {
				title: [
					...titled(literal('Paste the URL of the browser')),
					[{text: clean(overlay.place.server)}],
				],
				width,
				...asked(
					[...pasteWords.flatMap(words => told(words, width, 'quiet')), blankLine],
					overlay.text,
					{
						width,
						problem: overlay.problem,
					},
				),
			};
		case 'type-name':
			return {
				title: titled(overlay.title),
				width,
				...asked(
					[
						...overlay.lines.flatMap(words => told(words, width)),
						blankLine,
						...told(
							safe`Type ${nameWords(overlay)} and press Enter to ${overlay.act}.`,
							width,
							'quiet',
						),
					],
					overlay.text,
					{
						width,
						problem:
							overlay.isWrong === true
								? literal('That is not the name: nothing was done')
								: undefined,
					},
				),
			};
		case 'trial':
			return trialLines(overlay.trial, room.width);
		case 'setup':
			return setupLines(overlay.card, room);
		case 'key':
			return keyLines(overlay.card, room);
	}
}

const pasteWords = [
	'Paste the whole address that the browser ended on: that of a page that does not load.',
	'It is good for this login alone, and once.',
];

const titled = (text: Safe): readonly Line[] => [[{text, tone: 'title'}]];

const told = (words: string, width: number, tone: 'plain' | 'quiet' = 'plain'): readonly Line[] =>
	wrapText(words, width - 4).map(row => line(safe`  ${row}`, tone));

/** A question with the line that is being typed, and what is wrong with it. */
function asked(
	lines: readonly Line[],
	text: LineText,
	{width, problem}: {readonly width: number; readonly problem?: Safe | undefined},
): Pick<BoxContent, 'rows' | 'shown'> {
	return {
		rows: [
			blankLine,
			...lines,
			[{text: literal('  > '), tone: 'accent'}, {text: shownLine(text, {width: width - 6})}],
			...(problem === undefined
				? []
				: wrapText(problem, width - 6).map(row => line(safe`    ${row}`, 'bad'))),
		],
		shown: lines.length + 1,
	};
}
