import {termWords} from '../../core/filter/filter.ts';
import type {Safe} from '../../core/untrusted.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {change, moveCursor, openDetail} from '../acts/navigate.ts';
import {placeIn} from '../lines/detail-cursor.ts';
import {rowHolds} from '../lines/detail.ts';
import {clean, type Line} from '../lines/line.ts';
import type {ReadRow} from '../lines/reading.ts';
import {countText} from '../lines/title-parts.ts';
import type {PaneListing} from '../panes/pane.ts';
import type {Shell} from '../shell/shell.ts';
import {detailStart} from '../state/view.ts';
import type {Out} from './asked.ts';
import {emptyWords} from './empty-words.ts';
import {columnNames, spoken, spokenLines} from './spoken.ts';

/** Rows that are read at once. */
const pageRows = 10;

/** What is read of lists and details, and what the numbers in front of their rows mean. */
export type Reader = {
	/** Reads the list from its beginning: the newest of what comes by itself. */
	readonly list: () => void;
	/** Reads on. */
	readonly more: () => void;
	/** Selects a row that was read, and opens it; `false` where there is no such number. */
	readonly open: (number: number) => boolean;
	/** Reads the detail of what is selected. */
	readonly detail: () => void;
	/** The next row of the detail with these words in it. */
	readonly find: (words: string) => void;
	/** The row of the detail with this number. */
	readonly row: (number: number) => void;
	readonly filter: (words: string) => void;
	/** Says what is selected, where that was not said yet. */
	readonly announceRow: () => void;
	/** What is selected now was said. */
	readonly hasRows: () => boolean;
	/** Reads rows as they come; the way out. */
	readonly follow: () => (() => void) | undefined;
};

const textOf = ({line, note}: ReadRow): Safe => {
	const noted = note();
	return noted ? safe`${spoken(line())}, ${spoken(noted)}` : spoken(line());
};

