import type {StoredDelivery} from '../core/delivery.ts';
import type {Vocabulary} from '../core/filter/filter.ts';
import type {StoredRun} from '../core/run.ts';
import type {GatewayState} from '../core/state.ts';
import type {ErrorCode} from '../manual/error-codes.ts';

/** The role of a text; the screen's theme decides how it looks, the command line prints it plain. */
export type Tone =
	| 'plain'
	| 'quiet'
	| 'strong'
	| 'title'
	| 'good'
	| 'warn'
	| 'bad'
	| 'accent'
	| 'selected'
	| 'invalid'
	/** Struck out: unavailable in this face. */
	| 'off'
	/** A QR code: dark on light, whatever the terminal's colours. */
	| 'code';

/** The time for which values are computed, in milliseconds since 1970. */
export type AsOf = {readonly now: number};

export type Word = {readonly text: string; readonly tone?: Tone};

/** A column's width in a list of `width` cells; 0 hides the column. */
export type Cells =
	/** A fixed width. */
	| number
	| ((width: number) => number)
	/**
	 * A `share` (0 to 1) of the cells left by columns of the other kinds, or without `share` the remaining ones, between `least` (default 1) and `most`. Hidden in
	 * lists narrower than `from`.
	 */
	| {
			readonly share?: number;
			readonly least?: number;
			readonly most?: number;
			readonly from?: number;
	  }
	/** `usual` cells; in a list narrower than `below` the width of the longest visible value, between `least` and `most`. */
	| {
			readonly usual: number;
			readonly below: number;
			readonly least: number;
			readonly most: number;
	  }
	/** `cells`, if `keeps` cells then remain for the columns with a share; else hidden. */
	| {readonly cells: number; readonly keeps: number};

/** Where a value is shown. */
export type ValuePlace = {
	/** Its width in cells. */
	readonly room: number;
	/** Whether the column with this key is visible too. */
	readonly shows: (key: string) => boolean;
};

/** A column of a list. Values are plain text, possibly from strangers: faces escape them. */
export type Column<Item, More = unknown> = {
	readonly key: string;
	/** The heading on the screen, computed from the visible rows and the width; absent: the key. The command line prints the key in capitals. */
	readonly label?: string | ((shown: readonly Item[], room: number) => string);
	/** 0: only on the command line. */
	readonly cells: Cells;
	readonly align?: 'end';
	readonly value: (item: Item, known: AsOf & More, place: ValuePlace) => string;
	/** Which cells of neighbouring columns a value may use in its row; absent: none. */
	readonly takes?: {
		/** How many following columns are dropped from this row; absent: the next one, if it is empty. */
		readonly after?: (item: Item) => number;
		/** What the preceding column keeps if the value needs more: this many cells, or (`blanks`) its text; absent: all its cells. */
		readonly before?: number | 'blanks';
	};
	/** What the screen shows in place of the value: words side by side. */
	readonly words?: (
		item: Item,
		known: AsOf & More,
		place: ValuePlace,
	) => readonly Word[] | undefined;
	/** A share (0 to 1, or more) drawn as a bar in place of the value. */
	readonly meter?: (item: Item, known: AsOf & More) => number | undefined;
	/** Absent: `plain` for a `main` column, else `quiet`. */
	readonly tone?: (item: Item, known: AsOf & More, place: ValuePlace) => Tone;
	/** Highlighted in the selected row. */
	readonly isMain?: true;
	/** What the command line prints, if it differs from the screen. */
	readonly printed?: (item: Item, known: AsOf & More) => string;
};

/** Splits the key of a job or a tool server, `work nightly`, into identifier and profile; identifiers may contain blanks. */
export function partsOfKey(key: string): readonly [string, {readonly profile: string}] {
	const end = key.indexOf(' ');
	return [key.slice(end + 1), {profile: key.slice(0, end)}];
}

/** A column made of a value function, or of one with its tone. */
export const column = <Item, More>(
	key: string,
	cells: Cells,
	rest: Column<Item, More>['value'] | Omit<Column<Item, More>, 'cells' | 'key'>,
): Column<Item, More> => ({key, cells, ...(typeof rest === 'function' ? {value: rest} : rest)});

/** A column that is highlighted in the selected row. */
export const mainColumn = <Item, More>(
	...given: Parameters<typeof column<Item, More>>
): Column<Item, More> => ({...column(...given), isMain: true});

