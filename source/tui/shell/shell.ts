import type {Clock} from '../../core/clock.ts';
import type {PersonLogins} from '../../core/logins.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {Guard} from '../approvals/guard.ts';
import type {Details} from '../panes/detail.ts';
import type {Line} from '../panes/line.ts';
import type {Pane, PaneSection} from '../panes/pane.ts';
import type {Feed} from '../state/feed.ts';
import type {Layout} from '../state/layout.ts';
import type {AnyList} from '../state/list.ts';
import type {Loader} from '../state/loader.ts';
import type {ValueStore} from '../state/store.ts';
import type {ViewState} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';
import type {ListSource, LoadSource, LocalState} from './source.ts';

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
	/** Opens the end of a file, at most 8 MB, in the person's pager. */
	pageFile(path: string): Promise<void>;
	/** Opens a page of the manual in the person's pager; `false` when there is none. */
	manual(topic: string): Promise<boolean>;
	/** Opens a file in the person's editor, at the line that `lineOf` finds in its text (from 1). */
	openFile(path: string, lineOf: (text: string) => number | undefined): Promise<void>;
	/** Rings the bell of the terminal. */
	ring(): void;
	/** Draws every row anew. */
	redraw(): void;
	leave(): void;
};

/** What panes are made with. */
export type Host = {
	readonly port: GatewayPort;
	/** Of whoever sits here. */
	readonly logins: PersonLogins;
	readonly clock: Clock;
	readonly feed: Feed;
	readonly view: ValueStore<ViewState>;
	readonly desktop: Desktop;
	readonly version: Safe;
	readonly ssh: boolean;
	/** Who answers approvals here. */
	readonly by: string;
	/** Which key presses may allow something. */
	readonly guard: Guard;
	readonly layout: () => Layout;
	/** The rows above the pane; the same array while nothing changed. */
	readonly banners: () => readonly Line[];
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
	/** A part of the view that one pane alone has; `view` tells when it changes. */
	readonly local: <Value>(state: LocalState<Value>) => Pick<ValueStore<Value>, 'get' | 'set'>;
	/** Shows a line in the last row for four seconds. */
	toast(text: Safe, tone?: Tone): void;
	/** Does something that may fail; a failure becomes a toast. */
	attempt(action: () => Promise<void>): void;
};

/** Everything that a command may use, and every component reads. */
export type Shell = Host &
	Disposable & {
		/** What stands beside the list of the open pane. */
		readonly detail: Details;
	};
