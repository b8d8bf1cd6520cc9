import {type ChildProcess, spawn} from 'node:child_process';
import type {Environment} from '../../config/environment.ts';
import {orElse} from '../../core/or-else.ts';
import {splitCommand} from '../../core/shell-words.ts';

/** Whether the person is at another machine: a browser started here would open on a screen that they do not see. */
export const isOverSsh = (environment: Environment): boolean =>
	['SSH_CONNECTION', 'SSH_TTY', 'SSH_CLIENT'].some(name => Boolean(environment[name]));

/**
 * Opens a page in the person's browser: `$BROWSER`, else the system's default. Resolves to whether a program was started; never rejects. Only http and https, as a
 * single argument without a shell, because the address is a stranger's.
 */
export async function openInBrowser(
	url: URL,
	{
		environment,
		platform = process.platform,
	}: {readonly environment: Environment; readonly platform?: NodeJS.Platform},
): Promise<boolean> {
	if (!/^https?:$/.test(url.protocol) || isOverSsh(environment)) {
		return false;
	}

	const [program, ...args] = commandFor(url.href, opener(environment, platform));
	if (program === undefined) {
		return false;
	}

	return new Promise(resolve => {
		const child = start(program, args, environment);
		if (!child) {
			resolve(false);
			return;
		}

		child.once('error', () => resolve(false));
		child.once('spawn', () => {
			child.unref();
			resolve(true);
		});
	});
}

/** `undefined` if `spawn` throws, which it does for arguments that no program can take; other failures are reported later. */
const start = (
	program: string,
	args: readonly string[],
	environment: Environment,
): ChildProcess | undefined =>
	orElse(
		() => spawn(program, args, {stdio: 'ignore', detached: true, env: {...environment}}),
		undefined,
	);

/** Puts the address in place of `%s`, or at the end. */
function commandFor(address: string, words: readonly string[]): readonly string[] {
	if (words.length === 0) {
		return [];
	}

	return words.some(word => word.includes('%s'))
		? words.map(word => word.replaceAll('%s', () => address))
		: [...words, address];
}

function opener(environment: Environment, platform: NodeJS.Platform): readonly string[] {
	// Of a list, uses the first entry.
	const [own = ''] = (environment['BROWSER'] ?? '').split(platform === 'win32' ? ';' : ':');
	const words = splitCommand(own);
	if (words.length > 0) {
		return words;
	}

	if (platform === 'darwin') {
		return ['open'];
	}

	if (platform === 'win32') {
		return ['rundll32', 'url.dll,FileProtocolHandler'];
	}

	// Without a display, `xdg-open` would start a text browser on this terminal, or nothing.
	return environment['DISPLAY'] || environment['WAYLAND_DISPLAY'] ? ['xdg-open'] : [];
}