/** `cells` in lists of at least `least` cells, else hidden. */
export const from = (least: number, cells: number) => (width: number) =>
	width >= least ? cells : 0;

/** A fact of a detail: a named value, a text that keeps its leading blanks, a row of words, or a heading. */
export type Fact =
	| {
			readonly name: string;
			readonly value: string;
			readonly tone?: Tone;
			/** A share (0 to 1, or more) drawn as a bar below the value. */
			readonly meter?: number;
			/** The command that shows more; named on the command line. */
			readonly see?: string;
			/** The most rows on the screen; a longer value is cut with a mark. */
			readonly most?: number;
	  }
	| {readonly text: string; readonly tone?: Tone}
	| {readonly words: readonly Word[]}
	| {readonly title: string};

/** A named value; none if the value is absent. */
export const fact = (
	name: string,
	value: string | undefined,
	more?: {readonly tone?: Tone; readonly meter?: number},
): readonly Fact[] => (value === undefined ? [] : [{name, value, ...more}]);

/** A text to copy; one missing from the state is looked up, yielding `undefined` if it no longer exists. */
export type Copied = {
	readonly label: string;
	readonly text: string | ((port: Lookups) => Promise<string | undefined>);
};

/** One of several texts to copy, with its key in their menu. */
export type Copy = Copied & {readonly key: string};

/** The gateway operations that look up texts to copy. */
export type Lookups = {
	getDelivery(id: string): Promise<StoredDelivery | undefined>;
	getRun(id: number): Promise<StoredRun | undefined>;
	curlLine(route: string): Promise<string>;
};

/** Describes a kind of item for people; used by every face. `More`: what its values depend on besides the time, as far as a face knows it; all of it may be absent. */
export type Noun<Item, More = unknown> = {
	/** `key`; its plural names the pane, the list and the commands. */
	readonly one: string;
	readonly many: string;
	/** The name of its commands' argument: `id`. */
	readonly argument: string;
	/** The help of that argument, if it says more than `identifier of the key`. */
	readonly argumentSays?: string;
	/** The error code for an unknown identifier. */
	readonly missing: ErrorCode;
	/** Whether identifiers are numbers, from 1. */
	readonly isNumbered?: true;
	readonly id: (item: Item) => string;
	/** An item's name for people. */
	readonly name: (item: Item) => string;
	/** In display order. */
	readonly columns: ReadonlyArray<Column<Item, More>>;
	/** The columns on the command line, by key; `whole` are the last to be cut, `optional` the first to be dropped. */
	readonly printed: {
		readonly columns: readonly string[];
		readonly whole: readonly string[];
		readonly optional: readonly string[];
		/** Printed if a list without a filter is empty. */
		readonly empty: string;
	};
	/** The sign before a row: `!` if a person has to look. Lists of such nouns also have a cell for marks. */
	readonly sign?: (item: Item, known: AsOf & More) => string;
	/** The heading above the first of consecutive rows with an equal one: a title, or words. The list's height must leave room for headings. */
	readonly heading?: (item: Item, known: AsOf & More) => string | readonly Word[] | undefined;
	/** A note below a row, mostly what a person has to know or do. The screen reserves room by `rowsWithNotes`. */
	readonly note?: (item: Item, known: AsOf & More) => string | undefined;
	/** The width of fact names, and the blanks before facts on the screen (default 2). */
	readonly factCells: number;
	readonly factIndent?: number;
	/** The first line of the detail. */
	readonly head: (item: Item, known: AsOf & More) => readonly Word[];
	readonly facts: (item: Item, known: AsOf & More) => readonly Fact[];
	readonly vocabulary: Vocabulary<Item>;
	/** What `y` copies of an item. */
	readonly copies?: {
		/** The label in help and footer; absent: `copy`. */
		readonly label?: string;
		/** Not listed in the footer. */
		readonly isQuiet?: true;
		/** Why nothing of this item can be copied now. */
		readonly why?: (item: Item) => string | undefined;
		/** Text above the menu's entries. */
		readonly notes?: readonly string[];
		/** A text to copy at once, or several for a menu. */
		readonly of: (item: Item, state: GatewayState) => Copied | readonly Copy[];
	};
};

/** A noun whose pane draws the detail itself; without facts and commands. */
export type ListedNoun<Item, More = unknown> = Omit<
	Noun<Item, More>,
	'argument' | 'factCells' | 'factIndent' | 'facts' | 'head' | 'missing' | 'printed'
>;
