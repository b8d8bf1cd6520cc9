import {safe} from '../../terminal/text/safe.ts';
import type {Line} from '../panes/line.ts';
import {marksPart} from '../panes/marks.ts';
import {staleFor} from '../state/stale.ts';
import type {Shell} from './shell.ts';
import {filterSpans, ruleLine} from './title-parts.ts';

/** Title, filter and summary of the open pane, and whether it is stale, in one rule of `width` cells. */
export function paneTitle(shell: Shell, width: number): Line {
	const {title, sections, summary} = shell.pane();
	const [{listing}] = sections;
	const {filterText, filter} = listing
		? shell.list(listing.list).get()
		: {filterText: '', filter: undefined};
	const staleMs = staleFor(shell.feed.get());
	return ruleLine(
		[
			[{text: title, tone: 'title'}],
			filter ? filterSpans(filterText, filter) : [],
			listing?.marks ? marksPart(shell, listing.marks) : [],
			...summary(shell),
			staleMs === undefined
				? []
				: [{text: safe`stale, last heard ${Math.floor(staleMs / 1000)} s ago`, tone: 'warn'}],
		],
		width,
	);
}
