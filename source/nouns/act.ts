import type {JsonObject} from '../core/json.ts';
import type {FieldRecord} from './field.ts';
import type {AsOf} from './noun.ts';

/** The question before an act: the screen asks it, and has the name in `typed` typed if given. */
export type ActQuestion = {
	readonly title: string;
	readonly lines: readonly string[];
	/** The label of `y` and Enter: `revoke it`. */
	readonly act: string;
	/** The name to type, and another accepted one. */
	readonly typed?: {readonly name: string; readonly other?: string};
};

/** The result of an act. */
export type Outcome<Once = never> = {
	/** One sentence for a person. */
	readonly said: string;
	/** What the command line prints with `--json`. */
	readonly json: unknown;
	/** A result that is shown once and never again. */
	readonly once?: Once;
};

/** A time span in milliseconds that an act needs: chosen from a menu on the screen, given by an option on the command line. */
export type DurationChoice<Item> = {
	readonly option: string;
	readonly says: string;
	/** The default of the option. */
	readonly usual: string;
	readonly title: (item: Item) => string;
	readonly notes: (item: Item) => readonly string[];
	readonly choices: ReadonlyArray<{
		readonly key: string;
		readonly label: string;
		readonly value: number;
	}>;
};

const dayMs = 86_400_000;

/**
 * The span for which an old secret stays valid beside a new one. `says`: help of the option; `note`: an addition to the menu's question; `none`: what choosing no
 * overlap means.
 */
export const overlapSpan = <Item>({
	says,
	none,
	name,
	note,
}: {
	readonly says: string;
	readonly none: string;
	readonly name: (item: Item) => string;
	readonly note: (item: Item) => string | undefined;
}): DurationChoice<Item> => ({
	option: '--overlap <span>',
	says,
	usual: '24h',
	title: item => `New secret for ${name(item)}`,
	notes: item =>
		['The new secret is shown once. How long does the old one pass beside it?', note(item)].filter(
			text => text !== undefined,
		),
	choices: [
		{key: 'd', label: 'a day', value: dayMs},
		{key: 'w', label: 'a week', value: 7 * dayMs},
		{key: 'n', label: `not at all: ${none}`, value: 0},
	],
});

/** An operation on an item of a noun. */
export type Act<Item, Port, Once = never> = {
	/** `revoke`: the subcommand's name; together with the noun, the command. */
	readonly verb: string;
	/** Its key on the screen; absent: only in the palette. */
	readonly key?: string;
	/** The label in help and footer; absent: the verb. */
	readonly label?: string;
	/** Its help on the command line. */
	readonly says: string;
	/** Why it is impossible for this item now. */
	readonly why?: (item: Item, known: AsOf) => string | undefined;
	/** The question that the screen asks first; `undefined`: none now. */
	readonly ask?: (item: Item, known: AsOf) => ActQuestion | undefined;
	/** What the screen shows when a long act begins. */
	readonly starts?: (item: Item) => string;
	/**
	 * For several marked items. `means`: the effect on one item (`undefined`: impossible for it); `kind`: a name for items with this effect; `done`: the verb of
	 * the outcome, `cancelled`.
	 */
	readonly all?: {
		readonly means: (item: Item) => string | undefined;
		readonly kind: (item: Item) => string;
		readonly done: string;
		/** The command line accepts several items and a filter. `doubt`: a sentence saying why a person must confirm for one named item (`undefined`: no question). */
		readonly onLine?: {readonly doubt?: (item: Item) => string | undefined};
	};
	/** Optional details: a form on the screen, options on the command line. */
	readonly fields?: readonly FieldRecord[];
	readonly span?: DurationChoice<Item>;
	/**
	 * Performs the act on the item with this identifier; `undefined` if the item no longer exists or has changed state. `spanMs`: the chosen span, 0 without one.
	 * `told`: the values of `fields`. `item`: as shown on the screen.
	 */
	readonly effect: (
		port: Port,
		id: string,
		given: {readonly spanMs: number; readonly told?: JsonObject; readonly item?: Item},
	) => Promise<Outcome<Once> | undefined>;
	/** Why `effect` did nothing: `it does not exist`. */
	readonly gone: string;
	/** The opposite act, on the same key when the act is already done; a subcommand of its own: `resume` for `pause`. */
	readonly back?: Pick<Act<Item, Port, Once>, 'verb' | 'says' | 'effect'> & {
		readonly isDone: (item: Item) => boolean;
	};
};
