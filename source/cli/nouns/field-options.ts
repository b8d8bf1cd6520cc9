import {type Command, InvalidArgumentError, Option} from 'commander';
import {fieldProblem, typedValue} from '../../nouns/field-kinds.ts';
import type {FieldRecord, FieldValue} from '../../nouns/field.ts';
import {keyValueOption, listOption, numberOption} from '../console/options.ts';

type Given = {readonly [option: string]: unknown};

/** A field as a command option. */
const optionOf = (
	field: FieldRecord,
	{flags, isNeeded = false}: NonNullable<FieldRecord['option']>,
): Option => {
	const {description, kind, least = 0, most = Number.MAX_SAFE_INTEGER, options = []} = field;
	const says = `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
	const option = new Option(flags, says).makeOptionMandatory(isNeeded);
	if (kind === 'boolean') {
		return option.choices(['yes', 'no']).default(field.initial === false ? 'no' : 'yes');
	}

	if (kind === 'integer') {
		return option.argParser(numberOption(least, most));
	}

	if (kind === 'choices' || kind === 'texts') {
		return option.argParser((text: string, before?: readonly string[]) => {
			const list = [...new Set(listOption(text, before))];
			const known = options.map(({value}) => value);
			if (kind === 'texts') {
				return list;
			}

			if (!(list.length > 0 && list.every(one => known.includes(one)))) {
				throw new InvalidArgumentError(`Use some of ${known.join(', ')}.`);
			}

			return known.filter(one => list.includes(one));
		});
	}

	if (kind === 'mapping') {
		return option.argParser(keyValueOption);
	}

	if (kind === 'choice' && flags.includes('<')) {
		return option.choices(options.map(({value}) => value));
	}

	// Text of several lines is not validated here, but when written.
	return flags.includes('<') && kind !== 'lines'
		? option.argParser((text: string) => read(field, text))
		: option;
};

function read(field: FieldRecord, text: string): FieldValue {
	const typed = typedValue(field, text);
	const problem = typed.ok ? fieldProblem({...field, required: true}, typed.value) : typed.problem;
	if (problem !== undefined || !typed.ok) {
		throw new InvalidArgumentError(problem ?? '');
	}

	return typed.value;
}

/** Adds an option for each field that has one. */
export function addFieldOptions(command: Command, fields: readonly FieldRecord[]): Command {
	for (const field of fields) {
		if (field.option) {
			command.addOption(optionOf(field, field.option));
		}
	}

	return command;
}

/** The values of fields, as in a form, from a command's options. */
export const fieldValues = (
	fields: readonly FieldRecord[],
	given: Given,
): Readonly<Record<string, FieldValue>> =>
	Object.fromEntries(
		fields.map(field => {
			const {key, kind, initial, option} = field;
			const value = option && given[new Option(option.flags).attributeName()];
			if (value === undefined) {
				return [key, initial];
			}

			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own parser made it
			return [key, kind === 'boolean' ? value === 'yes' : ((option?.value ?? value) as FieldValue)];
		}),
	);
