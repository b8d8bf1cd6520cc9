import type {JsonObject} from '../core/json.ts';
import type {FieldRecord} from './field.ts';
import type {AsOf} from './noun.ts';

/** What an act says before it is done: the screen asks, and has the name typed where `typed` is there. */
export type ActQuestion = {
	readonly title: string;
	readonly lines: readonly string[];
	/** What `y` or Enter does: `revoke it`. */
	readonly act: string;
	/** The name that has to be typed, and what may be typed instead. */
	readonly typed?: {readonly name: string; readonly other?: string};
};

/** What came of an act. */
export type Outcome<Once = never> = {
	/** One sentence for a person. */
	readonly said: string;
	/** What the command line prints with `--json`. */
	readonly json: unknown;
	/** What is shown once and never again. */
	readonly once?: Once;
};

/** A span of time that an act needs, milliseconds: the screen offers a choice, the command line has an option. */
export type DurationChoice<Item> = {
	readonly option: string;
	readonly says: string;
	/** What the command line takes when the option is absent. */
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

/** How long an old secret passes beside a new one. `says`: help of the option; `note`: what the menu says below its question; `none`: what no overlap means. */
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

/** What can be done with a thing. */
export type Act<Item, Port, Once = never> = {
	/** `revoke`: the word of the command line, and with the noun the name of the command. */
	readonly verb: string;
	/** Its key on the screen; absent: it is in the palette alone. */
	readonly key?: string;
	/** In help and footer; the verb when absent. */
	readonly label?: string;
	/** What the help of the command line says. */
	readonly says: string;
	/** Why it cannot be done with this one now. */
	readonly why?: (item: Item, known: AsOf) => string | undefined;
	/** What the screen asks before it is done; `undefined`: nothing, now. */
	readonly ask?: (item: Item, known: AsOf) => ActQuestion | undefined;
	/** What the screen says of one that takes long, as it begins. */
	readonly starts?: (item: Item) => string;
	/** For several that are marked: what it means to one (`undefined`: it cannot be done with that one), what such ones are called, and what was done: `cancelled`. */
	readonly all?: {
		readonly means: (item: Item) => string | undefined;
		readonly kind: (item: Item) => string;
		readonly done: string;
		/** The command line takes several, and a filter; why a person has to agree first to one that was named there, a sentence (`undefined`: nothing is asked). */
		readonly onLine?: {readonly doubt?: (item: Item) => string | undefined};
	};
	/** What it may be told besides: a form of the screen, options of the command line. */
	readonly fields?: readonly FieldRecord[];
	readonly span?: DurationChoice<Item>;
	/** Does it with the thing of this identifier; `undefined` when that has gone, or gone on. `spanMs`: what was chosen, 0 where nothing is. `told`: the values of `fields`. `item`: as the screen shows it. */
	readonly effect: (
		port: Port,
		id: string,
		given: {readonly spanMs: number; readonly told?: JsonObject; readonly item?: Item},
	) => Promise<Outcome<Once> | undefined>;
	/** Why `effect` did nothing: `it does not exist`. */
	readonly gone: string;
	/** What its key does with a thing to which it was done already; on the command line an act of its own: `resume` for `pause`. */
	readonly back?: Pick<Act<Item, Port, Once>, 'verb' | 'says' | 'effect'> & {
		readonly isDone: (item: Item) => boolean;
	};
};
