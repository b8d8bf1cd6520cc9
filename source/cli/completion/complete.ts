import type {Command, Option} from 'commander';

/** A possible completion. */
export type Candidate = {readonly value: string; readonly says?: string};

/** The completions of the last word: candidates, or a noun whose names must be looked up. */
export type WordCompletion = {
	/** The part to complete, without a prefix in the same word. */
	readonly begun: string;
	/** The prefix in the same word: `--route=`. */
	readonly before: string;
	readonly candidates: readonly Candidate[];
	readonly noun?: CompletedNoun | undefined;
};

type Place = {
	readonly command: Command;
	readonly path: readonly string[];
	/** How many arguments were given so far. */
	readonly taken: number;
	/** The option whose value is the last word. */
	readonly option: Option | undefined;
	/** After `--`, words are no options. */
	readonly isPlain: boolean;
	/** Options already given. */
	readonly given: ReadonlySet<Option>;
};

/** Completes the last of `words`, which follow the program's name. Derived from the commands; no I/O. */
export function completeWords(program: Command, words: readonly string[]): WordCompletion {
	const last = words.at(-1) ?? '';
	const place = placeOf(program, words.slice(0, -1));
	const {command, path, taken, option, isPlain, given} = place;
	if (option) {
		return valueOf(option, {path, text: last});
	}

	const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
	const inline = isPlain ? undefined : optionNamed(command, name);
	if (inline && value !== undefined) {
		return valueOf(inline, {path, text: value, before: `${name}=`});
	}

	if (!isPlain && last.startsWith('-')) {
		return {begun: last, before: '', candidates: optionsOf(command, given)};
	}

	const {registeredArguments} = command;
	const argument = registeredArguments[taken] ?? registeredArguments.find(({variadic}) => variadic);
	return {
		begun: last,
		before: '',
		candidates: [
			...(taken === 0 && !isPlain ? commandsOf(command) : []),
			...(argument?.argChoices ?? []).map(choice => ({value: choice})),
		],
		noun: argument && nounOfArgument(path, argument.name()),
	};
}

function placeOf(program: Command, words: readonly string[]): Place {
	let command = program;
	let path: readonly string[] = [];
	let taken = 0;
	let option: Option | undefined;
	let isPlain = false;
	const given = new Set<Option>();
	for (const word of words) {
		if (option) {
			// A list continues until the next option.
			option = option.variadic && !word.startsWith('-') ? option : undefined;
			if (!word.startsWith('-') || option) {
				continue;
			}
		}

		if (isPlain) {
			taken += 1;
		} else if (word === '--') {
			isPlain = true;
		} else if (word.startsWith('-')) {
			const found = optionNamed(command, word.replace(/=.*$/s, ''));
			if (found) {
				given.add(found);
				option = takesValue(found) && !word.includes('=') ? found : undefined;
			}
		} else {
			const sub =
				taken === 0 ? command.commands.find(one => namesOf(one).includes(word)) : undefined;
			if (sub) {
				command = sub;
				path = [...path, sub.name()];
			} else {
				taken += 1;
			}
		}
	}

	return {command, path, taken, option, isPlain, given};
}

const takesValue = ({required, optional}: Option): boolean => required || optional;

const namesOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

/** The command's own options, then those of its parents. */
function allOptions(command: Command | null): readonly Option[] {
	return command ? [...command.options, ...allOptions(command.parent)] : [];
}

const optionNamed = (command: Command, name: string): Option | undefined =>
	allOptions(command).find(({long, short}) => name !== '' && (name === long || name === short));

/** Of parent commands, only options that every command accepts. */
function optionsOf(command: Command, given: ReadonlySet<Option>): readonly Candidate[] {
	const own = command.options.filter(
		option => !option.hidden && (!given.has(option) || option.variadic || isRepeatable(option)),
	);
	const profile = command.parent
		? allOptions(command.parent).filter(({long}) => long === '--profile')
		: [];
	return [
		...[...own, ...profile.filter(option => !given.has(option))].flatMap(({long, description}) =>
			long === undefined || long === null ? [] : [{value: long, says: description}],
		),
		{value: '--help', says: 'what the command takes'},
	];
}

/** Options with a parser may accumulate repeated values. */
const isRepeatable = ({description}: Option): boolean => /repeat/i.test(description);

/** The value of an option as far as written in `text`; of a list, the last name. */
function valueOf(
	option: Option,
	{path, text, before = ''}: {path: readonly string[]; text: string; before?: string},
): WordCompletion {
	const long = option.long ?? '';
	const [, placeholder = ''] = /[<[]([^>\].]+)/.exec(option.flags) ?? [];
	const [, written = '', begun = text] =
		placeholder === 'list' ? (/^(.*,)(.*)$/s.exec(text) ?? []) : [];
	return {
		begun,
		before: before + written,
		candidates: (option.argChoices ?? []).map(value => ({value})),
		noun: byOption[`${path[0] ?? ''} ${long}`] ?? byOption[long] ?? byPlaceholder(placeholder),
	};
}

const commandsOf = (command: Command): readonly Candidate[] =>
	command
		.createHelp()
		.visibleCommands(command)
		.map(sub => ({value: sub.name(), says: sub.description()}));

/** Placeholders that name their noun themselves, as `<run>` or `[run...]`. */
const placeholders = [
	'route',
	'server',
	'job',
	'profile',
	'target',
	'platform',
	'delivery',
	'run',
	'group',
	'rule',
	'session',
	'skill',
	'topic',
	'code',
	'file',
] as const;

/** The kinds of names on a command line. `file`: left to the shell. */
export type CompletedNoun = (typeof placeholders)[number] | 'approval' | 'chat' | 'key' | 'writer';

const byPlaceholder = (name: string): CompletedNoun | undefined =>
	placeholders.find(placeholder => placeholder === name);

/** The noun behind `<name>` and `<id>`, by the command: its first word, or all of them. */
const byCommand: Readonly<Record<string, CompletedNoun>> = {
	'webhook name': 'route',
	'mcp name': 'server',
	'deliveries id': 'delivery',
	'approvals id': 'approval',
	'keys id': 'key',
	'chats chat': 'chat',
	'chats user': 'writer',
	'platforms name': 'platform',
};

/** Nouns of options whose placeholder is ambiguous, by command or for all. */
const byOption: Readonly<Record<string, CompletedNoun>> = {
	'--profile': 'profile',
	'--route': 'route',
	'--delivery': 'delivery',
	'--run': 'run',
	'--skills': 'skill',
	'deliveries --before': 'delivery',
};

/** Commands whose argument names something new. */
const isNew: ReadonlySet<string> = new Set(['mcp add', 'mcp client-document']);

/** The noun of argument `name` of a command (its words, without the program's name); `undefined`: free text. */
export const nounOfArgument = (
	command: readonly string[],
	name: string,
): CompletedNoun | undefined =>
	isNew.has(command.join(' '))
		? undefined
		: (byPlaceholder(name) ?? byCommand[`${command[0] ?? ''} ${name}`]);
