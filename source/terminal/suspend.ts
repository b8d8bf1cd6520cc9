import {spawn} from 'node:child_process';
import {constants} from 'node:fs';
import {mkdir, mkdtemp, open, rm} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {codeOf, SvcError} from '../core/errors.ts';
import {splitCommand} from '../core/shell-words.ts';
import {type Safe, escapeLine} from '../core/untrusted.ts';
import type {TerminalModes} from './modes.ts';

/** Leaves the screen, runs the task, redraws everything. */
export type Suspend = (task: () => Promise<void>) => Promise<void>;

/** What lending the terminal to another program needs. */
export type Lending = {
	readonly suspend: Suspend;
	readonly modes: Pick<TerminalModes, 'release' | 'reclaim'>;
	/** For temporary files; made with mode 0700. */
	readonly directory: string;
	/** The environment of the program. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Ignores a Ctrl-C meant for the program; returns a function that ends this. */
	readonly holdInterrupts?: () => () => void;
	/** Aborting it ends the program. */
	readonly signal?: AbortSignal;
};

/**
 * Opens `text` in the editor `command` (split like `$EDITOR`, without a shell). Returns the saved text, `undefined` if it was left unchanged. The gateway keeps
 * running meanwhile.
 *
 * @param document.suffix `.json`: editors know the language by it
 * @throws SvcError `program_not_started`, `program_failed`, `file_too_large` (over 8 MiB), `file_unreadable`
 */
export const editText = async (
	lending: Lending,
	command: string,
	document: {readonly text: string; readonly suffix: string},
): Promise<string | undefined> =>
	withFile(lending, document, async path => {
		await lend(lending, command, [path]);
		// Does not follow a link: an editor must not choose what svc reads.
		const edited = await readText(path, constants.O_NOFOLLOW, 'Cannot take what the editor left');
		return edited === document.text ? undefined : edited;
	});

/**
 * Shows `text` in the pager `command`. Takes only safe text, because pagers pass escape sequences on.
 *
 * @throws SvcError `program_not_started`, `program_failed`
 */
export async function pageText(lending: Lending, command: string, text: Safe): Promise<void> {
	await withFile(lending, {text, suffix: '.txt'}, async path => lend(lending, command, [path]));
}

/**
 * Opens the file at `path` in the editor `command`, at the line that `lineOf` finds in its text. Editors that do not understand `+LINE` get only the path.
 *
 * @throws SvcError `program_not_started`, `program_failed`, `file_too_large` (over 8 MiB), `file_unreadable`
 */
export async function openFile(
	lending: Lending,
	command: string,
	{path, lineOf}: {readonly path: string; readonly lineOf: (text: string) => number | undefined},
): Promise<void> {
	// The person's own file may be a link, as made by dotfile managers.
	const line = lineOf(await readText(path, 0, `Cannot open "${path}"`));
	const [program = ''] = splitCommand(command);
	const takesLine = plusEditors.test(basename(program));
	await lend(lending, command, line !== undefined && takesLine ? [`+${line}`, path] : [path]);
}

const plusEditors = /^(?:n?vim?|vi|view|nano|pico|emacs(?:client)?|micro|joe|kak|ne|jed|mg|ed)$/;

async function withFile<Result>(
	{directory}: Lending,
	{text, suffix}: {readonly text: string; readonly suffix: string},
	work: (path: string) => Promise<Result>,
): Promise<Result> {
	await mkdir(directory, {recursive: true, mode: 0o700});
	const folder = await mkdtemp(join(directory, 'open-'));
	try {
		const path = join(folder, `svc${suffix}`);
		const file = await open(path, 'wx', 0o600);
		try {
			await file.writeFile(text);
		} finally {
			await file.close();
		}

		return await work(path);
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
}

async function lend(lending: Lending, command: string, operands: readonly string[]): Promise<void> {
	const {suspend, modes, holdInterrupts} = lending;
	const [program, ...args] = splitCommand(command);
	if (program === undefined) {
		throw new SvcError(
			'program_not_started',
			'Cannot start "": set $EDITOR and $PAGER to programs',
		);
	}

	await suspend(async () => {
		modes.release();
		const letGo = holdInterrupts?.();
		try {
			await run(lending, [program, ...args, ...operands]);
		} finally {
			letGo?.();
			modes.reclaim();
		}
	});
}

async function run(
	{environment, signal}: Lending,
	[program, ...args]: readonly [string, ...string[]],
): Promise<void> {
	const name = escapeLine(program, 200);
	signal?.throwIfAborted();
	const child = spawn(program, args, {stdio: 'inherit', env: {...environment}});
	const end = () => child.kill();
	signal?.addEventListener('abort', end, {once: true});
	const {promise, resolve, reject} = Promise.withResolvers<string | undefined>();
	child.once('error', cause => {
		const hint = 'set $EDITOR or $PAGER to a program that exists';
		reject(new SvcError('program_not_started', `Cannot start "${name}": ${hint}`, {cause}));
	});
	child.once('exit', (code, killedBy) =>
		resolve(code === 0 ? undefined : (killedBy ?? `code ${code}`)),
	);
	try {
		const failure = await promise;
		signal?.throwIfAborted();
		if (failure !== undefined) {
			throw new SvcError(
				'program_failed',
				`Cannot use what "${name}" left: it ended with ${failure}`,
			);
		}
	} finally {
		signal?.removeEventListener('abort', end);
	}
}

const maxBytes = 8 * 1024 * 1024;

/**
 * Reads a UTF-8 file without blocking on a pipe. `flags`: added to the usual ones; `failed`: the beginning of error messages.
 *
 * @throws SvcError `file_unreadable` for what is no file, `file_too_large` (over 8 MiB)
 */
async function readText(path: string, flags: number, failed: string): Promise<string> {
	const unreadable = (why: string, cause?: unknown) =>
		new SvcError('file_unreadable', `${failed}: ${why}`, {cause});
	const all = constants.O_RDONLY | constants.O_NONBLOCK | flags;
	await using file = await open(path, all).catch((error: unknown) => {
		const code = codeOf(error);
		throw unreadable(code === 'ELOOP' ? 'it is a link' : code, error);
	});
	if (!(await file.stat()).isFile()) {
		throw unreadable('it is not a file');
	}

	// Reading one byte more than allowed detects a file that is too large, even one that grows meanwhile.
	const chunks = file.createReadStream({start: 0, end: maxBytes, autoClose: false});
	const bytes = Buffer.concat(await Array.fromAsync<Buffer>(chunks));
	if (bytes.length > maxBytes) {
		throw new SvcError('file_too_large', `${failed}: it is larger than 8 MiB`);
	}

	return bytes.toString();
}
