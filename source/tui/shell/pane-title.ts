import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {type Line, fillLine, line, lineWidth} from '../lines/line.ts';
import {marksPart} from '../lines/marks.ts';
import {filterSpans, ruleLine} from '../lines/title-parts.ts';
import {staleFor} from '../state/feed.ts';
import type {Shell} from './shell.ts';

/** The open pane's title, filter, summary and staleness, in a rule of `width` cells. */
export function paneTitle(shell: Shell, width: number): Line {
	const {title, sections, summary} = shell.pane();
	const [{listing}] = sections;
	const {filterText, filter} = listing
		? shell.list(listing.list).get()
		: {filterText: '', filter: undefined};
	const staleMs = staleFor(shell.feed.get());
	const {showsList, showsDetail, listWidth, gutter, mark} = shell.layout();
	const isDetail = hasKeyboard(shell, 'detail');
	const isAlone = showsDetail && !showsList;
	const parts = [
		line(title, 'title'),
		...(isAlone ? [detailPart] : []),
		filter ? filterSpans(filterText, filter) : [],
		listing?.marks ? marksPart(shell, listing.marks) : [],
		...summary(shell),
		staleMs === undefined
			? []
			: line(safe`stale, last heard ${Math.floor(staleMs / 1000)} s ago`, 'warn'),
	];
	if (isAlone || gutter === 0) {
		return ruleLine(parts, width, {
			hasKeyboard: isAlone ? isDetail : hasKeyboard(shell, 'list') && isFirst(shell),
		});
	}

	const between = gutter + mark;
	// A long title takes room from the detail's rule, but not from its text.
	const wanted = Math.max(listWidth, lineWidth(ruleLine(parts, 0)));
	const left = Math.min(wanted, width - between - detailCells);
	return [
		...fillLine(ruleLine(parts, left, {hasKeyboard: hasKeyboard(shell, 'list')}), left),
		{text: escapeLine(' '.repeat(between))},
		...ruleLine([detailPart], width - left - between, {hasKeyboard: isDetail}),
	];
}

const detailPart: Line = [{text: literal('Detail'), tone: 'title'}];
const detailCells = 12;

/** Whether this region or a field that belongs to it is focused. */
const hasKeyboard = ({view}: Shell, region: 'list' | 'detail'): boolean =>
	view.get().region === region && view.get().overlay === undefined;

/** The pane's title describes its first section; other sections have titles of their own. */
const isFirst = (shell: Shell): boolean =>
	shell.section() === shell.pane().sections[0] || shell.section().listing === undefined;
