import {type Command, InvalidArgumentError} from 'commander';
import type {Clock} from '../../core/clock.ts';
import {nearestName} from '../../core/names.ts';
import type {Context} from './context.ts';

/** The option of every command that can print JSON. */
export const jsonOption = ['--json', 'print JSON'] as const;

export type Json = {readonly json?: boolean};

/** The action of a command, whose code `load` loads only when it runs: called with the context, then with commander's arguments. */
export const loads =
	<Words extends readonly unknown[]>(
		context: Context,
		load: () => Promise<(context: Context, ...words: Words) => Promise<unknown> | void>,
	) =>
	async (...words: Words): Promise<void> => {
		await (
			await load()
		)(context, ...words);
	};

/** The help of a listing's `--filter`. */
export const filterHelp =
	'only what passes these words, as the filter of the list on the screen takes them; searches all that is stored';

/** A parser for a whole number from `least` to `most`. */
export const numberOption = (least: number, most: number) => (text: string) => {
	const value = Number(text);
	if (!/^\d+$/.test(text) || value < least || value > most) {
		throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
	}

	return value;
};

/** A parser for the number of a run, a group or an approval, also as displayed: `#3`. */
export const numberArgument = (text: string): number =>
	numberOption(1, Number.MAX_SAFE_INTEGER)(text.replace(/^#/, ''));

/** A parser for text that is not blank. */
export const wordOption = (text: string): string => {
	if (text.trim() === '') {
		throw new InvalidArgumentError('Use a text that is not empty.');
	}

	return text;
};

/** A parser for a comma-separated list, which may be repeated. */
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

const unitMs = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000};

/** The longest accepted span: ten years. */
const maxMs = 10 * 365 * unitMs.d;

/** Milliseconds of `90s`, `30m`, `2h`, `3d`, `1w`, at most ten years; `undefined` for other text. */
function spanOf(text: string): number | undefined {
	const [, count = '', unit = ''] = /^(\d{1,10})([smhdw])$/.exec(text) ?? [];
	// The pattern allows no other unit.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	const span = Number(count) * unitMs[unit as keyof typeof unitMs];
	return unit !== '' && span <= maxMs ? span : undefined;
}

/** A parser for a time span; the value is in milliseconds. */
export const spanOption = (text: string): number => {
	const span = spanOf(text);
	if (span === undefined) {
		throw new InvalidArgumentError('Use a number and s, m, h, d or w, such as 24h.');
	}

	return span;
};

/** A parser for a number of seconds above 0, with fractions, at most a week; the value is in seconds. */
export const secondsOption = (text: string): number => {
	const seconds = Number(text);
	if (!/^\d{1,6}(?:\.\d{1,3})?$/.test(text) || seconds <= 0 || seconds > unitMs.w / 1000) {
		throw new InvalidArgumentError('Use seconds, such as 30 or 0.5, at most 604800.');
	}

	return seconds;
};

/** A parser for a point in time: a span before now, or a date with optional time, local unless it has a zone. Milliseconds since 1970. */
export const momentOption = (clock: Clock) => (text: string) => {
	const span = spanOf(text);
	if (span !== undefined) {
		return clock.now() - span;
	}

	// A date alone means local midnight, not UTC.
	const at = /^\d{4}-\d{2}-\d{2}/.test(text)
		? Date.parse(text.length === 'yyyy-mm-dd'.length ? `${text}T00:00` : text)
		: Number.NaN;
	if (Number.isNaN(at)) {
		throw new InvalidArgumentError('Use a span such as 2h or 3d, or a date such as 2026-11-20.');
	}

	return at;
};

/** Reports a usage error if words follow a command that also works without any: they were meant as a subcommand, so its own action is not wanted. */
export function refuseUnknownCommand(command: Command): void {
	const [unknown] = command.args;
	if (unknown !== undefined) {
		const names = command
			.createHelp()
			.visibleCommands(command)
			.map(one => one.name());
		const near =
			nearestName(unknown, names) ??
			names.find(name => name.startsWith(unknown)) ??
			commandOfGroup(command, unknown);
		command.error(`error: unknown command "${unknown}"${near ? `, did you mean "${near}"` : ''}`);
	}
}

/** `gateway status" or "mcp status` for `status`: subcommands of this name, if at most three. Never suggests one that allows something. */
function commandOfGroup(command: Command, name: string): string | undefined {
	const groups = command.commands.filter(({commands}) => commands.some(one => one.name() === name));
	return groups.length === 0 || groups.length > 3 || name === 'allow'
		? undefined
		: groups.map(group => `${group.name()} ${name}`).join('" or "');
}
