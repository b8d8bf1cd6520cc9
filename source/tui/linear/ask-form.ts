import {literal, safe} from '../../terminal/text/safe.ts';
import {changeForm} from '../dialogs/form.ts';
import {currentField, type FormState} from '../forms/form.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {LocalState} from '../state/source.ts';
import {askField} from './ask-field.ts';
import type {Asked, Choice, Out} from './asked.ts';

/** The form of which every field was gone through, by what it is the form of: what is asked is what becomes of it. */
const gone: LocalState<string> = {initial: ''};

export type FormQuestion = {
	/** What is filled in. */
	readonly of: string;
	/** Says whose form it is. */
	readonly head: (out: Out) => void;
	/** What may be said at any field. */
	readonly always: readonly Choice[];
	/** What is asked when all fields were gone through. */
	readonly review: Asked;
};

/** A form, one field after the other, and then what becomes of it. */
export function askForm(shell: Shell, form: FormState, question: FormQuestion): Asked {
	const {of, head, always, review} = question;
	const {index, fields} = form;
	const field = currentField(form);
	const setGone = (isAll: boolean) => {
		shell.local(gone).set(() => (isAll ? of : ''));
	};
	const toField = (at: number) => {
		setGone(at >= fields.length);
		changeForm(shell, now => ({
			...now,
			index: Math.max(0, Math.min(at, fields.length - 1)),
			option: 0,
		}));
	};
	const next = () => {
		toField(index + 1);
	};
	if (!field || shell.local(gone).get() === of) {
		return afterFields(review, fields.length, toField);
	}

	const asked = askField(shell, {
		of: [of, index],
		form,
		field,
		update(change) {
			changeForm(shell, change);
		},
		done: next,
		skip: next,
		others: [
			{
				word: 'back',
				label: literal('the field before'),
				isExact: true,
				run() {
					toField(index - 1);
				},
			},
			{
				word: 'done',
				label: literal('the end of the form'),
				isExact: true,
				run() {
					toField(fields.length);
				},
			},
			...always,
		],
	});
	return {
		...asked,
		read(out) {
			if (index === 0) {
				head(out);
				out.say(
					literal('Enter keeps a value. Say back, clear, done; = before a text takes it as it is.'),
				);
			}

			out.say(safe`Field ${index + 1} of ${fields.length}.`);
			asked.read(out);
		},
	};
}

const afterFields = (asked: Asked, count: number, toField: (at: number) => void): Asked => ({
	...asked,
	choices: [
		...asked.choices,
		...(count === 0
			? []
			: [
					{
						word: 'fields',
						label: literal('go through the fields again'),
						isExact: true,
						run() {
							toField(0);
						},
					},
				]),
	],
	take(typed, out) {
		const text = typed.text.trim();
		const at = Number(/^field\s+(\d+)$/i.exec(text)?.[1] ?? 0);
		if (at >= 1 && at <= count) {
			toField(at - 1);
		} else {
			out.say(safe`"${clean(text)}" is no answer here. Say help to hear what is.`);
		}
	},
});
