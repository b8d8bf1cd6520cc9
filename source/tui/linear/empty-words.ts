import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {filteredLines} from '../lines/empty.ts';
import {clean} from '../lines/line.ts';
import {readWidth} from '../lines/reading.ts';
import type {Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import {spokenLines} from './spoken.ts';

/** What is said of a list that shows nothing: it has nothing, or nothing passes its filter, as far as was looked. */
export function emptyWords(shell: Shell, list: AnyList): readonly Safe[] {
	const {title} = shell.section();
	const {total, isWhole, filterText} = list.get();
	if (total === 0) {
		return [safe`${title}:`, ...shell.pane().empty(shell.feed.get().state).map(clean)];
	}

	if (isWhole) {
		return [
			safe`${title}: nothing passes the filter ${clean(filterText)}. "filter off" clears it.`,
		];
	}

	// The last of them names keys.
	const said = spokenLines(filteredLines(list, readWidth).slice(0, -1));
	return [
		...said.map(text => safe`${title}: ${text}`),
		literal('"list" reads what is found by then, "filter off" clears the filter.'),
	];
}
