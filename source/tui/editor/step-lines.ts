import {compact} from '../../core/names.ts';
import type {RouteSavePlan, SavedRoute} from '../../core/route-editor.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {changeLines} from '../lines/diff-lines.ts';
import {blankLine, line, wrapText, type Line, paragraph} from '../lines/line.ts';
import type {EditorStep} from './editor-state.ts';

/** What saving would change. */
export const planLines = (plan: RouteSavePlan, width: number): readonly Line[] => [
	...changeLines(plan, width),
	line(literal('a writes it, Esc goes back to the form'), 'quiet'),
];

/** A new dynamic route, or a new secret: the only time that the secret is shown. */
export function savedLines(
	{saved, done, note}: Extract<EditorStep, {kind: 'saved'}>,
	{width, height}: {readonly width: number; readonly height: number},
): readonly Line[] {
	const said = [
		...done.map(text => line(safe`✓ ${text}`, 'good')),
		...paragraph(note, width),
		...addressLines(saved, width),
	];
	return [
		...said,
		...(saved.curl === undefined
			? []
			: curlLines(saved.curl, {width, height: height - said.length})),
	];
}

const addressLines = (saved: SavedRoute, width: number): readonly Line[] => {
	const {url, secret, warnings} = saved;
	return compact([
		blankLine,
		url !== undefined && line(literal('URL'), 'quiet'),
		...(url === undefined ? [] : paragraph(url, width)),
		secret !== undefined && line(literal('Secret, which will not be shown again'), 'warn'),
		secret !== undefined && line(escapeLine(secret), 'strong'),
		...warnings.flatMap(text => paragraph(`! ${text}`, width, 'warn')),
	]);
};

/** How many rows of the command line are shown if it does not fit: it is there to be copied, and must not push the rest off the screen. */
const curlRows = 3;

function curlLines(
	curl: string,
	{width, height}: {readonly width: number; readonly height: number},
): readonly Line[] {
	const rows = wrapText(curl, width);
	const head = [blankLine, line(literal('A signed test event'), 'quiet')];
	const more = head.length + rows.length <= height ? 0 : rows.length - curlRows;
	return [
		...head,
		...rows.slice(0, rows.length - Math.max(0, more)).map(row => line(row)),
		...(more > 0 ? [line(safe`… ${more} more rows: c copies it whole`, 'quiet')] : []),
	];
}
