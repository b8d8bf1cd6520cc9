import {derive} from '../../core/derive.ts';
import {installLines, type InstallLine, type InstallReview} from '../../core/install.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import {dialogState, type DialogOf, type DialogState, type Page} from '../acts/dialog.ts';
import {seenSheet} from '../acts/seen-sheet.ts';
import {tooEarly} from '../acts/sheet.ts';
import {arming} from '../approvals/guard.ts';
import {judgeSeen, type AskedParts, lockReason} from '../approvals/seen-rows.ts';
import type {SheetLayout} from '../approvals/sheet-layout.ts';
import type {Sheet} from '../approvals/sheet.ts';
import {line, wrapText, type Line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {Size} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';

/** An install link awaiting a person's decision. */
export type InstallSheet = Pick<Sheet, 'top' | 'seen'> & {
	readonly link: string;
	readonly review: InstallReview;
	/** `WaitingInstall.id` if the link was opened outside of the interface. */
	readonly waiting?: number | undefined;
};

type Deciding = {readonly sheet: InstallSheet};

/** A step that asks for a typed name. */
type Naming = Deciding & {readonly text: LineText};

/** The step that decides about the link. */
export const installChoice = dialogState<Deciding>('install');

/** The step that asks for the server's name, if the server is a program to run here. */
export const installConfirm = dialogState<Naming>('install-confirm');

/** The step that asks for another name than the link's. */
export const installRename = dialogState<Naming>('install-rename');

/** Opens a link's sheet. Nothing may be installed before all of it is drawn. */
export function openInstall(
	shell: Shell,
	asked: Pick<InstallSheet, 'link' | 'review' | 'waiting'>,
): void {
	shell.guard.asked();
	const sheet = {...asked, top: 0, seen: {}};
	installChoice.open(shell, {sheet}, {field: undefined, toast: undefined});
}

/** What a step's footer depends on besides its state. */
type FooterFacts = {
	readonly width: number;
	/** Why no key may install now; absent if one may. */
	readonly locked: Safe | undefined;
};

/** The sheet as drawn: the entry to install scrolls above the fixed question of the step. */
type InstallLayout = Page &
	Pick<SheetLayout, 'height' | 'locked' | 'most' | 'verdict'> & {
		readonly asked: NonNullable<Page['asked']>;
	};

/**
 * Defines a step of the sheet; its question is drawn by `footerOf`. The same guard as on an approval sheet decides whether a key press may install; a refused
 * press shows why and delays the next one.
 */
export function sheetOf<State extends Deciding>(
	dialog: DialogState<State>,
	footerOf: (state: State, facts: FooterFacts) => readonly Line[],
) {
	// Another name, step or screen size must be drawn again before it can be installed.
	const nameOf = ({sheet: {review}}: State, {columns, rows}: Size): string =>
		`${dialog.kind} ${review.name} ${columns}x${rows}`;

	const layOut = (state: State, shell: Shell, at = shell.clock.monotonic()): InstallLayout => {
		const {size} = shell.view.get();
		const {columns: width} = size;
		const {review, seen, top: wanted} = state.sheet;
		const of = nameOf(state, size);
		const height = shell.layout().bodyHeight;
		const footerWith = (locked: Safe | undefined): readonly Line[] => [
			line(escapeLine(`  ${'─'.repeat(Math.max(0, width - 4))}`), 'quiet'),
			...footerOf(state, {width, locked}),
		];
		const content = contentOf(review, width);
		const footerRows = footerWith(undefined).length;
		const rows = Math.max(1, height - footerRows);
		const most = Math.max(0, content.length - rows);
		const top = Math.max(0, Math.min(wanted, most));
		const window = height > footerRows ? {first: top, last: top + rows - 1} : undefined;
		const asked: AskedParts = {
			[part]: {
				of: `${review.name} ${size.columns}x${size.rows}`,
				rows: content.map(spans => spans.map(({text}) => text).join('')),
				needed: content.length,
				shown: window ? [window] : [],
				isFilledIn: false,
			},
		};
		const verdict = judgeSeen(seen, asked, {now: at, restMs: arming.drawnMs});
		const locked = lockReason({
			sheet: {wasPaged: true},
			part,
			window,
			isWhole: true,
			verdict,
			waitMs: shell.guard.waitMs(of),
			size,
		});
		return {
			title: [
				[{text: literal('Install a tool server'), tone: 'title'}],
				[{text: escapeLine(review.name)}],
				locked === undefined ? [] : [{text: locked, tone: 'quiet'}],
			],
			rows: content,
			footer: footerWith(locked),
			top,
			most,
			height: Math.min(rows, height),
			asked: {of, asked},
			verdict,
			locked,
		};
	};

	const layoutOf = (shell: Shell): InstallLayout | undefined => {
		const state = dialog.now(shell);
		return state && layOut(state, shell);
	};

	const {scroll, noteShown} = seenSheet(dialog, {nameOf, layoutOf});
	return {
		layoutOf,
		scroll,
		record: {
			page: (state, shell) => layOut(state, shell),
			shown: noteShown,
			guard(shell, press) {
				const state = dialog.now(shell);
				if (!state || shell.layout().isTooSmall) {
					return false;
				}

				const {locked, verdict, asked} = layOut(state, shell, press.t);
				if (locked === undefined && shell.guard.permits(asked.of, press)) {
					return true;
				}

				shell.guard.disturbed(press.t);
				shell.toast(
					locked !== undefined && verdict.kind === 'unseen'
						? safe`Not everything was on the screen: ${locked}`
						: tooEarly,
					'warn',
				);
				return false;
			},
			isWatched: true,
			tells: 'installs',
		} satisfies Partial<DialogOf<State>>,
	};
}

const part = 'install';

/** More rows than an entry of 32 KiB needs on the narrowest screen. */
const maxRows = 20_000;

const tones: Readonly<Record<InstallLine['tone'], Tone>> = {
	strong: 'strong',
	plain: 'plain',
	danger: 'warn',
};

/** Everything that would be installed, at a width; memoised. */
const contentOf = derive((review: InstallReview, width: number): readonly Line[] =>
	installLines(review).flatMap(({text, tone, isProse}) => {
		const broken = isProse ? wrapText(text, width - 5) : hardWrap(text, width - 5, maxRows).rows;
		return broken.map((row, index) =>
			line(index === 0 ? safe`  ${row}` : safe`    ${row}`, tones[tone]),
		);
	}),
);
