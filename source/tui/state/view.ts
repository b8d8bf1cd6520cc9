import type {LoginPlace} from '../../core/logins.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {StopConsequences} from '../../gateway/port.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import type {Sheet} from '../approvals/sheet.ts';
import type {FormState} from '../forms/form.ts';
import type {InstallSheet} from '../install/install-sheet.ts';
import type {KeyCard} from '../keys/key-card.ts';
import type {SetupCard} from '../setup/setup-card.ts';
import type {ThemeName, Tone} from '../theme/theme.ts';
import type {ToolTrial} from '../trial/tool-trial.ts';
import type {ListSource} from './source.ts';

export type Size = {readonly columns: number; readonly rows: number};

/** One entry of a menu; `key` chooses it at once, an empty one does not. */
export type MenuItem = {readonly key: string; readonly label: Safe; readonly run: () => void};

/** What the gateway's first start wrote and found. @see manual/commands.md */
export type FirstRunCard = {
	/** What was done, one line each: `wrote /home/ann/.svc/config.yaml`. */
	readonly steps: readonly string[];
	/** The route that `T` sends the test event to. */
	readonly route: string;
	/** Instead of a welcome. */
	readonly title?: string;
	/** Keys and what they do, instead of those of a first start. */
	readonly keys?: ReadonlyArray<readonly [key: string, does: string]>;
};

/** What lies over the panes. Exactly one at a time; it has the keyboard. */
export type Overlay =
	| {
			readonly kind: 'help';
			readonly query: string;
			readonly top: number;
			readonly isSearching: boolean;
	  }
	| {readonly kind: 'palette'; readonly query: string; readonly index: number}
	/** How everything that the gateway is made of stands. */
	| {readonly kind: 'states'; readonly top: number}
	| {readonly kind: 'quit'; readonly consequences?: StopConsequences}
	| {
			readonly kind: 'confirm';
			readonly title: Safe;
			readonly lines: readonly Safe[];
			readonly act: Safe;
			readonly run: () => void;
			/** What may be done instead. */
			readonly other?: Pick<MenuItem, 'label' | 'run'>;
			/** What Esc is, where "leave it" could be taken for the act. */
			readonly stay?: Safe;
	  }
	| {
			readonly kind: 'menu';
			readonly title: Safe;
			/** What is said above the choice. */
			readonly notes?: readonly Safe[];
			readonly items: readonly MenuItem[];
			readonly index: number;
	  }
	| {readonly kind: 'first-run'; readonly card: FirstRunCard}
	/** What a tool or a server asks of a person. */
	| {
			readonly kind: 'approval';
			readonly sheet: Sheet;
			/** What comes back when the sheet is left. */
			readonly under?: TrialOverlay | AnswerOverlay | SetupOverlay | KeyOverlay;
	  }
	/** A tool server from a link. */
	| {readonly kind: 'install'; readonly sheet: InstallSheet}
	/** Asks for such a link. */
	| {readonly kind: 'install-link'; readonly text: LineText}
	/** Asks for the address that the browser of a login ended on. */
	| {
			readonly kind: 'login-paste';
			readonly place: LoginPlace;
			readonly text: LineText;
			/** Why the last one was of no use. */
			readonly problem?: Safe;
	  }
	/** Asks for the name of what would be gone for good. */
	| {
			readonly kind: 'type-name';
			readonly title: Safe;
			readonly lines: readonly Safe[];
			/** What has to be typed. */
			readonly name: string;
			/** What may be typed instead. */
			readonly other?: string;
			readonly act: Safe;
			readonly text: LineText;
			/** Something else was typed. */
			readonly isWrong?: boolean;
			readonly run: () => void;
	  }
	| TrialOverlay
	| AnswerOverlay
	| SetupOverlay
	| KeyOverlay;

/** The arguments of a tool that a person tries. */
export type TrialOverlay = {readonly kind: 'trial'; readonly trial: ToolTrial};

/** The settings of the receiver that a person fills in. */
export type SetupOverlay = {readonly kind: 'setup'; readonly card: SetupCard};

/** A key of the chat API that is made, or was. */
export type KeyOverlay = {readonly kind: 'key'; readonly card: KeyCard};

/** What a tool answered that a person tried. */
export type AnswerOverlay = {
	readonly kind: 'answer';
	readonly trial: ToolTrial;
	readonly isError: boolean;
	/** Cleaned by `block()`. */
	readonly text: Safe;
	readonly top: number;
};

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
