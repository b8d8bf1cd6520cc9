import {derive} from '../../core/derive.ts';
import {installLines, type InstallLine} from '../../core/install-lines.ts';
import type {InstallReview} from '../../core/install.ts';
import type {Safe} from '../../core/untrusted.ts';
import {hardWrap} from '../../terminal/text/hard-wrap.ts';
import {shownLine} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {arming} from '../approvals/guard.ts';
import {judgeSeen, type AskedParts} from '../approvals/seen-rows.ts';
import type {SheetInputs, SheetLayout} from '../approvals/sheet-layout.ts';
import {lockReason} from '../approvals/sheet-lock.ts';
import {clean, line, wrapText, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import type {InstallSheet} from './install-sheet.ts';

/** The sheet as it is drawn: what would be installed scrolls, the choices under it stay. */
export type InstallLayout = Pick<
	SheetLayout,
	'asked' | 'content' | 'footer' | 'height' | 'locked' | 'most' | 'title' | 'top' | 'verdict'
>;

export type InstallInputs = Pick<SheetInputs, 'at' | 'height' | 'size' | 'waitMs'> & {
	readonly sheet: InstallSheet;
};

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

/** Lays the sheet out for the screen as it is. */
export function layoutInstall({sheet, size, height, waitMs, at}: InstallInputs): InstallLayout {
	const {columns: width} = size;
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
