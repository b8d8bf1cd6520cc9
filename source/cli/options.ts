import {InvalidArgumentError} from 'commander';

/** A parser for a whole number from `least` to `most`. */
export const numberOption = (least: number, most: number) => (text: string) => {
	const value = Number(text);
	if (!/^\d+$/.test(text) || value < least || value > most) {
		throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
	}

	return value;
};

/** A parser for a comma-separated list, also repeated. */
export const listOption = (text: string, previous?: readonly string[]): readonly string[] => [
	...(previous ?? []),
	...text
		.split(',')
		.map(part => part.trim())
		.filter(part => part !== ''),
];

/** A parser for repeated `key=value` pairs. */
export const keyValueOption = (
	text: string,
	previous?: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
	const [key = '', ...value] = text.split('=');
	if (!/^[a-z_]{1,64}$/.test(key) || value.length === 0) {
		throw new InvalidArgumentError('Use key=value.');
	}

	return {...previous, [key]: value.join('=')};
};
