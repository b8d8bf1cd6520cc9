import {join, normalize} from 'node:path';
import type {CallPreview} from '../../core/approval.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {quotedPath} from '../../core/names.ts';
import type {Tool, ToolResult} from '../../core/tool.ts';
import {isInside} from '../sandbox/places.ts';
import {
	bashCommand,
	type LimitedJob,
	runInSandbox,
	runLimited,
	type SandboxExit,
} from '../sandbox/run-in-sandbox.ts';
import {openSandboxTools} from '../sandbox/tools-sandbox.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';
import {createRunEgress} from './run-egress.ts';

/** How many bytes of output a model gets: half from its beginning, half from its end. */
const outputBytes = 100_000;

/** The longest command in bytes: a process argument is limited to 128 KiB. */
const maxCommandBytes = 100_000;

/**
 * The tool `terminal`: bash in a new sandbox for each call. Needs approval unless the settings allow commands and a sandbox confines them.
 *
 * @see manual/sandbox.md
 */
export async function terminalTool(
	run: ToolsRun,
	world: ToolsWorld,
	stack: AsyncDisposableStack,
): Promise<Tool> {
	const {timeoutMs} = world.settings().terminal;
	const {folder, isSandbox, placeOfCall, toolOf} = await openSandboxTools('terminal', run, world);
	const egress = createRunEgress(run, world, stack);

	/** Uses the current settings. */
	const start = async ({command, cwd}: CommandArguments, job: LimitedJob): Promise<SandboxExit> => {
		// Both streams in one, as in a terminal.
		const argv = ['/bin/bash', ...bashCommand, 'exec /bin/bash --norc -c -- "$0" 2>&1', command];
		const place = await placeOfCall();
		if (typeof place === 'string') {
			return {kind: 'not-started', reason: place};
		}

		if (place.kind === 'open') {
			return runOpen(argv, {...job, profile: run.profile, cwd}, world);
		}

		const plan = await egress({...place.plan, cwd});
		return typeof plan === 'string'
			? {kind: 'not-started', reason: plan}
			: runInSandbox(argv, {...job, launch: place.launch, plan}, world);
	};

	return toolOf({
		name: 'terminal',
		readOnly: false,
		describe: ({folder: workdir, where}) => ({
			description:
				`Runs a command with bash and returns its exit code and output. Starts in ${where}, which it may write; a call has at most ${timeoutMs / 1000} s. ${isSandbox ? 'It runs in a sandbox: only listed folders and hosts are there, and nothing that it starts outlives the call.' : ''}`.trim(),
			inputSchema: inputSchemaOf(workdir, timeoutMs),
		}),
		async preview(args) {
			const asked = read(args, folder);
			return typeof asked === 'string'
				? {problem: asked}
				: {preview: previewOf(asked, world.settings().terminal)};
		},
		async execute(args, {signal}) {
			const asked = read(args, folder);
			if (typeof asked === 'string') {
				return {text: asked, isError: true};
			}

			const {timeoutMs: most, maxProcesses, maxMemoryMb} = world.settings().terminal;
			const limits = {maxProcesses, maxMemoryBytes: maxMemoryMb * 2 ** 20};
			const limitMs = Math.min(asked.timeoutMs ?? most, most);
			const exit = await start(asked, {signal, timeoutMs: limitMs, limits, outputBytes});
			signal.throwIfAborted();
			return resultOf(exit, limitMs);
		},
	});
}

/** Runs a command without a sandbox, within the same limits, after a person was told and approved. Never rejects. */
async function runOpen(
	[command = '', ...args]: readonly string[],
	{profile, cwd, ...job}: LimitedJob & Pick<ToolsRun, 'profile'> & {readonly cwd: string},
	{clock}: Pick<ToolsWorld, 'clock'>,
): Promise<SandboxExit> {
	const {environment, userHome} = profile;
	const env = {HOME: userHome, PATH: environment['PATH'] ?? '/usr/bin:/bin', TERM: 'dumb'};
	return runLimited({command, args, env, cwd}, job, {clock});
}

const inputSchemaOf = (workdir: string, timeoutMs: number): JsonObject => ({
	type: 'object',
	properties: {
		command: {type: 'string', description: 'For bash; may have several lines'},
		workdir: {
			type: 'string',
			description: `Folder to start in: ${workdir}, or one in it`,
		},
		timeout_seconds: {
			type: 'number',
			exclusiveMinimum: 0,
			description: `Ends the command earlier than after ${timeoutMs / 1000} s`,
		},
	},
	required: ['command'],
	additionalProperties: false,
});

const maxShown = {lines: 2000, length: 60_000} as const;

/** The approval sheet of a command: its text, and where it would run. */
function previewOf(
	{command, cwd, timeoutMs}: CommandArguments,
	{timeoutMs: most}: {readonly timeoutMs: number},
): CallPreview {
	const lines = command.split('\n');
	return {
		title: 'command',
		facts: [
			{name: 'workdir', value: quotedPath(cwd)},
			{name: 'time limit', value: `${Math.min(timeoutMs ?? most, most) / 1000} s`},
		],
		...(lines.length <= maxShown.lines && command.length <= maxShown.length && {lines}),
	};
}

type CommandArguments = {
	readonly command: string;
	readonly cwd: string;
	readonly timeoutMs?: number;
};

/** The parsed arguments, or the problem with them. */
function read(args: JsonValue, workdir: string): CommandArguments | string {
	const {command, workdir: given, timeout_seconds: seconds} = isJsonObject(args) ? args : {};
	if (typeof command !== 'string' || command.trim() === '' || command.includes('\0')) {
		return 'Cannot run the command: "command" is no text, is empty or holds a NUL';
	}

	if (Buffer.byteLength(command) > maxCommandBytes) {
		return `Cannot run the command: it is longer than ${maxCommandBytes} bytes; write it to a file first`;
	}

	if (seconds !== undefined && seconds !== null && !(typeof seconds === 'number' && seconds > 0)) {
		return 'Cannot run the command: "timeout_seconds" is no number above 0';
	}

	if (given !== undefined && given !== null && typeof given !== 'string') {
		return 'Cannot run the command: "workdir" is no text';
	}

	const cwd = normalize(given?.startsWith('/') ? given : join(workdir, given ?? '')).replace(
		/(?<=.)\/+$/,
		'',
	);
	if (!isInside(cwd, workdir) || cwd.includes('\0')) {
		return `Cannot run the command in "${given}": it does not lie in ${workdir}`;
	}

	return {
		command,
		cwd,
		...(typeof seconds === 'number' && {timeoutMs: Math.max(1, Math.round(seconds * 1000))}),
	};
}

function resultOf(exit: SandboxExit, timeoutMs: number): ToolResult {
	switch (exit.kind) {
		case 'exited':
			return {text: `exit code ${exit.code}\n${exit.output}`};

		case 'timeout':
			return {
				text: `time limit reached after ${timeoutMs / 1000} s; the output up to it:\n${exit.output}`,
				isError: true,
			};

		case 'above-limit':
			return {
				text: `ended: ${exit.limit}; the output up to it:\n${exit.output}`,
				isError: true,
			};

		case 'aborted':
			return {text: 'ended with its run', isError: true};

		case 'not-started':
			return {text: `Cannot run the command: ${exit.reason}`, isError: true};
	}
}
