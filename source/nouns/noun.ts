import type {StoredDelivery} from '../core/delivery.ts';
import type {Vocabulary} from '../core/filter/filter.ts';
import type {StoredRun} from '../core/run.ts';
import type {GatewayState} from '../core/state.ts';
import type {ErrorCode} from '../manual/error-codes.ts';

/** The part that a text plays; a theme of the screen says how it looks, the command line prints it plain. */
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
	/** Struck out: what this face does not do. */
	| 'off'
	/** A QR code: dark on light, whatever the terminal's own colours are. */
	| 'code';

/** The time for which values are computed, milliseconds since 1970. */
export type AsOf = {readonly now: number};

export type Word = {readonly text: string; readonly tone?: Tone};

/** Cells of a column in a list of `width` cells on the screen; with 0 the column is not shown. */
export type Cells =
	/** Always this number. */
	| number
	| ((width: number) => number)
	/** A share, 0 to 1, of the cells that all other kinds leave, or the rest of them where there is no `share`: between `least` (1 when absent) and `most`. Lists narrower than `from` do not show it. */
	| {
			readonly share?: number;
			readonly least?: number;
			readonly most?: number;
			readonly from?: number;
	  }
	/** This number; in a list narrower than `below` as many as the longest value on the screen has, between `least` and `most`. */
	| {
			readonly usual: number;
			readonly below: number;
			readonly least: number;
			readonly most: number;
	  }
	/** This number, as long as `keeps` cells remain for the columns with a share; else it is not shown. */
	| {readonly cells: number; readonly keeps: number};

/** Where a value stands. */
export type ValuePlace = {
	/** Cells that it may take. */
	readonly room: number;
	/** Whether the column with this key is shown, too. */
	readonly shows: (key: string) => boolean;
};

/** One column of a list. Values are plain text, also from strangers: faces clean them. */
export type Column<Item, More = unknown> = {
	readonly key: string;
	/** Its heading on the screen, of the rows that are shown and the cells that it has; the key when absent. The command line prints the key in capitals. */
	readonly label?: string | ((shown: readonly Item[], room: number) => string);
	/** 0: only the command line lists it. */
	readonly cells: Cells;
	readonly align?: 'end';
	readonly value: (item: Item, known: AsOf & More, place: ValuePlace) => string;
	/** What a value may have of the columns beside it in its row; absent: nothing. */
	readonly takes?: {
		/** How many of the columns after it are left out of this row for it; absent: the next one where that is empty. */
		readonly after?: (item: Item) => number;
		/** What the column before keeps where a value needs more: so many cells, or (`blanks`) its text; absent: all that it has. */
		readonly before?: number | 'blanks';
	};
	/** What the screen draws in place of the value: words side by side. */
	readonly words?: (
		item: Item,
		known: AsOf & More,
		place: ValuePlace,
	) => readonly Word[] | undefined;
	/** A share, 0 to 1 and beyond, that the screen draws as a bar in place of the value. */
	readonly meter?: (item: Item, known: AsOf & More) => number | undefined;
	/** Absent: `plain` where the column is `main`, else `quiet`. */
	readonly tone?: (item: Item, known: AsOf & More, place: ValuePlace) => Tone;
	/** It stands out in the selected row. */
	readonly isMain?: true;
	/** What the command line prints, where that is something else than the screen's. */
	readonly printed?: (item: Item, known: AsOf & More) => string;
};

/** The identifier and the profile in the key of a job or a tool server, `work nightly`; the identifier may have blanks. */
export function partsOfKey(key: string): readonly [string, {readonly profile: string}] {
	const end = key.indexOf(' ');
	return [key.slice(end + 1), {profile: key.slice(0, end)}];
}

/** A column of a value alone, or of a value and how it looks. */
export const column = <Item, More>(
	key: string,
	cells: Cells,
	rest: Column<Item, More>['value'] | Omit<Column<Item, More>, 'cells' | 'key'>,
): Column<Item, More> => ({key, cells, ...(typeof rest === 'function' ? {value: rest} : rest)});

/** The same of one that stands out in the selected row. */
export const mainColumn = <Item, More>(
	...given: Parameters<typeof column<Item, More>>
): Column<Item, More> => ({...column(...given), isMain: true});

/** `cells` in lists of at least `least` cells, else none. */
export const from = (least: number, cells: number) => (width: number) =>
	width >= least ? cells : 0;

