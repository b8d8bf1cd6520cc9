import type {JsonObject} from '../../core/json.ts';
import {compact} from '../../core/names.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {Act, Outcome} from '../../nouns/act.ts';
import type {Noun, Copied} from '../../nouns/noun.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {PaneCommand, IdAndKeys} from '../acts/command.ts';
import {copyText} from '../acts/copy.ts';
import {askForTold} from '../dialogs/act-form.ts';
import {askForName, confirmation, openMenu} from '../dialogs/questions.ts';
import type {Shell} from '../shell/shell.ts';
import type {List} from '../state/list.ts';
import type {ListSource} from '../state/source.ts';
import {askForMarked, orMarked, type Marked} from './marked.ts';

type Options<Item, Once> = {
	readonly noun: Pick<Noun<Item>, 'copies' | 'id' | 'many' | 'name' | 'one'>;
	readonly acts: ReadonlyArray<Act<Item, GatewayPort, Once>>;
	readonly list: ListSource<List<Item>>;
	/** Commands listed in help and footer after the acts, and before copying. */
	readonly others?: readonly PaneCommand[];
	/** Lists the acts after all other commands. */
	readonly actsLast?: true;
	/** Shows a result that can be shown only once. */
	readonly showOnce?: (shell: Shell, once: Once) => void;
	readonly marked?: Marked<Item>;
};

/** The commands for the selected item: its acts, and copying. */
export function nounCommands<Item, Once = never>(
	options: Options<Item, Once>,
): readonly PaneCommand[] {
	const {noun, acts, list, marked, others = [], actsLast = false} = options;
	const actCommands = acts.map((act): PaneCommand => {
		const command = onSelected(list)(
			[`${list.id}.${act.verb}`, ...compact([act.key])],
			escapeLine(act.label ?? act.verb),
			{
				changes: true,
				why: (item, {clock}) => act.why?.(item, {now: clock.now()}),
				run(shell, item) {
					const isBack = act.back?.isDone(item) === true;
					doAct(shell, item, {...options, act: isBack ? {...act, ...act.back} : act});
				},
			},
		);
		return act.all && marked
			? orMarked(command, marked.marks, shell => askForMarked(shell, {noun, marked}, act))
			: command;
	});
	const rest = [...others, ...(noun.copies ? [copyCommand(noun, list)] : [])];
	return actsLast ? [...rest, ...actCommands] : [...actCommands, ...rest];
}

/** Copies a text of the selected item, as its noun says. */
const copyCommand = <Item>(
	noun: Pick<Noun<Item>, 'copies' | 'name' | 'one'>,
	list: ListSource<List<Item>>,
): PaneCommand =>
	onSelected(list)([`${list.id}.copy`, 'y'], escapeLine(noun.copies?.label ?? 'copy'), {
		quiet: noun.copies?.isQuiet === true,
		why: item => noun.copies?.why?.(item),
		run: (shell, item) => copyOf(shell, noun, item),
	});

const nothingSelected = literal('Nothing is selected');

type Described = Omit<PaneCommand, 'id' | 'keys' | 'label' | 'run' | 'why'>;

/** A command for the selected item; `why`: what prevents it. */
type OnItem<Item> = Described & {
	readonly of?: never;
	readonly why?: (item: Item, shell: Shell) => string | undefined;
	readonly run: (shell: Shell, item: Item) => void;
};

/** A command for something found by the selected item; `none`: why nothing is found. */
type OnPart<Item, Value> = Described & {
	readonly of: (item: Item) => Value | undefined;
	readonly none: Safe;
	readonly run: (shell: Shell, value: Value) => void;
};

type Selecting<Item> = {
	<Value>(keys: IdAndKeys, label: Safe, command: OnPart<Item, Value>): PaneCommand;
	(keys: IdAndKeys, label: Safe, command: OnItem<Item>): PaneCommand;
};

