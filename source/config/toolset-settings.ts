import {z} from 'zod';
import {readHostRule} from '../core/hosts.ts';
import {flag, nonEmptyText, seconds, setting, wholeNumber} from '../core/schema-parts.ts';
import {defineSettings, section} from '../core/settings.ts';

/** A list of hosts as people write it. */
export const hostTexts = z.array(
	nonEmptyText.refine(
		text => readHostRule(text) !== undefined,
		'is not a host: write a name, *.name or an address, with :port for another port than 80 and 443',
	),
);

export const hostRulesOf = (texts: readonly string[]) =>
	texts.flatMap(text => readHostRule(text) ?? []);

/** `toolsets.web`. @see manual/web.md */
const webSettings = defineSettings({
	hosts: setting(
		hostTexts,
		'[Hosts](web.md#hosts) from which `web_fetch` may get pages: names, `*.name`, `*`, with `:port`; only public addresses, whatever is listed',
		{default: ['*'], to: hostRulesOf},
	),
});

/** Path of a file or folder on this machine, as people write it. */
const listedPath = nonEmptyText.refine(
	text => /^(?:\/|~\/|~$)/.test(text) && !text.includes('\0'),
	'is no absolute path: begin it with / or ~/',
);

/** `toolsets.terminal`. @see manual/sandbox.md */
const terminalSettings = defineSettings({
	approval: setting(
		z.enum(['ask', 'allow']),
		'`ask`: a person has to allow each command; `allow`: in a sandbox nobody is asked',
		{default: 'ask'},
	),
	workdir: setting(
		listedPath,
		'The folder in which commands start and may write; made if missing; absent: `work` in the folder of the profile',
	),
	forge: setting(
		z.enum(['none', 'read']),
		'`read`: in the sandbox `gh` and `git` can [read the repository of the event](sandbox-network.md#forge) with the login of the gateway; they do not get its token',
		{default: 'none'},
	),
	timeout_seconds: setting(
		seconds(24 * 60 * 60),
		'Seconds after which a command is ended; a call may ask for less',
		{default: 120, unit: 'seconds'},
	),
	max_processes: setting(wholeNumber(1, 32_768), 'Processes of one command at a time', {
		default: 256,
	}),
	max_memory_mb: setting(
		wholeNumber(16, 1_048_576),
		'Memory of all processes of a command together, `/tmp` included, in megabytes',
		{default: 2048},
	),
});

/** `toolsets.file`. @see manual/file.md */
const fileSettings = defineSettings({
	approval: setting(
		z.enum(['ask', 'allow']),
		'In a sandbox, `ask`: a person has to allow each change of a file; `allow`: nobody is asked. Reading and searching need no approval',
		{default: 'ask'},
	),
	workdir: setting(
		listedPath,
		'The folder in which files may be changed, and to which paths are relative; made if missing; absent: `work` in the folder of the profile. It must be the `workdir` of `terminal`, or [separate from it](file.md#the-process)',
	),
});

/** The settings of configurable toolsets, by name. */
export const toolsetSettings = {
	web: webSettings,
	terminal: terminalSettings,
	file: fileSettings,
} as const;

/** `sandbox`. @see manual/sandbox.md */
export const sandboxSettings = defineSettings({
	required: flag(
		true,
		'`false`: if no sandbox works, the tools run without one; each call then asks a person, and says that there is no sandbox',
	),
	read: setting(
		z.array(listedPath),
		"Files and folders that may be read, besides the system's and the working folder",
		{default: []},
	),
	write: setting(z.array(listedPath), 'Folders that may be written, besides the working folder', {
		default: [],
	}),
	hosts: setting(
		hostTexts,
		'[Hosts](sandbox-network.md#hosts) that may be reached: names, `*.name`, `*`, with `:port`; a private address only if the address itself is listed',
		{default: [], to: hostRulesOf},
	),
});

/** `sandbox` of the file. `broken`: why it cannot be used; then no tool that needs a sandbox is offered. */
export type SandboxConfig = ReturnType<typeof sandboxSettings.read> & {readonly broken?: string};

export type ToolsetName = keyof typeof toolsetSettings;

/** The toolsets with a working folder and a sandbox. If a run has both, the first one decides where its checkout appears. */
export const sandboxedToolsets = ['terminal', 'file'] as const satisfies readonly ToolsetName[];

export type SandboxedToolset = (typeof sandboxedToolsets)[number];

/** `toolsets.<name>`. `broken`: why the toolset cannot be used; its other settings are meaningless then. */
export type ToolsetsConfig = {
	readonly [Name in ToolsetName]: ReturnType<(typeof toolsetSettings)[Name]['read']> & {
		readonly broken?: string;
		/** Why its tools work without a sandbox, if none could be made: then each call needs an approval. */
		readonly open?: string;
	};
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the record
export const toolsetNames = Object.keys(toolsetSettings) as readonly ToolsetName[];

/** The toolsets if `toolsets` is unreadable (`broken`) or absent. */
export const toolsetsWithout = (broken?: string): ToolsetsConfig =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each name
	Object.fromEntries(
		toolsetNames.map(name => [
			name,
			{...toolsetSettings[name].read({}), ...(broken !== undefined && {broken})},
		]),
	) as ToolsetsConfig;

/** `toolsets` of the file. */
export const toolsetsSchema = z
	.object({
		web: section(webSettings, 'Pages of the web'),
		terminal: section(terminalSettings, 'Commands on this machine'),
		file: section(fileSettings, 'Files on this machine'),
	})
	.nullish()
	.transform((written): ToolsetsConfig => written ?? toolsetsWithout())
	.meta({description: 'Tools that svc brings itself'});

/** `tools`. @see manual/tool-servers.md#many-tools */
export const toolsSettings = defineSettings({
	max_schema_tokens: setting(
		wholeNumber(0, 10_000_000),
		"Tokens (four characters each) of a run's tools above which the model [searches for them](tool-servers.md#many-tools)",
		{default: 20_000},
	),
});
