import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {goToStep, noteShown, sheetNow, type OpenSheet} from '../acts/sheet.ts';
import {ruleKeys} from '../approvals/rule-step.ts';
import {sheetName, type SheetStep} from '../approvals/sheet.ts';
import {commandOf} from '../commands/table.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {Asked, Choice} from './asked.ts';
import {performTyped} from './choices.ts';
import {base, layoutOf} from './sheet-words.ts';
import {exact} from './spoken.ts';

type RuleStep = Extract<SheetStep, {kind: 'rule'}>;

/** A rule that is put together before it is stored: all of it is read whenever it changes. */
export function askRule(shell: Shell, open: OpenSheet, step: RuleStep): Asked {
	const {approval} = open;
	const keys = approval.kind === 'tool' ? ruleKeys(approval) : [];
	const acts: readonly Choice[] = (
		[
			['mark', 'approval.rule-mark', literal('mark an argument, by its number: mark 2')],
			['wider', 'approval.rule-wider', literal('a wider folder for it')],
			['nearer', 'approval.rule-nearer', literal('a nearer folder for it')],
		] as const
	).map(([word, , label]) => ({
		word,
		label,
		isExact: true,
		run(_typed, out) {
			out.say(safe`Say "${clean(word)}" with the number of the argument.`);
		},
	}));
	const all = base(shell, open);
	return {
		of: [...all.of, step.args, step.keys],
		prompt: literal('rule'),
		choices: [...all.choices, ...acts],
		read(out) {
			const layout = layoutOf(shell);
			out.say(literal('The rule, as it would be stored:'));
			for (const row of [...(layout?.content ?? []), ...(layout?.footer ?? [])]) {
				const text = exact(row);
				// Not what is only drawn.
				if (!/^[\s─]*$/.test(text)) {
					out.say(text);
				}
			}

			keys.forEach((key, index) => {
				out.say(safe`argument ${index + 1}: ${clean(key)}`);
			});
			noteAllShown(shell, step, keys.length);

			out.say(literal('Say store, any, exact, marked, mark with a number, or back.'));
		},
		take(typed, out) {
			const [, word = '', number = ''] =
				/^(mark|wider|nearer)\s+(\d+)$/i.exec(typed.text.trim()) ?? [];
			const command = commandOf(`approval.rule-${word.toLowerCase()}`);
			const cursor = Number(number) - 1;
			if (!command || keys[cursor] === undefined) {
				out.say(
					safe`Say store, any, exact, marked, mark 1${keys.length > 1 ? safe` to ${keys.length}` : empty}, or back.`,
				);
				return;
			}

			goToStep(shell, {...step, cursor});
			performTyped(shell, command, typed);
		},
	};
}

/** All rows were read: the guard learns of them window by window, as a cursor would go through them. */
function noteAllShown(shell: Shell, step: RuleStep, count: number): void {
	for (let cursor = 0; cursor < Math.max(1, count); cursor += 1) {
		goToStep(shell, {...step, cursor});
		const sheet = sheetNow(shell)?.sheet;
		const layout = layoutOf(shell);
		if (sheet && layout) {
			noteShown(shell, {of: sheetName(sheet, shell.view.get().size), asked: layout.asked});
		}
	}

	goToStep(shell, step);
}
