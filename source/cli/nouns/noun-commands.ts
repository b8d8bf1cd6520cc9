import type {Command} from 'commander';
import {SvcError} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {AsOf, Fact, Noun} from '../../nouns/noun.ts';
import type {Context} from '../console/context.ts';
import {jsonOption, numberArgument, type Json} from '../console/options.ts';
import {printTable, type PrintedTable} from '../console/print-table.ts';
import {indentedRows, printJson, printLines} from '../console/print.ts';

/** Printed values have unlimited room, and no neighbouring columns. */
const anyPlace = {room: Infinity, shows: () => true};

const inCapitals = (keys: readonly string[]) => keys.map(key => key.toUpperCase());

/** A noun's items as a table. */
export function tableOf<Item, More>(
	{columns, printed, note}: Pick<Noun<Item, More>, 'columns' | 'note' | 'printed'>,
	items: readonly Item[],
	known: AsOf & More,
): PrintedTable {
	const shown = printed.columns.map(key => columns.find(one => one.key === key));
	return {
		header: inCapitals(printed.columns),
		rows: items.map(item =>
			shown.map(
				column => column?.printed?.(item, known) ?? column?.value(item, known, anyPlace) ?? '',
			),
		),
		...(note && {below: items.map(item => note(item, known))}),
		empty: printed.empty,
		whole: inCapitals(printed.whole),
		optional: inCapitals(printed.optional),
	};
}

/** The detail of an item as lines. None of its texts starts a line. */
export const linesOf = <Item, More>(
	{head, facts, factCells}: Pick<Noun<Item, More>, 'head' | 'facts' | 'factCells'>,
	item: Item,
	known: AsOf & More,
): readonly string[] => [
	oneLine(
		head(item, known)
			.map(({text}) => text)
			.join('  '),
	),
	...factsInLines(facts(item, known), factCells),
];

/** Facts as lines, with `cells` for their names. */
export const factsInLines = (facts: readonly Fact[], cells: number): readonly string[] =>
	facts.flatMap(fact => factLines(fact, cells)).map(oneLine);

export const oneLine = (text: string): string => escapeLine(text, Infinity);

function factLines(fact: Fact, cells: number): readonly string[] {
	if ('title' in fact) {
		return ['', fact.title];
	}

	if ('words' in fact) {
		return [fact.words.map(({text}) => text).join('')];
	}

	if ('text' in fact) {
		return indentedRows(fact.text);
	}

	const {name, value, meter, see} = fact;
	const percent = meter === undefined ? '' : ` (${Math.floor(meter * 100)}%)`;
	const hint = see === undefined ? '' : ` (${see})`;
	return rowsOf(`${value}${percent}${hint}`).map(
		(row, index) => `${(index === 0 ? name : '').padEnd(cells)}  ${row}`,
	);
}

const rowsOf = (text: string): readonly string[] => text.split(/\r\n|[\n\u2028\u2029]/);

/** Parses an identifier, with help for what it is. */
export const identify = (
	command: Command,
	noun: Pick<Noun<never>, 'argument' | 'argumentSays' | 'isNumbered' | 'one'>,
) =>
	noun.isNumbered
		? command.argument(`<${noun.argument}>`, `number of the ${noun.one}`, numberArgument)
		: command.argument(
				`<${noun.argument}>`,
				noun.argumentSays ??
					`${noun.argument === 'name' ? 'name' : 'identifier'} of the ${noun.one}`,
			);

type ListedNoun<Item, More> = Pick<Noun<Item, More>, 'columns' | 'many' | 'note' | 'printed'>;

type ListOptions<Item, More> = {
	readonly noun: ListedNoun<Item, More>;
	readonly says: string;
	readonly read: () => Promise<readonly Item[]>;
};

/** Adds `list [--json]`. */
export function addList<Item, More>(
	group: Command,
	context: Context,
	{noun, says, read}: ListOptions<Item, More>,
): void {
	group
		.command('list')
		.description(says)
		.option(...jsonOption)
		.action(async ({json = false}: Json) => {
			await printList(context, noun, {items: await read(), json});
		});
}

type ShownNoun<Item, More> = Pick<
	Noun<Item, More>,
	'argument' | 'argumentSays' | 'factCells' | 'facts' | 'head' | 'isNumbered' | 'missing' | 'one'
>;

type ShowOptions<Item, More> = {
	readonly noun: ShownNoun<Item, More>;
	readonly verb?: string;
	readonly says: string;
	/** Reads an item. `known`: what its facts depend on besides the time; `json`: printed by `--json` in place of the item. */
	readonly read: (
		id: string,
	) => Promise<{readonly item: Item; readonly known?: More; readonly json?: unknown} | undefined>;
};

/** Adds `show ID [--json]`; `verb`: another word for `show`. */
export function addShow<Item, More>(
	group: Command,
	context: Context,
	{noun, verb = 'show', says, read}: ShowOptions<Item, More>,
): void {
	identify(group.command(verb).description(says), noun)
		.option(...jsonOption)
		.action(async (id: string | number, {json}: Json) => {
			const found = await read(String(id));
			if (!found) {
				throw new SvcError(
					noun.missing,
					`Cannot find ${noun.one} ${shown(id)}: see "svc ${group.name()} list"`,
				);
			}

			if (json) {
				printJson(context, found.json ?? found.item);
			} else {
				printLines(context, linesOf(noun, found.item, asOf(context, found.known)));
			}
		});
}

const asOf = <More>({clock}: Context, known: More | undefined) =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every part of it may be absent
	({now: clock.now(), ...known}) as AsOf & More;

/** An identifier as it was typed, for a sentence. */
export const shown = (id: string | number): string =>
	typeof id === 'number' ? String(id) : `"${escapeLine(id, 100)}"`;

type Printed<Item, More> = Json & {
	readonly items: readonly Item[];
	/** What the columns depend on besides the time. */
	readonly known?: More;
	/** Whether a filter was set. */
	readonly isFiltered?: boolean;
};

/** Prints listed items. */
export async function printList<Item, More>(
	context: Context,
	noun: ListedNoun<Item, More>,
	{items, known, json = false, isFiltered = false}: Printed<Item, More>,
): Promise<void> {
	if (json) {
		printJson(context, items);
	} else {
		const table = tableOf(noun, items, asOf(context, known));
		await printTable(context, isFiltered ? {...table, empty: `No such ${noun.many}`} : table);
	}
}
