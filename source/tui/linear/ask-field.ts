import type {JsonValue} from '../../core/json.ts';
import type {Safe} from '../../core/untrusted.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {entryOf, fieldProblem, isTyped, typedText, typedValue} from '../forms/field-kinds.ts';
import type {FieldKind, FieldRecord, FieldValue} from '../forms/field.ts';
import {fieldTitle, valueText} from '../forms/form-lines.ts';
import {withValue, type FormState} from '../forms/form.ts';
import {clean, wrapText} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {LocalState} from '../state/source.ts';
import type {Asked, Choice} from './asked.ts';

/** The lines of a text so far, while several are typed. */
const typedLines: LocalState<readonly string[] | undefined> = {initial: undefined};

export type FieldQuestion = {
	readonly of: readonly unknown[];
	readonly form: FormState;
	readonly field: FieldRecord;
	readonly update: (change: (form: FormState) => FormState) => void;
	/** The value as it is shown; absent: as the form has it. */
	readonly shown?: Safe;
	/** It has its value: what comes next. */
	readonly done: () => void;
	/** What an empty line does. */
	readonly skip: () => void;
	/** What may be said besides a value. */
	readonly others: readonly Choice[];
};

/** Asks for the value of one field, whatever form it belongs to. */
export function askField(shell: Shell, question: FieldQuestion): Asked {
	const {of, form, field, update, shown, done, skip, others} = question;
	const value = form.values[field.key];
	const lines = shell.local(typedLines).get();
	const put = (next: FieldValue, isLast = true) => {
		shell.local(typedLines).set(() => undefined);
		update(now => withValue(now, field.key, next));
		if (isLast) {
			done();
		}
	};
	const type = (text: string) => {
		const typed = typedValue(field, text);
		const problem = typed.ok ? fieldProblem(field, typed.value) : typed.problem;
		if (typed.ok && problem === undefined) {
			put(typed.value);
		} else {
			shell.local(typedLines).set(() => undefined);
			shell.toast(safe`Not taken: ${fieldTitle(field)} ${clean(problem ?? '')}`, 'warn');
		}
	};
	if (lines) {
		return askLines(shell, {field, lines, type});
	}

	const values = valueChoices(field, value, put);
	return {
		of: [...of, 'value', entryOf(field) === 'options' ? value : undefined],
		prompt: fieldTitle(field),
		isMasked: field.masked,
		choices: [
			...values,
			...(entryOf(field) === 'area' ? longChoices(shell, {field, value, type}) : []),
			{
				word: 'clear',
				label: literal('leave it empty'),
				isExact: true,
				run() {
					put(undefined);
				},
			},
			...others,
		],
		read(out) {
			const needed = field.required ? literal(', needed') : empty;
			const has = shown ?? valueText(field, form);
			out.say(safe`${fieldTitle(field)}${needed}, ${kinds[field.kind]}. Now: ${has}`);
			for (const row of wrapText(field.description, maxWidth)) {
				if (row !== '') {
					out.say(safe`| ${row}`);
				}
			}

			values.forEach(({label}, index) => {
				out.say(safe`${index + 1}. ${label}`);
			});
			if (entryOf(field) === 'area') {
				out.say(literal('Type one line, or say lines for several, or editor for $EDITOR.'));
			}
		},
		skip(out) {
			const problem = fieldProblem(field, value);
			if (problem === undefined) {
				skip();
			} else {
				out.say(safe`${fieldTitle(field)} ${clean(problem)}.`);
			}
		},
		...(isTyped(field) && {
			take({text}: {readonly text: string}) {
				type(text.startsWith('=') ? text.slice(1) : text);
			},
		}),
	};
}

const maxWidth = 200;

const kinds: Readonly<Record<FieldKind, Safe>> = {
	text: literal('a text'),
	lines: literal('a text of several lines'),
	number: literal('a number'),
	integer: literal('a whole number'),
	boolean: literal('yes or no'),
	choice: literal('one of these, by its number'),
	choices: literal('any of these, each by its number, and Enter when they are right'),
	texts: literal('texts with commas between them'),
	mapping: literal('lines of "key: value"'),
	json: literal('JSON'),
};

function valueChoices(
	{kind, options = []}: FieldRecord,
	value: FieldValue,
	put: (value: FieldValue, isLast?: boolean) => void,
): readonly Choice[] {
	if (kind === 'boolean') {
		return [true, false].map(one => ({
			word: one ? 'yes' : 'no',
			keys: one ? ['y', 'true'] : ['n', 'false'],
			label: one ? literal('yes') : literal('no'),
			run() {
				put(one);
			},
		}));
	}

	const chosen: readonly JsonValue[] = Array.isArray(value) ? value : [value ?? null];
	const all = options.map(option => option.value);
	return options.map(option => ({
		word: '',
		label: safe`${clean(option.title)}${chosen.includes(option.value) ? literal(', chosen') : empty}`,
		run() {
			if (kind === 'choice') {
				put(option.value);
			} else {
				put(
					all.filter(one => (one === option.value) !== chosen.includes(one)),
					false,
				);
			}
		},
	}));
}

type Typing = {readonly field: FieldRecord; readonly type: (text: string) => void};

const longChoices = (
	shell: Shell,
	{field, value, type}: Typing & {readonly value: FieldValue},
): readonly Choice[] => [
	{
		word: 'lines',
		label: literal('type several lines'),
		isExact: true,
		run() {
			shell.local(typedLines).set(() => []);
		},
	},
	{
		word: 'editor',
		label: literal('write it in $EDITOR'),
		isExact: true,
		run() {
			shell.attempt(async () => {
				const text = await shell.desktop.edit(typedText(field, value), '.txt');
				if (text !== undefined) {
					type(text.replace(/\n$/, ''));
				}
			});
		},
	},
];

const askLines = (
	shell: Shell,
	{field, lines, type}: Typing & {readonly lines: readonly string[]},
): Asked => {
	const add = (text: string) => {
		shell.local(typedLines).set(() => [...lines, text]);
	};

	return {
		of: ['lines', field.key],
		prompt: safe`line ${lines.length + 1}`,
		choices: [],
		read(out) {
			out.say(literal('Type the lines; one that is only a full stop ends them.'));
		},
		skip() {
			add('');
		},
		take({text}) {
			if (text.trim() === '.') {
				type(lines.join('\n'));
			} else {
				add(text);
			}
		},
	};
};
