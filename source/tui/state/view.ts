import type {Safe} from '../../core/untrusted.ts';
import type {FormState} from '../forms/form.ts';
import type {ThemeName, Tone} from '../theme/theme.ts';
import type {ListSource} from './source.ts';
import type {ValueStore} from './store.ts';

export type Size = {readonly columns: number; readonly rows: number};

/** The open dialog; there is at most one, and it takes the keyboard. `kind` names the dialog, which alone knows the other members. */
export type Overlay = {readonly kind: string; readonly [member: string]: unknown};

export type Toast = {readonly text: Safe; readonly tone: Tone};

/** A jump from another pane to the open one. */
export type Jump = {
	/** The pane jumped to; leaving it ends the jump. */
	readonly pane: string;
	readonly from: {
		readonly pane: string;
		/** `PaneSection.id`. */
		readonly section: string;
		readonly view: Pick<
			ViewState,
			'region' | 'isZoomed' | 'detailTop' | 'detailCursor' | 'detailPath'
		>;
		/** The filter of the list it came from, and the item selected there. */
		readonly filter: string;
		readonly key: string | undefined;
	};
	/** The list jumped to, its filter before the jump, and the one set for it. */
	readonly list: ListSource;
	readonly before: string;
	readonly since: string;
};

/** Everything keys can change, except positions in lists. */
export type ViewState = {
	readonly size: Size;
	/** `Pane.id` of the open pane. */
	readonly pane: string;
	readonly region: 'list' | 'detail';
	readonly jump: Jump | undefined;
	readonly isZoomed: boolean;
	/** The focused text field below the panes. */
	readonly field: 'filter' | 'search' | undefined;
	readonly search: string;
	readonly detailTop: number;
	/** The selected row of the detail, in panes whose detail has one. */
	readonly detailCursor: number;
	/** The path of the detail's selected row when it was chosen: rows added above move it. */
	readonly detailPath: readonly string[] | undefined;
	/** The state of single panes, by `LocalState`. */
	readonly locals: ReadonlyMap<object, unknown>;
	readonly overlay: Overlay | undefined;
	/** Unsent forms for waiting server requests, by `Approval.id`. Without values of masked fields. */
	readonly drafts: ReadonlyMap<number, FormState>;
	readonly toast: Toast | undefined;
	readonly theme: ThemeName;
	/** The theme that the person chose, now or earlier; `undefined`: follows the terminal. */
	readonly chosenTheme: ThemeName | undefined;
	/** The offer of a first key for the chat API was declined here. */
	readonly declinedKey: boolean;
	/** Increases with `Ctrl-l`, which redraws the screen. */
	readonly redraws: number;
};

/** The detail's initial position. */
export const detailStart = {detailTop: 0, detailCursor: 0, detailPath: undefined} as const;

/** The initial view of `pane`: its list, following. */
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

/** Calls back when one of these parts of the view changes. Returns a function that ends it. */
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
