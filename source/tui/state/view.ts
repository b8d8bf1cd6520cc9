import type {Safe} from '../../core/untrusted.ts';
import type {FormState} from '../forms/form.ts';
import type {ThemeName, Tone} from '../theme/theme.ts';
import type {ListSource} from './source.ts';
import type {ValueStore} from './store.ts';

export type Size = {readonly columns: number; readonly rows: number};

/** The dialog over the panes; it has the keyboard, and there is one at a time. `kind` names the dialog, which alone knows the other members. */
export type Overlay = {readonly kind: string; readonly [member: string]: unknown};

export type Toast = {readonly text: Safe; readonly tone: Tone};

/** How the open pane was come to by a key of another one. */
export type Jump = {
	/** The pane that was come to; the jump is over when it is left. */
	readonly pane: string;
	readonly from: {
		readonly pane: string;
		/** `PaneSection.id`. */
		readonly section: string;
		readonly view: Pick<
			ViewState,
			'region' | 'isZoomed' | 'detailTop' | 'detailCursor' | 'detailPath'
		>;
		/** What its list was filtered by, and what was selected there. */
		readonly filter: string;
		readonly key: string | undefined;
	};
	/** The list that was come to, what it was filtered by before, and for the jump. */
	readonly list: ListSource;
	readonly before: string;
	readonly since: string;
};

/** Everything a key can change, except where a person is in a list. */
export type ViewState = {
	readonly size: Size;
	/** `Pane.id` of the open pane. */
	readonly pane: string;
	readonly region: 'list' | 'detail';
	readonly jump: Jump | undefined;
	readonly isZoomed: boolean;
	/** The text field under the panes that has the keyboard. */
	readonly field: 'filter' | 'search' | undefined;
	readonly search: string;
	readonly detailTop: number;
	/** The row of the detail that keys act on, in panes whose detail has such a row. */
	readonly detailCursor: number;
	/** The field of a payload that this row showed when it was chosen; rows that come above move it. */
	readonly detailPath: readonly string[] | undefined;
	/** What single panes keep here, by their `LocalState`. */
	readonly locals: ReadonlyMap<object, unknown>;
	readonly overlay: Overlay | undefined;
	/** Forms of servers that were left half filled in, by `Approval.id`, while they wait. Hold no value of a masked field. */
	readonly drafts: ReadonlyMap<number, FormState>;
	readonly toast: Toast | undefined;
	readonly theme: ThemeName;
	/** The theme that a person has chosen, now or before; without one the terminal's decides. */
	readonly chosenTheme: ThemeName | undefined;
	/** The first key of the chat API was offered here, and not wanted. */
	readonly declinedKey: boolean;
	/** Grows with `Ctrl-l`: the screen is drawn anew. */
	readonly redraws: number;
};

/** A detail as it is opened. */
export const detailStart = {detailTop: 0, detailCursor: 0, detailPath: undefined} as const;

/** The first view of `pane`: its list, following. */
export const newView = (pane: string, size: Size, theme: ThemeName): ViewState => ({
	size,
	pane,
	region: 'list',
	jump: undefined,
	isZoomed: false,
	field: undefined,
	search: '',
	...detailStart,
	locals: new Map(),
	overlay: undefined,
	drafts: new Map(),
	toast: undefined,
	theme,
	chosenTheme: undefined,
	declinedKey: false,
	redraws: 0,
});

/** Calls back when one of these parts of the view has changed. Returns the way out. */
export function watchView(
	view: ValueStore<ViewState>,
	partsOf: (state: ViewState) => readonly unknown[],
	onChange: () => void,
): () => void {
	let last = partsOf(view.get());
	return view.subscribe(() => {
		const next = partsOf(view.get());
		const isOther = next.some((part, index) => part !== last[index]);
		last = next;
		if (isOther) {
			onChange();
		}
	});
}
