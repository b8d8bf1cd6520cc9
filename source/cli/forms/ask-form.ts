import type {JsonValue} from '../../core/json.ts';
import {escapeLine, escapeBlock} from '../../core/untrusted.ts';
import type {FieldRecord, FieldValue, TypedValue} from '../../nouns/field.ts';
import type {FormState} from '../../tui/forms/form.ts';
import {askLine} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {tell, tellSentences} from '../console/print.ts';
// Only types are imported: code for fields is loaded with the first form.

/** How a form ended: completed, declined, or abandoned. */
export type FormOutcome =
	| {readonly kind: 'filled'; readonly form: FormState}
	| {readonly kind: 'declined'}
	| {readonly kind: 'left'; readonly interrupted: boolean};

const hint =
	'Enter keeps what stands in brackets, "clear" empties, "undo" puts back what stood there first, "?" repeats the field, "back" goes to the field before, "go NAME" or "go NUMBER" to another one, "done" to the end, "cancel" or "quit" leaves; "=" before a text takes it as it is.';

type FormOptions = {
	readonly declines?: boolean;
	readonly isAsked?: (field: FieldRecord, values: FormState['values']) => boolean;
	readonly from?: number;
};

/**
 * Asks for the fields of a form, one after the other, until all are valid. A text of several lines ends with a line of a single full stop. `declines`: "decline"
 * is an answer. `from`: the index of the first field. `isAsked`: whether to ask for a field, given the values so far; others keep their values, which must be
 * valid. Only for a terminal.
 */
export async function askForm(
	context: Context,
	begun: FormState,
	{declines = false, from = 0, isAsked = () => true}: FormOptions = {},
): Promise<FormOutcome> {
	const {firstInvalidField, withValue} = await import('../../tui/forms/form.ts');
	await tellSentences(context, [declines ? `${hint} "decline" says no.` : hint]);
	let form = begun;
	for (let index = from; ;) {
		const field = form.fields[index];
		if (!field) {
			const invalid = firstInvalidField(form);
			if (!invalid) {
				return {kind: 'filled', form};
			}

			({index} = invalid);
			tell(context, `${nameOf(invalid.field)} ${invalid.problem}`);
			continue;
		}

		const {values} = form;
		if (!isAsked(field, values)) {
			index += 1;
			continue;
		}

		// oxlint-disable-next-line no-await-in-loop -- one field after the other
		const answer = await askField(context, field, {
			value: values[field.key],
			first: begun.values[field.key],
			place: `${index + 1} of ${form.fields.length}`,
		});
		switch (answer.kind) {
			case 'left':
				return answer;

			case 'value':
				form = withValue(form, field.key, answer.value);
				index += 1;
				break;

			case 'word':
				if (answer.word === 'cancel') {
					return {kind: 'left', interrupted: false};
				}

				if (answer.word === 'decline' && declines) {
					return {kind: 'declined'};
				}

				index =
					answer.word === 'back'
						? Math.max(
								0,
								form.fields.findLastIndex((one, at) => at < index && isAsked(one, values)),
							)
						: form.fields.length;
				break;

			case 'go': {
				const found = placeOf(form.fields, answer.to);
				if (found === -1) {
					tell(context, `No field ${JSON.stringify(escapeLine(answer.to, 100))} is here`);
				}

				index = found === -1 ? index : found;
				break;
			}
		}
	}
}

type FieldAnswer =
	| {readonly kind: 'value'; readonly value: FieldValue}
	| {readonly kind: 'word'; readonly word: string}
	| {readonly kind: 'go'; readonly to: string}
	| {readonly kind: 'left'; readonly interrupted: boolean};

/** Asks for one field until the input is a valid value, or a command word. */
async function askField(
	context: Context,
	field: FieldRecord,
	{
		value,
		first,
		place,
	}: {readonly value: FieldValue; readonly first: FieldValue; readonly place: string},
): Promise<FieldAnswer> {
	const {valueText} = await import('../../tui/forms/form-lines.ts');
	const {fieldEntryOf: entryOf, fieldProblem} = await import('../../nouns/field-kinds.ts');
	await tellSentences(context, fieldLines(field, place));
	const shown = valueText(field, {values: {[field.key]: value}});
	const now = isNone(value) ? '' : shown.replace(/^\[.\] (?=yes$|no$)/, '');
	const isArea = entryOf(field) === 'area';
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- until it can be taken
		const {text, raw, interrupted, ended} = await askLine(
			context,
			`${nameOf(field)}${isArea ? ', several lines' : ''} [${now}] `,
			{masked: field.masked},
		);
		if (interrupted || ended) {
			return {kind: 'left', interrupted};
		}

		if (text === '') {
			return {kind: 'value', value};
		}

		if (text === 'clear' || (isArea && text === '.')) {
			return {kind: 'value', value: undefined};
		}

		// The word that leaves the prompt of `svc --linear` is not taken as a value.
		const word = text === 'quit' ? 'cancel' : text;
		if (['back', 'done', 'cancel', 'decline'].includes(word)) {
			return {kind: 'word', word};
		}

		if (text === 'undo') {
			return {kind: 'value', value: first};
		}

		if (text === '?' || text === 'help') {
			// oxlint-disable-next-line no-await-in-loop -- before the field is asked for again
			await tellSentences(context, fieldLines(field, place));
			continue;
		}

		const [, to] = /^go(?: (.+))?$/.exec(text) ?? [];
		if (to !== undefined || text === 'go') {
			return {kind: 'go', to: to ?? ''};
		}

		// oxlint-disable-next-line no-await-in-loop -- the rest of the same text
		const whole = isArea ? await restOf(context, raw) : text;
		if (whole === undefined) {
			return {kind: 'left', interrupted: true};
		}

		// oxlint-disable-next-line no-await-in-loop
		const taken = await valueOf(field, whole.replace(/^=/, ''));
		const problem = taken.ok
			? isNone(taken.value)
				? undefined
				: fieldProblem(field, taken.value)
			: taken.problem;
		if (taken.ok && problem === undefined) {
			return {kind: 'value', value: taken.value};
		}

		tell(context, `Not taken: ${nameOf(field)} ${problem ?? ''}`);
	}
}

