import {InvalidArgumentError, Option} from 'commander';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {listOption, secondsOption} from '../console/options.ts';

/** The values of `svc mcp add`'s options, by option name. */
export type ServerOptions = {
	readonly url?: string;
	readonly trust?: string;
	readonly json?: boolean;
	readonly [option: string]: unknown;
};

type Row = readonly [
	flags: string,
	says: string,
	takes?: ((option: Option) => Option) | undefined,
	/** The value of an option without argument. */
	value?: JsonValue,
];

const oneOf =
	(...words: readonly string[]) =>
	(option: Option) =>
		option.choices(words);
const pairs = (option: Option) => option.argParser(pairOption);
const seconds = (option: Option) => option.argParser(secondsOption);
const names = (option: Option) => option.argParser(listOption);
const texts = (option: Option) =>
	option.argParser((text: string, previous?: readonly string[]) => [...(previous ?? []), text]);

const trust: Row = [
	'--trust <tier>',
	'full: its tools run; untrusted (when absent): calls that may change something ask a person first',
	oneOf('full', 'untrusted'),
];

/** The options of `svc mcp add`, by the keys of a server's entry, in the entry's order. */
const rows: Readonly<Record<string, Row>> = {
	url: ['--url <url>', 'endpoint of a remote server'],
	transport: [
		'--transport <kind>',
		'sse: the older transport of remote servers',
		oneOf('http', 'sse'),
	],
	headers: ['--header <name=value>', 'header of requests to it; repeatable', pairs],
	env: ['--env <name=value>', 'variable of the program; repeatable', pairs],
	sandbox: [
		'--sandbox',
		"start the program in a sandbox: with the system's folders, and what the next three list",
		undefined,
		true,
	],
	read: ['--sandbox-read <path>', 'file or folder that it may read in there; repeatable', texts],
	write: ['--sandbox-write <path>', 'folder that it may write in there; repeatable', texts],
	hosts: [
		'--sandbox-hosts <hosts>',
		'hosts that it may reach from there, by commas: names, *.name, name:port',
		names,
	],
	auth: ['--oauth', 'it wants a login (OAuth)', undefined, 'oauth'],
	protocol: [
		'--protocol <era>',
		'how it is greeted; auto when absent',
		oneOf('auto', 'stateless', 'legacy'),
	],
	timeout: ['--timeout <seconds>', 'for a call; 300 when absent', seconds],
	connect_timeout: ['--connect-timeout <seconds>', 'to connect; 60 when absent', seconds],
	supports_parallel_tool_calls: ['--parallel', 'let its calls run side by side', undefined, true],
	lazy: ['--lazy', 'connect at the first call', undefined, true],
	include: ['--include <names>', 'only these tools: names or globs, by commas', names],
	exclude: ['--exclude <names>', 'all tools but these', names],
	enabled: ['--disabled', 'do not connect yet', undefined, false],
	trust,
};

const optionOf = ([flags, says, takes = option => option]: Row): Option =>
	takes(new Option(flags, says));

export const trustOption = (): Option => optionOf(trust);

/** The options for commander. */
export const serverOptions = (): readonly Option[] => Object.values(rows).map(optionOf);

/** The entry for `config.yaml` from the given options. */
export function serverEntryOf(given: ServerOptions, command: readonly string[]): JsonObject {
	const {
		include,
		exclude,
		sandbox,
		read,
		write,
		hosts,
		trust: tier = 'untrusted',
		...rest
	} = Object.fromEntries(
		Object.entries(rows).flatMap(([key, row]) => {
			const chosen = given[optionOf(row).attributeName()];
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own parser made it
			return chosen === undefined ? [] : [[key, row[3] ?? (chosen as JsonValue)]];
		}),
	);
	const [program, ...args] = command;
	return {
		...(program !== undefined && {command: program}),
		...(args.length > 0 && {args}),
		...rest,
		...((read ?? write ?? hosts) === undefined
			? sandbox !== undefined && {sandbox}
			: {sandbox: {...(read && {read}), ...(write && {write}), ...(hosts && {hosts})}}),
		...((include ?? exclude) !== undefined && {
			tools: {...(include && {include}), ...(exclude && {exclude})},
		}),
		trust: tier,
	};
}

/** A parser for repeated `Name=value` pairs. */
function pairOption(
	text: string,
	previous?: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
	const [, name, value] = /^([^\s=:]{1,256})=([^]*)$/.exec(text) ?? [];
	if (name === undefined || value === undefined) {
		throw new InvalidArgumentError('Use NAME=value.');
	}

	return {...previous, [name]: value};
}
