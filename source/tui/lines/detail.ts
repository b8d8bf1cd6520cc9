import type {Host} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import type {LoadPace} from '../state/loader.ts';
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

/** A selection must rest before its detail is loaded. */
const whenRested: LoadPace = {kind: 'rest', ms: 80};

const whileFollowing: LoadPace = {kind: 'steady', ms: 200};

/** Reading a large body and laying it out holds up the gateway. */
const whileFollowingLarge: LoadPace = {kind: 'steady', ms: 1000};

const largeBytes = 128 * 1024;

/** When the detail of what is selected in `list`, of about `bytes`, is loaded: a list that follows moves by itself, and never rests. */
export const paceOf = (list: AnyList, bytes = 0): LoadPace => {
	if (!list.get().isFollowing) {
		return whenRested;
	}

	return bytes > largeBytes ? whileFollowingLarge : whileFollowing;
};

/** Whether `row` holds `text` (lower case), whatever its own case. */
export const rowHolds = (row: Line, text: string): boolean =>
	row.some(span => span.text.toLowerCase().includes(text));