/** The index of a field by number (from 1), name, or unambiguous beginning of a name; -1 if not found. */
function placeOf(fields: readonly FieldRecord[], to: string): number {
	if (/^\d{1,4}$/.test(to)) {
		return Number(to) <= fields.length ? Number(to) - 1 : -1;
	}

	const named = fields.map(({title, key}) => (title || key).toLowerCase());
	const wanted = to.toLowerCase();
	const begun = named.filter(name => name.startsWith(wanted));
	return named.includes(wanted) || begun.length !== 1
		? named.indexOf(wanted)
		: named.indexOf(begun[0] ?? '');
}

const isNone = (value: FieldValue): boolean => value === undefined || value === '';

/** Reads the remaining lines, up to a line of a single full stop; `undefined` after Ctrl-C. */
async function restOf(context: Context, first: string): Promise<string | undefined> {
	const lines = [first];
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one line after the other
		const {text, raw, interrupted, ended} = await askLine(context, '| (. ends it) ');
		if (interrupted) {
			return undefined;
		}

		if (ended || text === '.') {
			return lines.join('\n');
		}

		lines.push(raw);
	}
}

/** A field's label in quotes, so that a name chosen by a stranger cannot be mistaken for svc's text. */
const nameOf = ({title, key}: FieldRecord): string => JSON.stringify(title || key);

function fieldLines(field: FieldRecord, place: string): readonly string[] {
	const {kind, required, format, least, most} = field;
	const bounds = [
		least === undefined ? '' : `at least ${least}`,
		most === undefined ? '' : `at most ${most}`,
	].filter(text => text !== '');
	return [
		'',
		[
			`${place}  ${nameOf(field)}  ${format ?? kindWords[kind]}`,
			...bounds,
			required ? 'required' : 'may be left out',
		].join(', '),
		...saidOf(field).map(line => `  ${line}`),
	];
}

/** The description of a field and its choices. Escaped, one line each. */
export const saidOf = ({description, options = []}: FieldRecord): readonly string[] => [
	...escapeBlock(description)
		.split('\n')
		.filter(text => text !== ''),
	...options.map(({title}, index) => `${index + 1}. ${JSON.stringify(title)}`),
];

const kindWords: Readonly<Record<FieldRecord['kind'], string>> = {
	text: 'text',
	lines: 'text of several lines, a full stop alone ends it',
	number: 'number',
	integer: 'whole number',
	boolean: 'yes or no',
	choice: 'one of these, by number',
	choices: 'some of these, numbers with commas between',
	texts: 'texts with commas between',
	mapping: '"key: value" lines, a full stop alone ends it',
	json: 'JSON, a full stop alone ends it',
};

/** Parses an input line to a field's value. */
async function valueOf(field: FieldRecord, text: string): Promise<TypedValue> {
	const {options = []} = field;
	const optionOf = (word: string): JsonValue | undefined =>
		(
			options[/^\d{1,4}$/.test(word) ? Number(word) - 1 : -1] ??
			options.find(({value, title}) => word === value || word === title)
		)?.value;
	switch (field.kind) {
		case 'boolean':
			return /^(?:y|yes|true|n|no|false)$/i.test(text)
				? {ok: true, value: /^[yt]/i.test(text)}
				: {ok: false, problem: 'is yes or no'};

		case 'choice': {
			const value = optionOf(text);
			return value === undefined
				? {ok: false, problem: `is a number from 1 to ${options.length}`}
				: {ok: true, value};
		}

		case 'choices': {
			const values = text.split(',').map(word => optionOf(word.trim()));
			return values.every(value => value !== undefined)
				? {ok: true, value: [...new Set(values)]}
				: {ok: false, problem: `is numbers from 1 to ${options.length}, with commas between`};
		}

		case 'integer':
		case 'json':
		case 'lines':
		case 'mapping':
		case 'number':
		case 'text':
		case 'texts':
			return (await import('../../nouns/field-kinds.ts')).typedValue(field, text);
	}
}
