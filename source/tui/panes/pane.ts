import type {Approval} from '../../core/approval.ts';
import type {Vocabulary} from '../../core/filter/filter.ts';
import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {PaneCommand} from '../acts/command.ts';
import type {DetailSource} from '../lines/detail.ts';
import type {Line} from '../lines/line.ts';
import type {Marks} from '../lines/marks.ts';
import type {ListMove} from '../list/window.ts';
import type {NounListing} from '../nouns/listing.ts';
import type {Host, Shell} from '../shell/shell.ts';
import type {ListSource} from '../state/source.ts';

/**
 * Everything about a pane except how its body is drawn (`frame/pane-bodies`). `panes.ts` lists them in the order of their keys; tabs, keys, help, palette, titles,
 * details and saved state follow from that list alone.
 */
export type Pane = {
	/** Never changes: the open pane is saved under it. */
	readonly id: string;
	readonly title: Safe;
	/** For tabs on narrow screens; absent: the title. */
	readonly short?: Safe;
	/** The manual page about the pane, as `svc help` takes it. */
	readonly manual: string;
	/** Shown when the pane is empty: why, then what to do. */
	readonly empty: (state: GatewayState) => readonly string[];
	/** The body needs the full width, so the detail replaces it. */
	readonly isWide?: true;
	/** The list's share of the columns beside the detail; absent: 0.58. */
	readonly listShare?: number;
	/** The parts with keys of their own, nearly always one. The pane's title describes the first. */
	readonly sections: readonly [PaneSection, ...PaneSection[]];
	/** The title's text after the filter. */
	readonly summary: (shell: Shell) => readonly Line[];
	/** How the focus moves between sections, if there are several. */
	readonly focus?: SectionFocus;
	/** Whether it shows a count of seconds, so must be redrawn although nothing happens. */
	readonly countsSeconds?: (state: GatewayState, host: Host) => boolean;
	/** Whether it shows a model's words as they stream in; these are not throttled while the list is paused. */
	readonly showsWords?: (host: Host) => boolean;
	/** Whether its list contains something that moves faster than once a second. */
	readonly hasBars?: (state: GatewayState) => boolean;
	/** The request that belongs to the selection: `!` opens it before others. */
	readonly waiting?: (shell: Shell) => Approval | undefined;
	/** What is lost when the interface closes, as a sentence; `undefined` if nothing. */
	readonly unsaved?: (host: Host) => string | undefined;
	/** Updates the pane's own loaders: called repeatedly while it is open, and once after it closes. */
	readonly want?: (host: Host) => void;
	/** Places in the pane that the palette can go to by name. */
	readonly destinations?: (shell: Shell) => readonly Destination[];
	/** What the palette finds by a typed number or identifier, however old the item is. */
	readonly find?: (shell: Shell, query: string) => Referent;
};

/** A part of a pane with keys of its own. */
export type PaneSection = {
	/** The scope of its keys; the pane's id if it has one section. */
	readonly id: string;
	readonly title: Safe;
	readonly commands: readonly PaneCommand[];
	/** Absent: the section has no list. */
	readonly listing?: PaneListing;
	/** Receives typed text: keys that no command takes, and pastes. */
	readonly typing?: {
		key(shell: Shell, key: Pick<KeyEvent, 'id' | 'text'>): void;
		paste(shell: Shell, text: string): void;
	};
};

/** A list that keys move in, and the detail of its selected item. */
export type PaneListing = {
	readonly list: ListSource;
	/** The words of its filter, which help and manual list. */
	readonly vocabulary: Vocabulary<never>;
	/** The noun from which rows and details are made, if any. */
	readonly noun?: NounListing;
	/** New items arrive while it is shown, and the list can follow them. */
	readonly isLive: boolean;
	/** The marked rows; the title counts them, and Esc clears them. */
	readonly marks?: Marks;
	/** Creates the detail for a shell. */
	readonly detail: (host: Host) => DetailSource;
	/** The detail has a selected row, moved by `j` and `k`. */
	readonly hasCursor: boolean;
};

type SectionFocus = {
	/** The focused section. */
	now(host: Host): PaneSection;
	/** Keeps that section focused even if others appear. Absent: nothing appears that would take the focus. */
	hold?(host: Host): void;
	/** Focuses a section. Absent: the focus follows from what the pane shows. */
	choose?(host: Host, section: PaneSection): void;
	/** Focuses the next section; `false` if there is none. */
	next?(shell: Shell): boolean;
	/** Moves from the end of one list into the next; returns whether it did. */
	cross?(shell: Shell, by: Extract<ListMove, string>): boolean;
};

/** A named place to go to. Absent `place`: the title of its pane. */
export type Destination = {readonly label: Safe; readonly place?: Safe; readonly go: () => void};

/** What a number or an identifier may refer to. */
export type Referent = {
	readonly known?: Destination;
	/** A possible match: only the journal knows whether it exists, and the query may mean something else. */
	readonly guessed?: Destination;
};

const keys = '1234567890';

/** The key of the pane at `index`; from the eleventh on there is none. */
export const paneKey = (index: number): string | undefined => keys[index];
