import type {CallPreview} from '../../core/approval.ts';
import type {FromEvent} from '../../core/approvals/from-event.ts';
import type {JsonValue} from '../../core/json.ts';
import {quotedName} from '../../core/names.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {linesLeftOut, previewLine} from '../../nouns/approval/preview-lines.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import {wrapText, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import {
	argumentRows,
	type ArgumentRows,
	head,
	indent,
	maxArgumentRows,
	originText,
	remarkRows,
	cutRows,
} from './argument-rows.ts';

/** Tones of a diff's lines by their first character; lines of a command are all strong. */
const lineTones: Readonly<Record<string, Tone>> = {
	'+': 'good',
	'-': 'bad',
	' ': 'plain',
	'@': 'quiet',
};

/**
 * svc's preview of a call in rows of `width` cells: every line of its command or change, complete. If there are too many, the arguments follow. Bounded as
 * `argumentRows` are.
 */
export function previewRows(
	preview: CallPreview,
	args: JsonValue,
	{width, fromEvent}: {readonly width: number; readonly fromEvent: readonly FromEvent[]},
): ArgumentRows {
	const {lines} = preview;
	if (!lines) {
		const rest = argumentRows(args, {last: undefined, width, fromEvent});
		const note = wrapText(linesLeftOut(preview), width - indent).map((row): Line => [
			head(literal(' '), literal(' ')),
			{text: row, tone: 'warn'},
		]);
		return {...rest, rows: [...note, ...rest.rows]};
	}

	const rows = fromEvent.flatMap(origin =>
		remarkRows(
			safe`${escapeLine(quotedName(origin.argument))}: ${originText(origin)}`,
			width - indent,
		),
	);
	let flags = 0;
	for (const text of lines) {
		const isChange = preview.title === 'change';
		const shown = previewLine(text, preview);
		flags += shown.flags;
		const wrapped = hardWrap(shown.text, width - indent, maxArgumentRows + 1 - rows.length);
		const tone = isChange ? (lineTones[text[0] ?? ''] ?? 'quiet') : 'strong';
		const sign = shown.sign ?? literal(' ');
		rows.push(
			...wrapped.rows.map((part, row): Line => [
				{text: safe`${row === 0 ? gutter.line : gutter.goesOn} `, tone: 'warn'},
				{text: safe`${row === 0 ? sign : literal(' ')} ${part}`, tone},
			]),
		);
		if (!wrapped.isWhole || rows.length > maxArgumentRows) {
			return cutRows(rows, {count: lines.length, flags});
		}
	}

	return {rows, count: lines.length, isWhole: true, flags};
}
