import {type ChildProcess, spawn} from 'node:child_process';
import type {Environment} from '../../config/environment.ts';
import {orElse} from '../../core/or-else.ts';
import {splitCommand} from '../../core/shell-words.ts';

/** Whether the person sits at another machine: a browser that is started here would open on a screen that they do not see. */
export const isOverSsh = (environment: Environment): boolean =>
	['SSH_CONNECTION', 'SSH_TTY', 'SSH_CLIENT'].some(name => Boolean(environment[name]));

/**
 * Shows a page in the person's browser: `$BROWSER`, else what the system opens pages with. Resolves with whether a program was started; never rejects. Only http and https, as
 * one argument and without a shell: the address is a stranger's.
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

/** `undefined` for arguments that no program can take: `spawn` throws for those, and reports other failures later. */
const start = (
	program: string,
	args: readonly string[],
	environment: Environment,
): ChildProcess | undefined =>
	orElse(
		() => spawn(program, args, {stdio: 'ignore', detached: true, env: {...environment}}),
		undefined,
	);

/** The address takes the place of `%s`, or stands at the end. */
function commandFor(address: string, words: readonly string[]): readonly string[] {
	if (words.length === 0) {
		return [];
	}

	return words.some(word => word.includes('%s'))
		? words.map(word => word.replaceAll('%s', () => address))
		: [...words, address];
}

function opener(environment: Environment, platform: NodeJS.Platform): readonly string[] {
	// A list: the first entry is as good as any.
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

	// Without a screen it would start a browser of text on this terminal, or nothing.
	return environment['DISPLAY'] || environment['WAYLAND_DISPLAY'] ? ['xdg-open'] : [];
}
