import type {Host} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import type {LoadPace} from '../state/loader.ts';
import type {Line} from './line.ts';

/** The detail of the selected item, shown beside a list. */
export type DetailSource = {
	/** Its rows, laid out for `width` cells; the same array while nothing changed. */
	lines(width: number): readonly Line[];
	/** Requests from its loader what it needs, or nothing while it is hidden. */
	want?(isShown: boolean): void;
};

/** The detail beside the open pane's list. */
export type Details = {
	/** The rows of the selected item's detail; the same array while nothing changed. */
	lines(): readonly Line[];
	/** Updates what the loaders load; call whenever the selection or the view may have changed. */
	want(): void;
};

const nothing: readonly Line[] = [];

/** The details of every pane, at their current width. */
export function createDetails(host: Host): Details {
	const details = new Map(
		host.panes
			.flatMap(({sections}) => sections)
			.flatMap(section => (section.listing ? [[section, section.listing.detail(host)]] : [])),
	);
	let wanting: DetailSource | undefined;

	return {
		lines() {
			const {detailWidth, showsDetail} = host.layout();
			return showsDetail ? (details.get(host.section())?.lines(detailWidth) ?? nothing) : nothing;
		},
		want() {
			const {showsDetail} = host.layout();
			const open = details.get(host.section());
			if (wanting !== open) {
				wanting?.want?.(false);
				wanting = open;
			}

			open?.want?.(showsDetail);
		},
	};
}

/** The selection must be unchanged for this time before its detail is loaded. */
const whenRested: LoadPace = {kind: 'rest', ms: 80};

const whileFollowing: LoadPace = {kind: 'steady', ms: 200};

/** Slower for a large body, since reading and laying it out blocks the gateway. */
const whileFollowingLarge: LoadPace = {kind: 'steady', ms: 1000};

const largeBytes = 128 * 1024;

/** How soon the selected item's detail, of about `bytes`, is loaded. The selection of a following list never rests, so it is loaded at intervals. */
export const paceOf = (list: AnyList, bytes = 0): LoadPace => {
	if (!list.get().isFollowing) {
		return whenRested;
	}

	return bytes > largeBytes ? whileFollowingLarge : whileFollowing;
};

/** Whether `row` contains `text` (lower case), ignoring case. */
export const rowHolds = (row: Line, text: string): boolean =>
	row.some(span => span.text.toLowerCase().includes(text));
