import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {mkdir, readdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Clock} from '../core/clock.ts';
import {type Safe, escapeLine} from '../core/untrusted.ts';
import {literal, safe} from './text/safe.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The result of a copy. */
type Copied = {
	/** `terminal`: requested by OSC 52. `tool`: only by a program on this machine. `file`: saved to a file, whose path was copied. */
	readonly way: 'terminal' | 'tool' | 'file' | 'nowhere';
	/** For a toast: `copied by OSC 52 and wl-copy`. */
	readonly message: Safe;
	/** The file's path, for `file`. */
	readonly path?: string;
};

const maxFiles = 20;

type ClipboardPlace = {
	readonly environment: Environment;
	readonly directory: string;
	readonly isTty: boolean;
	readonly platform?: NodeJS.Platform;
};

/**
 * Copies text. Always asks the terminal by OSC 52, because only it can reach the person's clipboard over SSH; in addition uses the desktop's tool on the local
 * machine, or tmux's buffer inside tmux. Text too long for terminals is saved to a file of mode 0600 below `directory` (the newest 20 are kept), and its path
 * copied.
 *
 * @param options.write writes to the terminal
 * @param options.environment of the process; also that of its tools
 */
export function createClipboard(
	{write, clock}: {readonly write: (sequence: string) => void; readonly clock: Clock},
	{environment, directory, isTty, platform = process.platform}: ClipboardPlace,
) {
	const multiplexer = multiplexerOf(environment);
	const tool = clipboardTool(environment, platform);

	const toTool = async (text: string) =>
		tool && (await pipeInto(tool.argv, text, {clock, environment})) ? tool.name : undefined;

	const toFile = async (text: string): Promise<Copied> => {
		const path = await keep(directory, text);
		const sequence = osc52(path, multiplexer);
		write(sequence ?? '');
		await toTool(path);
		const shown = escapeLine(path);
		return {way: 'file', path, message: safe`too long to copy: the path of ${shown} is copied`};
	};

	return {
		/** Never rejects. Never reads the clipboard. */
		async copy(raw: string): Promise<Copied> {
			if (!isTty) {
				return {way: 'nowhere', message: literal('nothing copied: there is no terminal')};
			}

			const text = harmless(raw);
			const sequence = osc52(text, multiplexer);
			write(sequence ?? '');
			const by = await toTool(text);
			if (sequence !== undefined) {
				const message = by ? safe`copied by OSC 52 and ${by}` : literal('copied by OSC 52');
				return {way: 'terminal', message};
			}

			if (by) {
				return {way: 'tool', message: safe`copied by ${by}`};
			}

			try {
				return await toFile(text);
			} catch (error) {
				const reason = escapeLine(String(error), 120);
				return {way: 'nowhere', message: safe`nothing copied: ${reason}`};
			}
		},
	};
}

/**
 * Makes text harmless to paste: control characters other than line feed and tab become pictures, bidirectional overrides are removed. All else is unchanged, so
 * that a copied payload stays the payload.
 */
const harmless = (text: string): string =>
	text
		.toWellFormed()
		.replaceAll('\r\n', '\n')
		.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
		.replaceAll(/[^\P{Cc}\n\t]/gu, character => {
			const code = character.charCodeAt(0);
			return code < 0x20 ? String.fromCodePoint(0x24_00 + code) : '\u2421';
		});

async function keep(directory: string, text: string): Promise<string> {
	await mkdir(directory, {recursive: true, mode: 0o700});
	const files = (await readdir(directory)).filter(name => name.startsWith('clip-')).toSorted();
	const surplus = files.slice(0, Math.max(0, files.length - maxFiles + 1));
	await Promise.all(surplus.map(async name => rm(join(directory, name), {force: true})));

	const last = Number.parseInt(files.at(-1)?.slice(5, 13) ?? '0', 10) || 0;
	const number = String(last + 1).padStart(8, '0');
	const path = join(directory, `clip-${number}-${randomUUID().slice(0, 8)}.txt`);
	await writeFile(path, text, {mode: 0o600, flag: 'wx'});
	return path;
}

const maxBase64Length = 74_994;
const screenChunk = 76;

/** A multiplexer between svc and the terminal that must be told to pass sequences on. */
type Multiplexer = 'tmux' | 'screen' | undefined;

/** The sequence that asks the terminal to copy `text`, wrapped for a multiplexer. `undefined` if `text` is too long for terminals (74,994 characters of base64). */
export function osc52(text: string, multiplexer: Multiplexer): string | undefined {
	const base64 = Buffer.from(text).toString('base64');
	if (base64.length > maxBase64Length) {
		return undefined;
	}

	const sequence = `\u001B]52;c;${base64}\u0007`;
	if (multiplexer === 'tmux') {
		return `\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`;
	}

	if (multiplexer === 'screen') {
		// screen cuts strings longer than 768 bytes, so each piece gets its own wrapper.
		const pieces = sequence.match(new RegExp(`[^]{1,${screenChunk}}`, 'g')) ?? [];
		return pieces.map(piece => `\u001BP${piece}\u001B\\`).join('');
	}

	return sequence;
}

/** The multiplexer that the environment indicates. */
const multiplexerOf = ({TMUX: tmux, STY: screen}: Environment): Multiplexer =>
	tmux ? 'tmux' : screen ? 'screen' : undefined;

/** A program that reads the text from standard input. */
type ClipboardTool = {readonly name: Safe; readonly argv: readonly [string, ...string[]]};

const limitMs = 1000;

/** The variables these programs need; never the process's secrets. */
const passedOn =
	'PATH HOME USER LANG DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR TMUX TMUX_TMPDIR'.split(
		' ',
	);

/** Whether the person is at another machine. */
const isOverSsh = (environment: Environment): boolean =>
	['SSH_TTY', 'SSH_CONNECTION', 'SSH_CLIENT'].some(name => Boolean(environment[name]));

/** The tool to use besides OSC 52: tmux's buffer inside tmux, else the desktop's clipboard on this machine; none over SSH. */
export function clipboardTool(
	environment: Environment,
	platform: NodeJS.Platform,
): ClipboardTool | undefined {
	if (environment['TMUX']) {
		return {name: literal('tmux'), argv: ['tmux', 'load-buffer', '-w', '-']};
	}

	if (isOverSsh(environment)) {
		return undefined;
	}

	if (platform === 'darwin') {
		return {name: literal('pbcopy'), argv: ['pbcopy']};
	}

	if (environment['WAYLAND_DISPLAY']) {
		return {name: literal('wl-copy'), argv: ['wl-copy']};
	}

	return environment['DISPLAY']
		? {name: literal('xclip'), argv: ['xclip', '-selection', 'clipboard']}
		: undefined;
}

/** Runs a program with `text` as input. Resolves to whether it succeeded within 1 s; kills it after that. Never rejects. */
async function pipeInto(
	[command, ...args]: readonly [string, ...string[]],
	text: string,
	{clock, environment}: {readonly clock: Clock; readonly environment: Environment},
): Promise<boolean> {
	const env = Object.fromEntries(passedOn.map(name => [name, environment[name]]));
	const child = spawn(command, args, {stdio: ['pipe', 'ignore', 'ignore'], env});
	const cancel = clock.after(limitMs, () => child.kill('SIGKILL'));
	try {
		return await new Promise<boolean>(resolve => {
			child.once('error', () => resolve(false));
			child.once('exit', code => resolve(code === 0));
			// A tool that exits early breaks the pipe; its exit code tells whether it failed.
			child.stdin.on('error', () => {});
			child.stdin.end(text);
		});
	} finally {
		cancel();
	}
}
