import {derive} from '../../core/derive.ts';
import {installLines, type InstallLine} from '../../core/install-lines.ts';
import type {InstallReview} from '../../core/install.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {hardWrap} from '../../terminal/text/hard-wrap.ts';
import {shownLine, type LineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {dialogState} from '../acts/dialog.ts';
import {seenSheet} from '../acts/seen-sheet.ts';
import {tooEarly} from '../acts/sheet.ts';
import {arming} from '../approvals/guard.ts';
import {judgeSeen, type AskedParts, type SeenParts} from '../approvals/seen-rows.ts';
import type {SheetLayout} from '../approvals/sheet-layout.ts';
import {lockReason} from '../approvals/sheet-lock.ts';
import {clean, line, wrapText, type Line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {Size} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';

/** What the sheet asks for now. */
export type InstallStep =
	| {readonly kind: 'choose'}
	/** The server's name is typed, where it is a program that would run here. */
	| {readonly kind: 'confirm'; readonly text: LineText}
	/** Another name than the link's. */
	| {readonly kind: 'rename'; readonly text: LineText};

/** An install link that a person decides on. */
export type InstallSheet = {
	readonly link: string;
	readonly review: InstallReview;
	/** `WaitingInstall.id` of a link that was opened elsewhere. */
	readonly waiting?: number;
	readonly step: InstallStep;
	/** The first row that is shown. */
	readonly top: number;
	/** What of it has been on the screen. */
	readonly seen: SeenParts;
};

/** What the guard calls a sheet as it is shown: anything else has to be drawn anew before a key may install. */
export const installName = ({review, step}: InstallSheet, {columns, rows}: Size): string =>
	`install ${review.name} ${step.kind} ${columns}x${rows}`;

/** A tool server from a link. */
export const installSheet = dialogState<{readonly sheet: InstallSheet}>('install');

/** The sheet that is open; `undefined` when there is none. */
export const installNow = (shell: Pick<Shell, 'view'>): InstallSheet | undefined =>
	installSheet.now(shell)?.sheet;

/** Opens the sheet of a link. Nothing may be installed before all of it is drawn. */
export function openInstall(
	shell: Shell,
	{link, review, waiting}: {link: string; review: InstallReview; waiting?: number | undefined},
): void {
	shell.guard.asked();
	installSheet.open(
		shell,
		{
			sheet: {
				link,
				review,
				...(waiting !== undefined && {waiting}),
				step: {kind: 'choose'},
				top: 0,
				seen: {},
			},
		},
		{field: undefined, toast: undefined},
	);
}

export const {
	goTo: goToInstallStep,
	scroll: scrollInstall,
	noteShown: noteInstallShown,
} = seenSheet(installSheet, {
	nameOf: installName,
	layoutOf: shell => installLayout(shell),
});

/** Whether this key press may install: as for what an approval allows. A press that may not says why, and puts the next one off. */
export function mayInstall(shell: Shell, press: KeyEvent): boolean {
	const sheet = installNow(shell);
	const layout = installLayout(shell, press.t);
	if (!sheet || !layout || shell.layout().isTooSmall) {
		return false;
	}

	const {locked, verdict} = layout;
	if (
		locked === undefined &&
		shell.guard.permits(installName(sheet, shell.view.get().size), press)
	) {
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
}

/** The sheet as it is drawn: what would be installed scrolls, the choices under it stay. */
type InstallLayout = Pick<
	SheetLayout,
	'asked' | 'content' | 'footer' | 'height' | 'locked' | 'most' | 'title' | 'top' | 'verdict'
>;

const part = 'install';

/** More than an entry of 32 KiB can have on the narrowest screen. */
const maxRows = 20_000;

const tones: Readonly<Record<InstallLine['tone'], Tone>> = {
	strong: 'strong',
	plain: 'plain',
	danger: 'warn',
};

/** All of what would be installed, at a width; laid out once. */
const contentOf = derive((review: InstallReview, width: number): readonly Line[] =>
	installLines(review).flatMap(({text, tone, isProse}) => {
		const broken = isProse ? wrapText(text, width - 5) : hardWrap(text, width - 5, maxRows).rows;
		return broken.map((row, index) =>
			line(index === 0 ? safe`  ${row}` : safe`    ${row}`, tones[tone]),
		);
	}),
);

/** The open sheet as it looks at a time; `undefined` when there is none. */
export function installLayout(
	shell: Shell,
	at = shell.clock.monotonic(),
): InstallLayout | undefined {
	const sheet = installNow(shell);
	if (!sheet) {
		return undefined;
	}

	const {size} = shell.view.get();
	const {columns: width} = size;
	const height = shell.layout().bodyHeight;
	const waitMs = shell.guard.waitMs(installName(sheet, size));
	const content = contentOf(sheet.review, width);
	const footerRows = footerOf(sheet, {width, locked: undefined}).length;
	const rows = Math.max(1, height - footerRows);
	const most = Math.max(0, content.length - rows);
	const top = Math.max(0, Math.min(sheet.top, most));
	const window = height > footerRows ? {first: top, last: top + rows - 1} : undefined;
	const asked: AskedParts = {
		[part]: {
			of: `${sheet.review.name} ${size.columns}x${size.rows}`,
			rows: content.map(spans => spans.map(({text}) => text).join('')),
			needed: content.length,
			shown: window ? [window] : [],
			isFilledIn: false,
		},
	};
	const verdict = judgeSeen(sheet.seen, asked, {now: at, restMs: arming.drawnMs});
	const locked = lockReason({
		sheet: {wasPaged: true},
		part,
		window,
		isWhole: true,
		verdict,
		waitMs,
		size,
	});
	return {
		title: [
			[{text: literal('Install a tool server'), tone: 'title'}],
			[{text: clean(sheet.review.name)}],
			locked === undefined ? [] : [{text: locked, tone: 'quiet'}],
		],
		content,
		footer: footerOf(sheet, {width, locked}),
		top,
		most,
		height: Math.min(rows, height),
		asked,
		verdict,
		locked,
	};
}

type FooterFacts = {readonly width: number; readonly locked: Safe | undefined};

function footerOf(
	{review: {kind, name, exists}, step}: InstallSheet,
	{width, locked}: FooterFacts,
): readonly Line[] {
	const rule = line(clean(`  ${'─'.repeat(Math.max(0, width - 4))}`), 'quiet');
	switch (step.kind) {
		case 'choose':
			return [
				rule,
				exists
					? key('i', literal('that name is taken: n gives it another one'), 'quiet')
					: key(
							'i',
							kind === 'program'
								? safe`install ${clean(name)} (asks for its name)${waits(locked)}`
								: safe`install ${clean(name)}${waits(locked)}`,
							locked === undefined ? 'plain' : 'quiet',
						),
				key('n', literal('give it another name')),
				key('d', literal('drop the link, install nothing')),
			];
		case 'confirm':
			return [
				rule,
				line(safe`    this lets a program run on this machine, as you`, 'warn'),
				line(
					safe`    type the server's name to install it, then enter · ${locked ?? literal('Esc goes back')}`,
				),
				typed(shownLine(step.text, {width: width - 12})),
			];
		case 'rename':
			return [
				rule,
				line(
					literal('    another name: letters, digits, ".", "_", "-"; then enter · Esc goes back'),
				),
				typed(shownLine(step.text, {width: width - 12})),
			];
	}
}

const typed = (text: Safe): Line => [{text: literal('      > '), tone: 'accent'}, {text}];

const waits = (locked: Safe | undefined): Safe =>
	locked === undefined ? literal('') : safe` · ${locked}`;

const key = (name: string, text: Safe, tone: Tone = 'plain'): Line => [
	{text: clean(`    ${name}  `), tone: tone === 'quiet' ? 'quiet' : 'accent'},
	{text, tone},
];
