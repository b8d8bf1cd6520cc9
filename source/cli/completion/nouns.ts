/** What a word of a command line may name. `file`: the shell knows better. */
export type Noun =
	| 'route'
	| 'server'
	| 'job'
	| 'profile'
	| 'target'
	| 'delivery'
	| 'run'
	| 'group'
	| 'approval'
	| 'rule'
	| 'key'
	| 'session'
	| 'topic'
	| 'code'
	| 'file';

/** What a placeholder stands for wherever it is used, as `<run>` or `[run...]`. */
const byPlaceholder: Readonly<Record<string, Noun>> = {
	route: 'route',
	server: 'server',
	job: 'job',
	profile: 'profile',
	target: 'target',
	delivery: 'delivery',
	run: 'run',
	group: 'group',
	rule: 'rule',
	session: 'session',
	topic: 'topic',
	code: 'code',
	file: 'file',
};

/** What `<name>` and `<id>` stand for, by the command: its first word, or all of them. */
const byCommand: Readonly<Record<string, Noun>> = {
	'webhook name': 'route',
	'mcp name': 'server',
	'deliveries id': 'delivery',
	'approvals id': 'approval',
	'keys id': 'key',
};

/** Options whose placeholder says too little, by the command or for all. */
const byOption: Readonly<Record<string, Noun>> = {
	'--profile': 'profile',
	'--route': 'route',
	'--delivery': 'delivery',
	'--run': 'run',
	'deliveries --before': 'delivery',
};

/** Words that name something new. */
const isNew: ReadonlySet<string> = new Set(['mcp add', 'mcp client-document']);

/** What argument `name` of a command (its words, without the program's) stands for; `undefined`: any text. */
export const nounOfArgument = (command: readonly string[], name: string): Noun | undefined =>
	isNew.has(command.join(' '))
		? undefined
		: (byPlaceholder[name] ?? byCommand[`${command[0] ?? ''} ${name}`]);

/** What the value of an option stands for: `long` is `--route`, `placeholder` the name in its brackets. */
export const nounOfOption = (
	command: readonly string[],
	{long, placeholder}: {readonly long: string; readonly placeholder: string},
): Noun | undefined =>
	byOption[`${command[0] ?? ''} ${long}`] ?? byOption[long] ?? byPlaceholder[placeholder];
