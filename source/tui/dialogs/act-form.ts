import type {JsonObject} from '../../core/json.ts';
import {contentOf} from '../../nouns/field-kinds.ts';
import type {FieldRecord} from '../../nouns/field.ts';
import {literal} from '../../terminal/text/safe.ts';
import {defineDialog, dialogState} from '../acts/dialog.ts';
import {newForm, type FormState} from '../forms/form.ts';
import {blankLine, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {titled} from './box.ts';
import type {Confirmation} from './questions.ts';
import {formDialog, leavingForm, reviewing} from './wizard.ts';

/** A question before an act, with optional fields for details. */
type ToldQuestion = Pick<Confirmation, 'title' | 'lines' | 'act'> & {
	/** Receives what was filled in. */
	readonly run: (told: JsonObject) => void;
};

const actForm = dialogState<ToldQuestion & {readonly form: FormState}>('act-form');

/** Asks for confirmation, with fields that may stay empty. */
export function askForTold(
	shell: Shell,
	{fields, ...question}: ToldQuestion & {readonly fields: readonly FieldRecord[]},
): void {
	actForm.open(shell, {...question, form: newForm(fields)}, {field: undefined, toast: undefined});
}

const widest = 84;

const form = formDialog(actForm, {
	widest,
	title: ({title}) => titled(title),
	head: ({lines}, width) => [blankLine, ...lines.flatMap(text => told(text, width)), blankLine],
	foot: 'a does it, Esc leaves it',
	send: {
		id: 'act-form.do',
		label: literal('do it'),
		failed: literal('Not done'),
		take: (_shell, {run, form: filled}) => ({run, values: contentOf(filled)}),
		async act(_shell, {run, values}) {
			run(values);
		},
	},
});

export const actFormDialog = defineDialog(actForm, {
	title: 'Question with a form',
	...form,
	commands: [...form.commands, reviewing('act-form'), leavingForm('act-form', literal('leave'))],
});