/** Makes commands for a list's selected item, or for something found by it. */
export const onSelected =
	<Item>(list: ListSource<List<Item>>): Selecting<Item> =>
	<Value>(
		[id, ...keys]: IdAndKeys,
		label: Safe,
		command: OnItem<Item> | OnPart<Item, Value>,
	): PaneCommand => ({
		...command,
		id,
		keys,
		label,
		why(shell) {
			const item = shell.list(list).selected();
			if (item === undefined) {
				return nothingSelected;
			}

			if (command.of) {
				return command.of(item) === undefined ? command.none : undefined;
			}

			const reason = command.why?.(item, shell);
			return reason === undefined ? undefined : escapeLine(reason);
		},
		run(shell) {
			const item = shell.list(list).selected();
			const value = item === undefined ? undefined : command.of?.(item);
			if (command.of && value !== undefined) {
				command.run(shell, value);
			} else if (!command.of && item !== undefined) {
				command.run(shell, item);
			}
		},
	});

type Doing<Item, Once> = Pick<Options<Item, Once>, 'showOnce'> & {
	readonly noun: Pick<Noun<Item>, 'id' | 'name'>;
	readonly act: Act<Item, GatewayPort, Once>;
	/** Called when the act is done. */
	readonly done?: () => void;
};

/** Does an act to one item, after its question, and shows the outcome. */
export function doAct<Item, Once = never>(
	shell: Shell,
	item: Item,
	doing: Doing<Item, Once>,
): void {
	askFirst(shell, doing.act, {
		item,
		goOn: (spanMs, told) => perform(shell, item, {...doing, given: {spanMs, ...(told && {told})}}),
	});
}

/** Asks for confirmation and does the act; at once if it has no question. */
function askFirst<Item>(
	shell: Shell,
	{ask, span, fields}: Act<Item, GatewayPort, unknown>,
	{item, goOn}: {readonly item: Item; readonly goOn: (spanMs: number, told?: JsonObject) => void},
): void {
	if (span) {
		openMenu(shell, {
			title: escapeLine(span.title(item)),
			notes: span.notes(item).map(text => escapeLine(text)),
			items: span.choices.map(({key, label, value}) => ({
				key,
				label: escapeLine(label),
				run: () => goOn(value),
			})),
		});
		return;
	}

	const asked = ask?.(item, {now: shell.clock.now()});
	if (!asked) {
		goOn(0);
		return;
	}

	const {title, lines, act, typed} = asked;
	const question = {
		title: escapeLine(title),
		lines: lines.map(text => escapeLine(text)),
		act: escapeLine(act),
		run: () => goOn(0),
	};
	if (fields) {
		askForTold(shell, {...question, fields, run: told => goOn(0, told)});
	} else if (typed) {
		askForName(shell, {...question, ...typed});
	} else {
		confirmation.open(shell, question);
	}
}

type Performing<Item, Once> = Doing<Item, Once> & {
	readonly given: {readonly spanMs: number; readonly told?: JsonObject};
};

function perform<Item, Once>(
	shell: Shell,
	item: Item,
	{noun, act, given, showOnce, done}: Performing<Item, Once>,
): void {
	if (act.starts) {
		shell.toast(escapeLine(act.starts(item)));
	}

	shell.attempt(async () => {
		const outcome: Outcome<Once> | undefined = await act.effect(shell.port, noun.id(item), {
			...given,
			item,
		});
		if (outcome) {
			done?.();
		}

		if (outcome?.once !== undefined && showOnce) {
			showOnce(shell, outcome.once);
		} else if (outcome) {
			shell.toast(escapeLine(outcome.said), 'good');
		} else {
			shell.toast(escapeLine(`Cannot ${act.verb} ${noun.name(item)}: ${act.gone}`), 'warn');
		}
	});
}

/** Copies `item`'s text, or offers a menu if it has several. */
export function copyOf<Item>(
	shell: Shell,
	{copies, name, one}: Pick<Noun<Item>, 'copies' | 'name' | 'one'>,
	item: Item,
): void {
	const copy = ({label, text}: Copied) =>
		shell.attempt(async () => {
			const found = typeof text === 'string' ? text : await text(shell.port);
			if (found === undefined) {
				shell.toast(safe`That ${escapeLine(one)} is no longer stored`, 'warn');
			} else {
				await copyText(shell, found, escapeLine(label));
			}
		});

	const all = copies?.of(item, shell.port.getState()) ?? [];
	if ('text' in all) {
		copy(all);
		return;
	}

	openMenu(shell, {
		title: safe`Copy of ${escapeLine(name(item))}`,
		notes: (copies?.notes ?? []).map(text => escapeLine(text)),
		items: all.map(text => ({key: text.key, label: escapeLine(text.label), run: () => copy(text)})),
	});
}
