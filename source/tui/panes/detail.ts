import type {Host} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import type {Line} from './line.ts';

/** What stands beside a list, for the selected item. */
export type DetailSource = {
	/** Its rows, laid out for `width` cells; the same array while nothing changed. */
	lines(width: number): readonly Line[];
	/** Tells its loader what is looked at: nothing when it is not shown. */
	want?(isShown: boolean): void;
};

/** What stands beside the list of the open pane. */
export type Details = {
	/** The rows of the detail that belongs to the selected item; the same array while nothing changed. */
	lines(): readonly Line[];
	/** Tells the loaders what is looked at; to be called when that may have changed. */
	want(): void;
};

const nothing: readonly Line[] = [];

/** The details of every pane, laid out for the width they have now. */
export function createDetails(host: Host): Details {
	const details = new Map(
		host.panes
			.flatMap(({sections}) => sections)
			.flatMap(section => (section.listing ? [[section, section.listing.detail(host)]] : [])),
	);
	return {
		lines() {
			const {detailWidth, showsDetail} = host.layout();
			return showsDetail ? (details.get(host.section())?.lines(detailWidth) ?? nothing) : nothing;
		},
		want() {
			const {showsDetail} = host.layout();
			const open = host.section();
			for (const [section, detail] of details) {
				detail.want?.(showsDetail && section === open);
			}
		},
	};
}

/** How long a selection must rest before its detail is loaded: a list that follows may move ten times a second by itself. */
export const restMs = (list: AnyList): number => (list.get().isFollowing ? 400 : selectionRestMs);

export const selectionRestMs = 80;

/** Whether `row` holds `text` (lower case), whatever its own case. */
export const rowHolds = (row: Line, text: string): boolean =>
	row.some(span => span.text.toLowerCase().includes(text));
