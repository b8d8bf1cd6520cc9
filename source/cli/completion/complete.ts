import type {Command, Option} from 'commander';

/** One thing that may stand there. */
export type Candidate = {readonly value: string; readonly says?: string};

/** What may stand in place of the last word: candidates, or a noun of which the names are to be looked up. */
export type WordCompletion = {
	/** The beginning that is written, without what stands before it in the same word. */
	readonly begun: string;
	/** What stands before it in the same word: `--route=`. */
	readonly before: string;
	readonly candidates: readonly Candidate[];
	readonly noun?: CompletedNoun | undefined;
};

type Place = {
	readonly command: Command;
	readonly path: readonly string[];
	/** Arguments of the command so far. */
	readonly taken: number;
	/** The option that the last word is the value of. */
	readonly option: Option | undefined;
	/** After `--` nothing is an option. */
	readonly isPlain: boolean;
	/** Options that are there already. */
	readonly given: ReadonlySet<Option>;
};

/** What may complete the last of `words`, which stand behind the program's name. Derived from the commands; no I/O. */
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
			// A list goes on until the next option.
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

/** Own options, then those of the commands above. */
function allOptions(command: Command | null): readonly Option[] {
	return command ? [...command.options, ...allOptions(command.parent)] : [];
}

const optionNamed = (command: Command, name: string): Option | undefined =>
	allOptions(command).find(({long, short}) => name !== '' && (name === long || name === short));

/** Of the commands above only what every command takes. */
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

/** One with a parser of its own may gather what is said again. */
const isRepeatable = ({description}: Option): boolean => /repeat/i.test(description);

/** The value of an option, as far as it is written in `text`. Of a list the last name counts. */
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

/** What stands for itself as a placeholder wherever it is used, as `<run>` or `[run...]`. */
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

/** What a word of a command line may name. `file`: the shell knows better. */
export type CompletedNoun = (typeof placeholders)[number] | 'approval' | 'chat' | 'key' | 'writer';

const byPlaceholder = (name: string): CompletedNoun | undefined =>
	placeholders.find(placeholder => placeholder === name);

/** What `<name>` and `<id>` stand for, by the command: its first word, or all of them. */
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

/** Options whose placeholder says too little, by the command or for all. */
const byOption: Readonly<Record<string, CompletedNoun>> = {
	'--profile': 'profile',
	'--route': 'route',
	'--delivery': 'delivery',
	'--run': 'run',
	'--skills': 'skill',
	'deliveries --before': 'delivery',
};

/** Words that name something new. */
const isNew: ReadonlySet<string> = new Set(['mcp add', 'mcp client-document']);

/** What argument `name` of a command (its words, without the program's) stands for; `undefined`: any text. */
export const nounOfArgument = (
	command: readonly string[],
	name: string,
): CompletedNoun | undefined =>
	isNew.has(command.join(' '))
		? undefined
		: (byPlaceholder(name) ?? byCommand[`${command[0] ?? ''} ${name}`]);
