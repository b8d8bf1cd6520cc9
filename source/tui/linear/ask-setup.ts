import {literal, safe} from '../../terminal/text/safe.ts';
import {setupForm, stepTitles, type SetupCard} from '../dialogs/setup-card.ts';
import {setupDoneLines, setupPlanLines} from '../dialogs/setup-lines.ts';
import {formLines} from '../forms/form-lines.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {choiceLines} from './answer.ts';
import {askForm} from './ask-form.ts';
import type {Asked} from './asked.ts';
import {choicesIn} from './choices.ts';
import {exact, spokenLines} from './spoken.ts';

const width = 400;

const words: Readonly<Record<string, string>> = {
	'setup.next': 'next',
	'setup.skip': 'skip',
	'setup.write': 'write',
	'setup.back': 'step back',
	'setup.copy': 'copy',
	'setup.done': 'close',
	'setup.review': 'approvals',
};

/** Setting up the receiver, a step after the other. */
export function askSetup(shell: Shell, card: SetupCard): Asked {
	const choices = choicesIn(shell, 'setup', words).map(choice => ({...choice, isExact: true}));
	const form = setupForm(card);
	const {stage, index, forms} = card;
	if (form) {
		const others = choicesIn(shell, 'form', {'form.copy': 'copy'});
		const all = [...choices, ...others];
		return askForm(shell, form, {
			of: `setup ${index}`,
			head(out) {
				out.say(
					safe`Setting up the receiver, ${index + 1} of ${forms.length}: ${clean(stepTitles[index] ?? '')}.`,
				);
			},
			always: choices.filter(({word}) => word === 'cancel'),
			review: {
				of: ['setup', index, form.values],
				prompt: literal('next, or cancel'),
				choices: all,
				read(out) {
					out.read([
						...formLines({...form, index: -1, option: -1}, width).rows.map(exact),
						...choiceLines(all),
					]);
				},
			},
		});
	}

	const rows =
		stage.kind === 'diff'
			? // The last line tells its keys: here the choices do.
				setupPlanLines(stage.plan, width).slice(0, -1)
			: stage.kind === 'done'
				? setupDoneLines(stage.written, width).slice(0, -1)
				: [];
	return {
		of: ['setup', stage.kind],
		prompt: stage.kind === 'diff' ? literal('write, or cancel') : literal('close'),
		choices,
		read(out) {
			out.read([...spokenLines(rows), ...choiceLines(choices)]);
		},
	};
}
