import type {Clock} from '../../core/clock.ts';
import type {PersonLogins} from '../../core/logins.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {Dialog} from '../acts/dialog.ts';
import type {Guard} from '../approvals/guard.ts';
import type {KeyTable} from '../commands/table.ts';
import type {Details} from '../lines/detail.ts';
import type {Pane, PaneSection} from '../panes/pane.ts';
import type {Feed} from '../state/feed.ts';
import type {Layout} from '../state/layout.ts';
import type {AnyList} from '../state/list.ts';
import type {Loader} from '../state/loader.ts';
import type {ListSource, LoadSource, LocalState} from '../state/source.ts';
import type {ValueStore} from '../state/store.ts';
import type {ViewState} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';
import type {Banner} from './banners.ts';

/** A setting described in the manual. */
export type ManualSetting = {
	/** `runs.concurrency`; `route.concurrency` of a route. */
	readonly name: string;
	/** What it means, as plain text. */
	readonly says: string;
	/** Its manual page. */
	readonly topic: string;
};

/** What the interface needs from the terminal and the machine. */
export type Desktop = {
	/** Copies `text` to the clipboard; returns how, for a toast. */
	copy(text: string): Promise<Safe>;
	/** Opens `text` in the person's editor while the gateway keeps running. `undefined` if it was left unchanged. */
	edit(text: string, suffix: string): Promise<string | undefined>;
	/** Writes `text` to a file `name` in the home's cache, replacing an older one; returns its path. */
	keep(name: string, text: string): Promise<Safe>;
	/** Opens `text` in the person's pager. */
	page(text: string): Promise<void>;
	/** Examines the whole installation, which takes up to 10 s, and opens the result in the person's pager if `mayOpen` returns true by then. */
	pageHealth(mayOpen: () => boolean): Promise<void>;
	/** Starts a gateway in place of one that is gone; returns a message. Absent: this face cannot. @throws Error why there is none */
	readonly startGateway?: (() => Promise<string>) | undefined;
	/** Opens the end of a file, at most 8 MB, in the person's pager. */
	pageFile(path: string): Promise<void>;
	/** Opens a manual page in the person's pager; `false` if it does not exist. */
	manual(topic: string): Promise<boolean>;
	/** The settings described in the manual, without duplicates. */
	settings(): readonly ManualSetting[];
	/** Opens a file in the person's editor, at the line (from 1) that `lineOf` finds in its text. */
	openFile(path: string, lineOf: (text: string) => number | undefined): Promise<void>;
	/** Rings the bell of the terminal. */
	ring(): void;
	/** Whether the terminal has stopped reading output. */
	isStalled(): boolean;
	/** Redraws every row. */
	redraw(): void;
	/** Quits; this process's gateway ends. */
	leave(): void;
	/** Whether `letGo` gives the shell its prompt back while this process's gateway keeps running. */
	readonly givesPromptBack: boolean;
	/** Whether this process's gateway never outlives the interface, as in a demo. */
	readonly endsWithFace: boolean;
	/** Gives the terminal back; this process's gateway continues in the background. */
	letGo(): void;
};

/** What panes are given. */
export type Host = {
	readonly port: GatewayPort;
	/** Logins started by the person at this terminal. */
	readonly logins: PersonLogins;
	readonly clock: Clock;
	readonly feed: Feed;
	readonly view: ValueStore<ViewState>;
	readonly desktop: Desktop;
	readonly version: Safe;
	/** The name recorded for approvals answered here. */
	readonly by: string;
	/** The dialogs by kind. */
	readonly dialogs: ReadonlyMap<string, Dialog>;
	/** The table of keys. */
	readonly keys: KeyTable;
	/** Decides which key presses may allow something. */
	readonly guard: Guard;
	readonly layout: () => Layout;
	/** What a person must know in every pane, worst first; the same array while nothing changed. */
	readonly banners: () => readonly Banner[];
	/** In the order of their keys. */
	readonly panes: readonly Pane[];
	/** The open pane. */
	readonly pane: () => Pane;
	/** The focused section of the open pane. */
	readonly section: () => PaneSection;
	/** The list that keys move in; `undefined` if the open pane has none. */
	readonly openList: () => AnyList | undefined;
	readonly list: <Opened extends AnyList>(source: ListSource<Opened>) => Opened;
	/** The filter of each list, by its source's id. */
	readonly filters: () => Readonly<Record<string, string>>;
	readonly loader: <Value>(source: LoadSource<Value>) => Loader<Value>;
	/** Increases when any loader's value changes. */
	readonly loads: Pick<ValueStore<number>, 'get' | 'subscribe'>;
	/** Whether any loader is still waiting for a value. */
	readonly isLoading: () => boolean;
	/** A part of the view that belongs to one pane; `view` reports its changes. */
	readonly local: <Value>(state: LocalState<Value>) => Pick<ValueStore<Value>, 'get' | 'set'>;
	/** Shows a line beside or above the keys for four seconds; a `bad` one until a key is pressed. */
	readonly toast: (text: Safe, tone?: Tone) => void;
	/** Notes a key press, which may end a toast. */
	readonly noteKey: () => void;
	/** Runs an action; a failure becomes a toast. */
	readonly attempt: (action: () => Promise<void>) => void;
	/** Calls `stop` when the interface ends, or at once if it has ended; returns a function that cancels this. */
	readonly untilEnd: (stop: () => void) => () => void;
};

/** What commands use and components read. */
export type Shell = Host &
	Disposable & {
		/** The detail beside the open pane's list. */
		readonly detail: Details;
	};