/** Reads the lists of `shell` to `out`. */
export function createReader(shell: Shell, out: Out, onRows: () => void): Reader {
	let keys: readonly string[] = [];
	let readTo = 0;
	let listing: PaneListing | undefined;
	let announced: string | undefined;
	let isHeaderRead = new Set<PaneListing>();

	const rowsOf = (of: PaneListing): readonly ReadRow[] => {
		const rows = of.reading.rows(shell);
		return of.isLive ? rows.toReversed() : rows;
	};

	const readOn = () => {
		if (!listing) {
			return;
		}

		const rows = new Map(rowsOf(listing).map(row => [row.key, row]));
		const page = keys.slice(readTo, readTo + pageRows);
		page.forEach((key, index) => {
			const row = rows.get(key);
			const heading = row?.heading();
			if (heading) {
				out.say(safe`${spoken(heading)}:`);
			}

			out.say(safe`${readTo + index + 1}. ${row ? textOf(row) : literal('no longer there')}`);
		});
		readTo += page.length;
		const rest = keys.length - readTo;
		if (rest > 0) {
			out.say(safe`${rest} more: say more, or a number to open a row.`);
		}
	};

	const countedText = (of: PaneListing): Safe => {
		const list = shell.list(of.list);
		const {filterText, filter} = list.get();
		const problem =
			filter.problem === undefined ? empty : safe` (not applied: ${clean(filter.problem)})`;
		return filterText.trim() === ''
			? countText(list)
			: safe`${countText(list)}, filter ${clean(filterText)}${problem}`;
	};

	const selectedRow = (): ReadRow | undefined => {
		const {listing: of} = shell.section();
		const key = of && shell.list(of.list).selectedKey();
		return key === undefined ? undefined : of?.reading.rows(shell).find(row => row.key === key);
	};

	const reader: Reader = {
		hasRows: () => keys.length > 0,
		list() {
			onRows();
			({listing} = shell.section());
			change(shell, {region: 'list', search: '', ...detailStart});
			if (!listing) {
				return;
			}

			const list = shell.list(listing.list);
			list.move('pause');
			keys = rowsOf(listing).map(({key}) => key);
			readTo = 0;
			const {title} = shell.section();
			if (keys.length === 0) {
				for (const text of emptyWords(shell, list)) {
					out.say(text);
				}

				return;
			}

			out.say(
				safe`${title}, ${countedText(listing)}${listing.isLive ? literal(', the newest first') : empty}.`,
			);
			if (listing.reading.header && !isHeaderRead.has(listing)) {
				isHeaderRead = new Set([...isHeaderRead, listing]);
				out.say(safe`Columns: ${columnNames(listing.reading.header)}`);
			}

			readOn();
		},
		more() {
			if (!listing || shell.section().listing !== listing) {
				reader.list();
				return;
			}

			if (readTo < keys.length) {
				readOn();
				return;
			}

			const last = keys.at(-1);
			const now = rowsOf(listing).map(({key}) => key);
			const older = last === undefined ? [] : now.slice(now.indexOf(last) + 1);
			if (older.length > 0 && now.includes(last ?? '')) {
				keys = [...keys, ...older];
				readOn();
				return;
			}

			const list = shell.list(listing.list);
			if (listing.isLive && keys.length < list.get().total && last !== undefined) {
				// Coming near the end is what loads what is older.
				const before = list.selectedKey();
				list.select(last);
				if (before !== undefined) {
					list.select(before);
				}

				out.say(literal('Older ones are being loaded: say more once again.'));
			} else {
				out.say(literal('That was all.'));
			}
		},
		open(number) {
			const key = keys[number - 1];
			if (!listing || key === undefined || shell.section().listing !== listing) {
				return false;
			}

			const list = shell.list(listing.list);
			if (!list.select(key)) {
				out.say(literal('That row is no longer there: say list.'));
				return true;
			}

			announced = key;
			change(shell, {region: 'list', search: '', ...detailStart});
			openDetail(shell);
			return true;
		},
		detail() {
			const lines = spokenLines(shell.detail.lines());
			const row = selectedRow();
			out.read(lines.length > 0 ? lines : [row ? textOf(row) : literal('Nothing is selected.')]);
		},
		find(words) {
			const lines = shell.detail.lines();
			const wanted = words.trim().toLowerCase() || shell.view.get().search;
			const {cursor} = placeIn(lines, shell.view.get());
			const from = wanted === shell.view.get().search ? cursor + 1 : 0;
			const at = lines.findIndex((line, index) => index >= from && rowHolds(line, wanted));
			if (wanted === '' || at === -1) {
				change(shell, {search: wanted});
				out.say(
					wanted === ''
						? literal('Say find with words.')
						: safe`No further row holds ${clean(wanted)}.`,
				);
				return;
			}

			change(shell, {search: wanted});
			moveCursor(shell, at);
			out.say(safe`Row ${at + 1}: ${spoken(lines[at] ?? noLine)}`);
		},
		row(number) {
			const lines = shell.detail.lines();
			const line = lines[number - 1];
			if (line) {
				moveCursor(shell, number - 1);
				out.say(safe`Row ${number}: ${spoken(line)}`);
			} else {
				out.say(safe`It has ${lines.length} rows.`);
			}
		},
		filter(words) {
			const {listing: of} = shell.section();
			if (!of) {
				return;
			}

			const list = shell.list(of.list);
			const {filterText} = list.get();
			if (words === '') {
				out.say(
					filterText === ''
						? literal('No filter.')
						: safe`Filter: ${clean(filterText)}. "filter off" clears it.`,
				);
				out.say(safe`Words of it: ${clean(termWords(of.vocabulary))}, -not, "a phrase".`);
				return;
			}

			list.setFilter(words.toLowerCase() === 'off' ? '' : words);
			reader.list();
		},
		announceRow() {
			const {listing: of} = shell.section();
			const key = of && shell.list(of.list).selectedKey();
			if (key === announced) {
				return;
			}

			announced = key;
			const row = selectedRow();
			if (row) {
				out.say(safe`Selected: ${textOf(row)}`);
			}
		},
		follow() {
			const {listing: of} = shell.section();
			if (!of?.isLive) {
				return undefined;
			}

			const list = shell.list(of.list);
			let known = new Set(of.reading.rows(shell).map(({key}) => key));
			return list.subscribe(() => {
				const rows = of.reading.rows(shell);
				const fresh = rows.filter(({key}) => !known.has(key));
				if (fresh.length === 0) {
					return;
				}

				known = new Set(rows.map(({key}) => key));
				const [shown, left] = [fresh.slice(-pageRows), Math.max(0, fresh.length - pageRows)];
				if (left > 0) {
					out.say(safe`${left} more came.`);
				}

				for (const row of shown) {
					out.say(textOf(row));
				}
			});
		},
	};
	return reader;
}

const noLine: Line = [];
