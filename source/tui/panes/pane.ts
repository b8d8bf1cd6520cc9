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
 * All that makes a pane, but how a screen draws it (`frame/pane-bodies`). `panes.ts` lists them in the order of their keys; tabs, keys, help, palette, titles, details and what is kept
 * from one run to the next follow from that list and from nothing else.
 */
export type Pane = {
	/** Stays the same: the open pane is kept under it. */
	readonly id: string;
	readonly title: Safe;
	/** For tabs on narrow screens; absent: the title. */
	readonly short?: Safe;
	/** The page of the manual that tells of what it shows, as `svc help` takes it. */
	readonly manual: string;
	/** What it says when it has nothing: why, then what helps. */
	readonly empty: (state: GatewayState) => readonly string[];
	/** The body needs the whole width: the detail takes its place. */
	readonly isWide?: true;
	/** What its list has of the columns where the detail stands beside it; absent: 0.58. */
	readonly listShare?: number;
	/** What has keys of its own; nearly always one. The first is the one that the title of the pane speaks of. */
	readonly sections: readonly [PaneSection, ...PaneSection[]];
	/** What its title says after the filter. */
	readonly summary: (shell: Shell) => readonly Line[];
	/** How the keyboard goes from section to section, where there are several. */
	readonly focus?: SectionFocus;
	/** Whether something in it counts seconds while nothing happens. */
	readonly countsSeconds?: (state: GatewayState, host: Host) => boolean;
	/** Whether it shows what a model says as it comes, which is not slowed down while the list is paused. */
	readonly showsWords?: (host: Host) => boolean;
	/** Whether something in its list moves faster than seconds pass. */
	readonly hasBars?: (state: GatewayState) => boolean;
	/** The request that belongs to what is selected: `!` opens it before others. */
	readonly waiting?: (shell: Shell) => Approval | undefined;
	/** What of it is lost when the interface closes, in a sentence. */
	readonly unsaved?: (host: Host) => string | undefined;
	/** Tells loaders of its own what is looked at: again and again while it is open, and once after that. */
	readonly want?: (host: Host) => void;
	/** Where the palette can go in it, by name. */
	readonly destinations?: (shell: Shell) => readonly Destination[];
	/** What the palette finds in it by a number or an identifier that was typed, however old. */
	readonly find?: (shell: Shell, query: string) => Referent;
};

/** A part of a pane with keys of its own. */
export type PaneSection = {
	/** Scope of its keys; the pane's own where there is but one. */
	readonly id: string;
	readonly title: Safe;
	readonly commands: readonly PaneCommand[];
	/** Absent where nothing is listed. */
	readonly listing?: PaneListing;
	/** It takes text: keys and pastes that are no command go here. */
	readonly typing?: {
		key(shell: Shell, key: Pick<KeyEvent, 'id' | 'text'>): void;
		paste(shell: Shell, text: string): void;
	};
};

/** A list that keys move in, and what is shown of the selected item. */
export type PaneListing = {
	readonly list: ListSource;
	/** The words of its filter; help and manual tell of them. */
	readonly vocabulary: Vocabulary<never>;
	/** The noun that it lists, where its rows and details follow from one. */
	readonly noun?: NounListing;
	/** New items come by themselves, and the list goes along with them. */
	readonly isLive: boolean;
	/** Its rows can be marked; the title counts them, and Esc forgets them. */
	readonly marks?: Marks;
	/** Makes the detail of a shell. */
	readonly detail: (host: Host) => DetailSource;
	/** One row of the detail is chosen, and `j` `k` move that. */
	readonly hasCursor: boolean;
};

type SectionFocus = {
	/** The section that has the keyboard. */
	now(host: Host): PaneSection;
	/** Makes it the chosen one: what comes later must not take the keyboard from it. Absent: nothing that comes by itself does. */
	hold?(host: Host): void;
	/** Absent: what the pane shows says which section has the keyboard. */
	choose?(host: Host, section: PaneSection): void;
	/** Gives the keyboard to the next section; `false` where there is none. */
	next?(shell: Shell): boolean;
	/** Takes a step that leaves the list for the next one; whether it did. */
	cross?(shell: Shell, by: Extract<ListMove, string>): boolean;
};

/** Something with a name that can be gone to. `place` absent: the title of its pane. */
export type Destination = {readonly label: Safe; readonly place?: Safe; readonly go: () => void};

/** What a number or an identifier may stand for. */
export type Referent = {
	readonly known?: Destination;
	/** Only the journal knows whether it is there, and the query may mean something else. */
	readonly guessed?: Destination;
};

const keys = '1234567890';

/** The key of the pane at `index` of the list; the eleventh has none. */
export const paneKey = (index: number): string | undefined => keys[index];
