import {type Command, Option} from 'commander';
import {SvcError} from '../../core/errors.ts';
import type {Act} from '../../nouns/act.ts';
import {contentOf} from '../../nouns/field-kinds.ts';
import type {Noun} from '../../nouns/noun.ts';
import type {Context} from '../console/context.ts';
import {filterHelp, jsonOption, numberArgument, spanOption, type Json} from '../console/options.ts';
import {printResult} from '../console/print.ts';
import type {Finder, ManyFlags} from './act-on-many.ts';
import {addFieldOptions, fieldValues} from './field-options.ts';
import {identify, oneLine, shown} from './noun-commands.ts';

type ActedNoun<Item> = Pick<
	Noun<Item>,
	'argument' | 'argumentSays' | 'isNumbered' | 'missing' | 'one'
>;

type ActOptions<Item, Port, Once> = {
	readonly noun: ActedNoun<Item>;
	readonly acts: ReadonlyArray<Act<Item, Port, Once>>;
	/** Resolves the typed text to an identifier. */
	readonly idOf?: (typed: string, port: Port) => string | Promise<string>;
	/** The command that lists the items. */
	readonly list?: string;
	/** Options besides `--json`, at most one per verb, with their help. */
	readonly options?: Readonly<Record<string, readonly [flags: string, says: string]>>;
	/** For acts on several items: how to find them. */
	readonly find?: Finder<Item, Port>;
	/** `given`: the values of those options. */
	readonly open: (given: Readonly<Record<string, unknown>>) => Promise<Port & AsyncDisposable>;
	/** Prints a result that is shown only once. */
	readonly sayOnce?: (port: Port, once: Once, json: boolean) => Promise<void>;
};

/** Adds a command for each act: `revoke ID [--json]`. */
export function addActs<Item, Port, Once>(
	group: Command,
	context: Context,
	{
		noun,
		acts,
		idOf = typed => typed,
		list = 'list',
		options = {},
		find,
		open,
		sayOnce,
	}: ActOptions<Item, Port, Once>,
): void {
	for (const act of acts.flatMap(withBack)) {
		if (find && act.all?.onLine) {
			addActOnMany(group, context, {noun, act, find, open});
			continue;
		}

		const {verb, says, span, effect, gone} = act;
		const command = identify(group.command(verb).description(says), noun);
		if (span) {
			command.addOption(
				new Option(span.option, span.says)
					.argParser(spanOption)
					.default(spanOption(span.usual), span.usual),
			);
		}

		const [flags, about] = options[verb] ?? [];
		if (flags !== undefined) {
			command.option(flags, about);
		}

		command
			.option(...jsonOption)
			.action(
				async (
					id: string | number,
					{json = false, ...given}: Json & Readonly<Record<string, unknown>>,
				) => {
					await using port = await open(given);
					const chosen = span && given[new Option(span.option).attributeName()];
					const outcome = await effect(port, await idOf(String(id), port), {
						spanMs: typeof chosen === 'number' ? chosen : 0,
					});
					if (!outcome) {
						throw new SvcError(
							noun.missing,
							`Cannot ${verb} ${noun.one} ${shown(id)}: ${gone}, see "svc ${group.name()} ${list}"`,
						);
					}

					if (outcome.once !== undefined && sayOnce) {
						await sayOnce(port, outcome.once, json);
						return;
					}

					const lines = [oneLine(outcome.said)];
					printResult(context, {json, value: outcome.json, lines});
				},
			);
	}
}

type ManyOptions<Item, Port, Once> = Pick<ActOptions<Item, Port, Once>, 'noun' | 'open'> & {
	readonly act: Act<Item, Port, Once>;
	readonly find: Finder<Item, Port>;
};

/** `drop ID… | --filter WORDS`. */
function addActOnMany<Item, Port, Once>(
	group: Command,
	context: Context,
	{noun, act, find, open}: ManyOptions<Item, Port, Once>,
): void {
	const {fields = []} = act;

	const command = group
		.command(act.verb)
		.description(act.says)
		.argument(
			`[${noun.argument}...]`,
			`${noun.isNumbered ? 'numbers' : 'identifiers'} of the ${find.many}`,
			(text: string, before: readonly string[] | undefined) => [
				...(before ?? []),
				String(noun.isNumbered ? numberArgument(text) : text),
			],
		)
		.option('--filter <words>', `${filterHelp}; asks first`);
	addFieldOptions(command, fields)
		.option('--yes', 'do not ask')
		.option(...jsonOption)
		.action(
			async (
				ids: readonly string[],
				{filter, yes, json, ...given}: ManyFlags & Readonly<Record<string, unknown>>,
			) => {
				if (ids.length > 0 === (filter !== undefined)) {
					command.error(
						`error: name the ${find.many} to ${act.verb}, or use --filter, but not both`,
					);
				}

				const {actOnMany} = await import('./act-on-many.ts');
				await using port = await open(given);
				const told = contentOf({fields, values: fieldValues(fields, given)});
				await actOnMany(
					context,
					{noun, act, find, port},
					{filter, yes, json, ids: [...new Set(ids)], told},
				);
			},
		);
}

const withBack = <Item, Port, Once>(act: Act<Item, Port, Once>) =>
	act.back ? [act, {...act, ...act.back}] : [act];
