import type {Command} from 'commander';
import {SvcError} from '../../core/errors.ts';
import type {Act, AsOf, Fact, Noun} from '../../nouns/noun.ts';
import type {Context} from '../console/context.ts';
import {spanOption} from '../console/options.ts';
import {printTable, type Table} from '../console/print-table.ts';
import {printJson, printLines} from '../console/print.ts';

type Json = {readonly json?: boolean};

/** A noun as a table of the command line. */
export const tableOf = <Item, More>(
	{columns, printed}: Pick<Noun<Item, More>, 'columns' | 'printed'>,
	items: readonly Item[],
	known: AsOf & More,
): Table => {
	const shown = printed.columns.flatMap(key => columns.find(column => column.key === key) ?? []);
	return {
		header: shown.map(({key}) => key.toUpperCase()),
		rows: items.map(item =>
			shown.map(column => column.printed?.(item, known) ?? column.value(item, known, Infinity)),
		),
		empty: printed.empty,
		whole: printed.whole.map(key => key.toUpperCase()),
		optional: printed.optional.map(key => key.toUpperCase()),
	};
};

/** What is told of one thing, as lines. */
export const linesOf = <Item, More>(
	{head, facts, factCells}: Pick<Noun<Item, More>, 'head' | 'facts' | 'factCells'>,
	item: Item,
	known: AsOf & More,
): readonly string[] => [
	head(item, known)
		.map(({text}) => text)
		.join('  '),
	...facts(item, known).flatMap(fact => factLines(fact, factCells)),
];

function factLines(fact: Fact, cells: number): readonly string[] {
	if ('title' in fact) {
		return ['', fact.title];
	}

	if ('text' in fact) {
		return [`  ${fact.text}`];
	}

	const {name, value, meter} = fact;
	const percent = meter === undefined ? '' : ` (${Math.floor(meter * 100)}%)`;
	return [`  ${name.padEnd(cells)}  ${value}${percent}`];
}

/** `list [--json]`. */
export function addList<Item, More>(
	group: Command,
	context: Context,
	{
		noun,
		says,
		read,
	}: {
		readonly noun: Noun<Item, More>;
		readonly says: string;
		readonly read: () => Promise<{readonly items: readonly Item[]; readonly known: AsOf & More}>;
	},
): void {
	group
		.command('list')
		.description(says)
		.option('--json', 'print JSON')
		.action(async ({json}: Json) => {
			const {items, known} = await read();
			if (json) {
				printJson(context, items);
			} else {
				await printTable(context, tableOf(noun, items, known));
			}
		});
}

/** `show ID [--json]`. */
export function addShow<Item, More>(
	group: Command,
	context: Context,
	{
		noun,
		says,
		read,
	}: {
		readonly noun: Noun<Item, More>;
		readonly says: string;
		readonly read: (
			id: string,
		) => Promise<{readonly item: Item; readonly known: AsOf & More} | undefined>;
	},
): void {
	group
		.command('show')
		.description(says)
		.argument(`<${noun.argument}>`, `identifier of the ${noun.one}`)
		.option('--json', 'print JSON')
		.action(async (id: string, {json}: Json) => {
			const found = await read(id);
			if (!found) {
				throw notFound(noun, id, {verb: 'show', why: `there is no such ${noun.one}`});
			}

			if (json) {
				printJson(context, found.item);
			} else {
				printLines(context, linesOf(noun, found.item, found.known));
			}
		});
}

/** A command for each act: `revoke ID [--json]`. */
export function addActs<Item, Port, Once>(
	group: Command,
	context: Context,
	{
		noun,
		acts,
		open,
		sayOnce,
	}: {
		readonly noun: Pick<Noun<Item>, 'argument' | 'one' | 'many' | 'missing'>;
		readonly acts: ReadonlyArray<Act<Item, Port, Once>>;
		readonly open: () => Promise<Port & AsyncDisposable>;
		/** Prints what is shown once. */
		readonly sayOnce?: (port: Port, once: Once, json: boolean) => Promise<void>;
	},
): void {
	for (const {verb, says, input, effect, gone} of acts) {
		const command = group
			.command(verb)
			.description(says)
			.argument(`<${noun.argument}>`, `identifier of the ${noun.one}`);
		if (input) {
			command.option(input.option, input.says, spanOption, spanOption(input.usual));
		}

		command
			.option('--json', 'print JSON')
			.action(async (id: string, {json = false, ...options}: Json & Record<string, unknown>) => {
				await using port = await open();
				const [chosen] = Object.values(options);
				const outcome = await effect(port, id, typeof chosen === 'number' ? chosen : 0);
				if (!outcome) {
					throw notFound(noun, id, {verb, why: gone});
				}

				if (outcome.once !== undefined && sayOnce) {
					await sayOnce(port, outcome.once, json);
				} else if (json) {
					printJson(context, outcome.json);
				} else {
					printLines(context, [outcome.said]);
				}
			});
	}
}

const notFound = (
	{many, missing}: Pick<Noun<never>, 'many' | 'missing'>,
	id: string,
	{verb, why}: {readonly verb: string; readonly why: string},
): SvcError =>
	new SvcError(missing, `Cannot ${verb} "${id.slice(0, 100)}": ${why}, see "svc ${many} list"`);