/** One fact of a detail: a named value, a text that keeps its leading blanks, a row of words, or a heading. */
export type Fact =
	| {
			readonly name: string;
			readonly value: string;
			readonly tone?: Tone;
			/** A share, 0 to 1 and beyond, which the screen draws as a bar under the value. */
			readonly meter?: number;
			/** The command that shows more, which the command line names. */
			readonly see?: string;
			/** Most rows on the screen; a longer value is cut with a mark. */
			readonly most?: number;
	  }
	| {readonly text: string; readonly tone?: Tone}
	| {readonly words: readonly Word[]}
	| {readonly title: string};

/** A named value, where there is one. */
export const fact = (
	name: string,
	value: string | undefined,
	more?: {readonly tone?: Tone; readonly meter?: number},
): readonly Fact[] => (value === undefined ? [] : [{name, value, ...more}]);

/** A text to be copied; one that the state does not hold is looked up, `undefined` where it is gone. */
export type Copied = {
	readonly label: string;
	readonly text: string | ((port: Lookups) => Promise<string | undefined>);
};

/** One of several such texts, with its key in their menu. */
export type Copy = Copied & {readonly key: string};

/** The operations of a gateway that look up texts to copy. */
export type Lookups = {
	getDelivery(id: string): Promise<StoredDelivery | undefined>;
	getRun(id: number): Promise<StoredRun | undefined>;
	curlLine(route: string): Promise<string>;
};

/** What a kind of thing is to a person, told once: every face reads it. `More`: what its values depend on beside the time, as far as a face knows it; all of it may be absent. */
export type Noun<Item, More = unknown> = {
	/** `key`; in the plural the name of its pane, its list and its commands. */
	readonly one: string;
	readonly many: string;
	/** The argument of its commands: `id`. */
	readonly argument: string;
	/** What help says of it, where that is more than `identifier of the key`. */
	readonly argumentSays?: string;
	/** The error code when no item has the identifier. */
	readonly missing: ErrorCode;
	/** Whether identifiers are numbers, from 1. */
	readonly isNumbered?: true;
	readonly id: (item: Item) => string;
	/** What a person calls it. */
	readonly name: (item: Item) => string;
	/** In the order of the screen. */
	readonly columns: ReadonlyArray<Column<Item, More>>;
	/** The columns of the command line in their order, by key; `whole` are cut last, `optional` go first where there is no room. */
	readonly printed: {
		readonly columns: readonly string[];
		readonly whole: readonly string[];
		readonly optional: readonly string[];
		/** Said in place of an empty list that nothing was asked of. */
		readonly empty: string;
	};
	/** Stands before a row: `!` where a person has to look. Lists of such nouns have a cell for marks, too. */
	readonly sign?: (item: Item, known: AsOf & More) => string;
	/** Stands over the first row of those with the same one: a title, or words of its own. The list's height must leave room for all of them. */
	readonly heading?: (item: Item, known: AsOf & More) => string | readonly Word[] | undefined;
	/** Stands under a row: what a person has to know or do, mostly. The screen keeps room for it with `rowsWithNotes`. */
	readonly note?: (item: Item, known: AsOf & More) => string | undefined;
	/** Cells that the names of facts have, and on the screen the blanks before facts, 2 when absent. */
	readonly factCells: number;
	readonly factIndent?: number;
	/** The first line of the detail. */
	readonly head: (item: Item, known: AsOf & More) => readonly Word[];
	readonly facts: (item: Item, known: AsOf & More) => readonly Fact[];
	readonly vocabulary: Vocabulary<Item>;
	/** What `y` copies of one. */
	readonly copies?: {
		/** In help and footer; `copy` when absent. */
		readonly label?: string;
		/** The footer leaves it out. */
		readonly isQuiet?: true;
		/** Why nothing of this one can be copied now. */
		readonly why?: (item: Item) => string | undefined;
		/** What the menu says above its entries. */
		readonly notes?: readonly string[];
		/** A text that is copied at once, or several that a menu offers. */
		readonly of: (item: Item, state: GatewayState) => Copied | readonly Copy[];
	};
};

/** A noun whose pane draws the detail itself: without facts and command line. */
export type ListedNoun<Item, More = unknown> = Omit<
	Noun<Item, More>,
	'argument' | 'factCells' | 'factIndent' | 'facts' | 'head' | 'missing' | 'printed'
>;
