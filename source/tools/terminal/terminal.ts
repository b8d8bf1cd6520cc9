import {join, normalize} from 'node:path';
import type {CallPreview} from '../../core/approval.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {quotedPath} from '../../core/names.ts';
import type {Tool, ToolResult} from '../../core/tool.ts';
import {isInside} from '../sandbox/places.ts';
import {bashCommand, runInSandbox, type SandboxExit} from '../sandbox/run-in-sandbox.ts';
import {openTools, type PlaceOfCall} from '../sandbox/tools-sandbox.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';
import {createRunEgress, type RunEgress} from './run-egress.ts';
import {runOpen} from './run-open.ts';

/** Bytes of an output that a model gets: as much of its beginning as of its end. */
const outputBytes = 100_000;

/** Longest command, bytes: more than 128 KiB is no argument of a process. */
const maxCommandBytes = 100_000;

/**
 * The tool `terminal`: bash in a sandbox of its own for each call. Asks a person unless the settings allow commands and a sandbox keeps them in.
 *
 * @see manual/sandbox.md
 */
export async function terminalTool(
	run: ToolsRun,
	world: ToolsWorld,
	stack: AsyncDisposableStack,
): Promise<Tool> {
	const {timeoutMs} = world.settings().terminal;
	const {folder, isSandbox, placeOfCall, toolOf} = await openTools('terminal', run, world);
	const egress = createRunEgress(run, world, stack);
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
			return typeof asked === 'string'
				? {text: asked, isError: true}
				: runCommand(asked, {run, world, egress, signal, placeOfCall});
		},
	});
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

/** A command as a person reads it, and what it would run in. */
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

/** The arguments, or what is wrong with them. */
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

async function runCommand(
	{command, cwd, timeoutMs: asked}: CommandArguments,
	{
		run,
		world,
		egress,
		signal,
		placeOfCall,
	}: {
		readonly run: ToolsRun;
		readonly world: ToolsWorld;
		readonly egress: RunEgress;
		readonly signal: AbortSignal;
		readonly placeOfCall: () => Promise<PlaceOfCall>;
	},
): Promise<ToolResult> {
	const {timeoutMs: most, maxProcesses, maxMemoryMb} = world.settings().terminal;
	const timeoutMs = Math.min(asked ?? most, most);
	const limits = {maxProcesses, maxMemoryBytes: maxMemoryMb * 2 ** 20};
	// Settings count as they are now.
	const found = await placeOfCall();
	if (typeof found === 'string') {
		return {text: `Cannot run the command: ${found}`, isError: true};
	}

	const plan = found.kind === 'sandbox' ? await egress({...found.plan, cwd}) : undefined;
	if (typeof plan === 'string') {
		return {text: `Cannot run the command: ${plan}`, isError: true};
	}

	// In one stream, as a terminal shows both.
	const argv = ['/bin/bash', ...bashCommand, 'exec /bin/bash --norc -c -- "$0" 2>&1', command];
	const exit =
		found.kind === 'sandbox' && plan
			? await runInSandbox(
					argv,
					{
						launch: found.launch,
						plan,
						signal,
						timeoutMs,
						limits,
						outputBytes,
					},
					world,
				)
			: await runOpen(argv, {run, cwd, signal, timeoutMs, limits, outputBytes}, world);
	signal.throwIfAborted();
	return resultOf(exit, timeoutMs);
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
