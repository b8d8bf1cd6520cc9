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

/** A setting that the manual tells of. */
export type ManualSetting = {
	/** `runs.concurrency`; `route.concurrency` of a route. */
	readonly name: string;
	/** What it means, plain. */
	readonly says: string;
	/** Its page. */
	readonly topic: string;
};

/** What the interface asks of the terminal and the machine around it. */
export type Desktop = {
	/** Puts `text` on the clipboard; says how, for the toast. */
	copy(text: string): Promise<Safe>;
	/** Opens `text` in the person's editor; the gateway goes on meanwhile. `undefined` when it was left unchanged. */
	edit(text: string, suffix: string): Promise<string | undefined>;
	/** Keeps `text` in a file `name` of the home's cache, in place of an older one; its path. */
	keep(name: string, text: string): Promise<Safe>;
	/** Opens `text` in the person's pager. */
	page(text: string): Promise<void>;
	/** Looks at the whole installation, which takes up to 10 s, and opens what it finds in the person's pager, if `mayOpen` says so by then. */
	pageHealth(mayOpen: () => boolean): Promise<void>;
	/** Starts a gateway in the place of one that is gone; what is said of it. Absent: this face cannot. @throws Error why there is none */
	readonly startGateway?: (() => Promise<string>) | undefined;
	/** Opens the end of a file, at most 8 MB, in the person's pager. */
	pageFile(path: string): Promise<void>;
	/** Opens a page of the manual in the person's pager; `false` when there is none. */
	manual(topic: string): Promise<boolean>;
	/** The settings that the manual tells of, each once. */
	settings(): readonly ManualSetting[];
	/** Opens a file in the person's editor, at the line that `lineOf` finds in its text (from 1). */
	openFile(path: string, lineOf: (text: string) => number | undefined): Promise<void>;
	/** Rings the bell of the terminal. */
	ring(): void;
	/** Whether the terminal does not read what is drawn. */
	isStalled(): boolean;
	/** Draws every row anew. */
	redraw(): void;
	/** Quits: a gateway of this process ends. */
	leave(): void;
	/** Whether the shell gets its prompt back from `letGo` while a gateway of this process goes on. */
	readonly givesPromptBack: boolean;
	/** Whether a gateway of this process never outlives the interface, as in a demo. */
	readonly endsWithFace: boolean;
	/** Gives the terminal back; a gateway of this process goes on in the background. */
	letGo(): void;
};

/** What panes are made with. */
export type Host = {
	readonly port: GatewayPort;
	/** Logins started by the person at this terminal. */
	readonly logins: PersonLogins;
	readonly clock: Clock;
	readonly feed: Feed;
	readonly view: ValueStore<ViewState>;
	readonly desktop: Desktop;
	readonly version: Safe;
	/** Who answers approvals here. */
	readonly by: string;
	/** What can lie over the panes, by its kind. */
	readonly dialogs: ReadonlyMap<string, Dialog>;
	/** Which key does what. */
	readonly keys: KeyTable;
	/** Which key presses may allow something. */
	readonly guard: Guard;
	readonly layout: () => Layout;
	/** What a person has to know whatever pane is open, worst first; the same array while nothing changed. */
	readonly banners: () => readonly Banner[];
	/** In the order of their keys. */
	readonly panes: readonly Pane[];
	/** The open pane. */
	readonly pane: () => Pane;
	/** The part of the open pane that has the keyboard. */
	readonly section: () => PaneSection;
	/** The list that keys move in; `undefined` where the open pane has none. */
	readonly openList: () => AnyList | undefined;
	/** The list of this source. */
	readonly list: <Opened extends AnyList>(source: ListSource<Opened>) => Opened;
	/** What each list is filtered by, by the id of its source. */
	readonly filters: () => Readonly<Record<string, string>>;
	/** The loader of this source. */
	readonly loader: <Value>(source: LoadSource<Value>) => Loader<Value>;
	/** Grows when any loader has something else. */
	readonly loads: Pick<ValueStore<number>, 'get' | 'subscribe'>;
	/** Whether any loader has not got yet what it was asked for. */
	readonly isLoading: () => boolean;
	/** A part of the view that one pane alone has; `view` tells when it changes. */
	readonly local: <Value>(state: LocalState<Value>) => Pick<ValueStore<Value>, 'get' | 'set'>;
	/** Shows a line beside or above the keys for four seconds; what is `bad` stays until a key is pressed. */
	readonly toast: (text: Safe, tone?: Tone) => void;
	/** A key was pressed. */
	readonly noteKey: () => void;
	/** Does something that may fail; a failure becomes a toast. */
	readonly attempt: (action: () => Promise<void>) => void;
	/** Calls `stop` when the interface ends, at once when it has ended; returns what keeps it from being called. */
	readonly untilEnd: (stop: () => void) => () => void;
};

/** Everything that a command may use, and every component reads. */
export type Shell = Host &
	Disposable & {
		/** What stands beside the list of the open pane. */
		readonly detail: Details;
	};
