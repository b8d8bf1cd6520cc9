import type {Safe} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {Act, Noun, Outcome} from '../../nouns/noun.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../acts/command.ts';
import {copyText} from '../acts/copy.ts';
import {askForName, confirm, openMenu} from '../dialogs/questions.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {List} from '../state/list.ts';
import type {ListSource} from '../state/source.ts';
import {askForMarked, hasMarked, type Marked} from './marked.ts';

type Options<Item, Once> = {
	readonly noun: Pick<Noun<Item>, 'copies' | 'id' | 'many' | 'name' | 'one'>;
	readonly acts: ReadonlyArray<Act<Item, GatewayPort, Once>>;
	readonly list: ListSource<List<Item>>;
	/** Commands that help and footer name behind its acts, and before copying. */
	readonly others?: readonly PaneCommand[];
	/** Shows what is shown once. */
	readonly showOnce?: (shell: Shell, once: Once) => void;
	readonly marked?: Marked<Item>;
};

/** What keys do with the selected thing: its acts, and copying what of it can be copied. */
export function nounCommands<Item, Once = never>(
	options: Options<Item, Once>,
): readonly PaneCommand[] {
	const {noun, acts, list, marked, others = []} = options;
	const selected = (shell: Shell) => shell.list(list).selected();
	return [
		...acts.map((act): PaneCommand => ({
			id: `${list.id}.${act.verb}`,
			changes: true,
			keys: act.key === undefined ? [] : [act.key],
			label: clean(act.label ?? act.verb),
			why(shell) {
				const item = selected(shell);
				if (act.all && marked && hasMarked(shell, marked.marks)) {
					return undefined;
				}

				if (item === undefined) {
					return none;
				}

				const reason = act.why?.(item, {now: shell.clock.now()});
				return reason === undefined ? undefined : clean(reason);
			},
			run(shell) {
				const item = selected(shell);
				if (act.all && marked && hasMarked(shell, marked.marks)) {
					askForMarked(shell, {noun, marked}, act);
				} else if (item !== undefined) {
					const isBack = act.back?.isDone(item) === true;
					doAct(shell, item, {...options, act: isBack ? {...act, ...act.back} : act});
				}
			},
		})),
		...others,
		...(noun.copies
			? [
					selectedCommand(list, {
						id: `${list.id}.copy`,
						keys: ['y'],
						label: literal('copy'),
						run(shell, item) {
							openCopies(shell, noun, item);
						},
					}),
				]
			: []),
	];
}

const none = literal('Nothing is selected');

/** A command that does something with the selected thing, or with what `of` finds of it; `none` says why where there is nothing, `why` what else is in its way. */
export const selectedCommand = <Item, Value = Item>(
	list: ListSource<List<Item>>,
	{
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without `of` the value is the thing itself
		of = item => item as unknown as Value,
		none: noValue,
		why,
		run,
		...command
	}: Omit<PaneCommand, 'run' | 'why'> & {
		readonly of?: (item: Item) => Value | undefined;
		readonly none?: Safe;
		readonly why?: (item: Item) => Safe | undefined;
		readonly run: (shell: Shell, value: Value) => void;
	},
): PaneCommand => ({
	...command,
	why(shell) {
		const item = shell.list(list).selected();
		if (item === undefined) {
			return none;
		}

		return why?.(item) ?? (of(item) === undefined ? noValue : undefined);
	},
	run(shell) {
		const item = shell.list(list).selected();
		const value = item === undefined ? undefined : of(item);
		if (value !== undefined) {
			run(shell, value);
		}
	},
});

type Doing<Item, Once> = Pick<Options<Item, Once>, 'showOnce'> & {
	readonly noun: Pick<Noun<Item>, 'id' | 'name'>;
	readonly act: Act<Item, GatewayPort, Once>;
	/** Once it is done. */
	readonly done?: () => void;
};

/** Does an act with one thing, after the question that it has; says what came of it. */
export function doAct<Item, Once = never>(
	shell: Shell,
	item: Item,
	doing: Doing<Item, Once>,
): void {
	askFirst(shell, doing.act, {
		item,
		goOn(input) {
			perform(shell, item, {...doing, input});
		},
	});
}

/** Offers what can be copied of `item`. */
export function openCopies<Item>(
	shell: Shell,
	{copies, name, one}: Pick<Noun<Item>, 'copies' | 'name' | 'one'>,
	item: Item,
): void {
	openMenu(shell, {
		title: safe`Copy of ${clean(name(item))}`,
		notes: (copies?.notes ?? []).map(clean),
		items: (copies?.of(item, shell.port.getState()) ?? []).map(({key, label, text}) => ({
			key,
			label: clean(label),
			run() {
				shell.attempt(async () => {
					const found = typeof text === 'string' ? text : await text(shell.port);
					if (found === undefined) {
						shell.toast(safe`That ${clean(one)} is no longer stored`, 'warn');
					} else {
						await copyText(shell, found, clean(label));
					}
				});
			},
		})),
	});
}

/** Does it with what was chosen, after the person has agreed; at once where nothing is asked. */
function askFirst<Item>(
	shell: Shell,
	{ask, span}: Act<Item, GatewayPort, unknown>,
	{item, goOn}: {readonly item: Item; readonly goOn: (input: number) => void},
): void {
	if (span) {
		openMenu(shell, {
			title: clean(span.title(item)),
			notes: span.notes(item).map(clean),
			items: span.choices.map(({key, label, value}) => ({
				key,
				label: clean(label),
				run() {
					goOn(value);
				},
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
		title: clean(title),
		lines: lines.map(clean),
		act: clean(act),
		run() {
			goOn(0);
		},
	};
	if (typed) {
		askForName(shell, {...question, ...typed});
	} else {
		confirm.open(shell, question);
	}
}

function perform<Item, Once>(
	shell: Shell,
	item: Item,
	{noun, act, input, showOnce, done}: Doing<Item, Once> & {readonly input: number},
): void {
	if (act.starts) {
		shell.toast(clean(act.starts(item)));
	}

	shell.attempt(async () => {
		const outcome: Outcome<Once> | undefined = await act.effect(shell.port, noun.id(item), {
			spanMs: input,
			item,
		});
		if (outcome) {
			done?.();
		}

		if (outcome?.once !== undefined && showOnce) {
			showOnce(shell, outcome.once);
		} else if (outcome) {
			shell.toast(clean(outcome.said), 'good');
		} else {
			shell.toast(clean(`Cannot ${act.verb} ${noun.name(item)}: ${act.gone}`), 'warn');
		}
	});
}
