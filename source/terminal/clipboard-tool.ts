import {spawn} from 'node:child_process';
import type {Clock} from '../core/clock.ts';
import type {Safe} from '../core/untrusted.ts';
import {literal} from './text/safe.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that takes text on its standard input. */
export type ClipboardTool = {readonly name: Safe; readonly argv: readonly [string, ...string[]]};

const limitMs = 1000;

/** All that these programs need; never the secrets of the process. */
const passedOn =
	'PATH HOME USER LANG DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR TMUX TMUX_TMPDIR'.split(
		' ',
	);

/** Whether the person sits at another machine. */
const isOverSsh = (environment: Environment): boolean =>
	['SSH_TTY', 'SSH_CONNECTION', 'SSH_CLIENT'].some(name => Boolean(environment[name]));

/** The tool beside OSC 52: tmux's own buffer inside tmux, the desktop's clipboard on this machine; over SSH no other. */
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

/** Runs a program with `text` as its input. Whether it ended well within 1 s; it is killed after that. Never rejects. */
export async function pipeInto(
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
			// A tool that ends early breaks the pipe; its exit code says the rest.
			child.stdin.on('error', () => {});
			child.stdin.end(text);
		});
	} finally {
		cancel();
	}
}
