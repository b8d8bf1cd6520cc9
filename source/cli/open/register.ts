import {execFile} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {chmod, rm} from 'node:fs/promises';
import {homedir} from 'node:os';
import {isAbsolute, join, resolve} from 'node:path';
import {defaultProfile} from '../../config/home-paths.ts';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {replaceFile} from '../../core/own-files.ts';
import {nodeFlags} from '../../core/program.ts';
import {asWord} from '../../core/shell-words.ts';
import type {Context} from '../console/context.ts';
import {printLines} from '../console/print.ts';

/**
 * Registers this program as the handler of `svc://` links in this user's Linux desktop, or removes the registration. On other systems prints instructions.
 *
 * @throws SvcError `handler_unavailable`
 * @see manual/install-link.md#opening-links-from-the-browser
 */
export async function changeHandler(
	context: Context,
	change: 'register' | 'unregister',
	platform: NodeJS.Platform = process.platform,
): Promise<void> {
	if (platform !== 'linux') {
		printLines(context, stepsByHand(handlerCommand(context), change));
		throw new SvcError(
			'handler_unavailable',
			`Cannot ${change} the svc:// scheme on "${platform}": only Linux desktops are supported, follow the steps above`,
		);
	}

	const folder = applicationsFolder(context);
	printLines(
		context,
		change === 'register' ? await register(context, folder) : await unregister(context, folder),
	);
}

function stepsByHand(
	command: HandlerCommand,
	change: 'register' | 'unregister',
): readonly string[] {
	return change === 'register'
		? [
				'1. Make a program that opens a terminal and runs this command in it, with the link as its last argument:',
				`   ${wordsOf(command)
					.map(word => asWord(word))
					.join(' ')}`,
				'2. Register that program for the scheme "svc": on macOS in CFBundleURLTypes of an application, on Windows under HKCU\\Software\\Classes\\svc',
				'3. svc help install-link has the details',
			]
		: [
				'1. On macOS delete the application that you registered; on Windows delete HKCU\\Software\\Classes\\svc',
				'2. svc help install-link has the details',
			];
}

const fileName = 'svc-open.desktop';
const mimeType = 'x-scheme-handler/svc';

/** The folder for this user's desktop entries. @see https://specifications.freedesktop.org/basedir-spec/latest/ */
function applicationsFolder({environment}: Pick<Context, 'environment'>): string {
	const data = environment['XDG_DATA_HOME'] ?? '';
	const home = environment['HOME'] || homedir();
	return join(isAbsolute(data) ? data : join(home, '.local', 'share'), 'applications');
}

/** Writes the desktop entry and makes it the handler of `svc://`. Returns lines for the person. */
async function register(context: Context, folder: string): Promise<readonly string[]> {
	const file = join(folder, fileName);
	const entry = desktopEntry(handlerCommand(context));
	mkdirSync(folder, {recursive: true, mode: 0o755});
	await replaceFile(file, entry);
	await chmod(file, 0o644);
	return [
		`Wrote ${file}`,
		// First, because setting a default may require that the scheme has a known handler.
		await tell(context, [['update-desktop-database', folder]]),
		await tell(context, [
			['xdg-mime', 'default', fileName, mimeType],
			['gio', 'mime', mimeType, fileName],
		]),
	];
}

/** Removes the desktop entry. Returns lines for the person. */
async function unregister(context: Context, folder: string): Promise<readonly string[]> {
	const file = join(folder, fileName);
	await rm(file, {force: true});
	return [`Removed ${file}`, await tell(context, [['update-desktop-database', folder]])];
}

type Call = readonly [string, ...string[]];

/** Runs the first of `calls` whose program is installed; returns a line about the result. */
async function tell(context: Context, calls: readonly Call[]): Promise<string> {
	for (const [program, ...args] of calls) {
		const line = [program, ...args].join(' ');
		// oxlint-disable-next-line no-await-in-loop -- the next one takes the place of one that is missing
		const outcome = await runTool(context, program, args);
		if (outcome !== 'missing') {
			return outcome === 'done' ? `Ran ${line}` : `Failed: ${line}: ${outcome.failed}`;
		}
	}

	const names = calls.map(([program]) => program).join(' or ');
	return `Not done, since ${names} is not installed: ${calls[0]?.join(' ')}`;
}

/** Opens a terminal, because the person is asked there. @see https://specifications.freedesktop.org/desktop-entry-spec/latest/ */
export function desktopEntry(command: HandlerCommand): string {
	return `[Desktop Entry]
Type=Application
Name=svc
Comment=Install a tool server from a link
Exec=${wordsOf(command).map(execWord).join(' ')} %u
Terminal=true
NoDisplay=true
StartupNotify=false
MimeType=${mimeType};
`;
}

/** The command, preceded by `env` with its variables. */
function wordsOf({argv, variables}: HandlerCommand): readonly string[] {
	const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	return assignments.length === 0 ? argv : ['env', ...assignments, ...argv];
}

/** One argument of `Exec`: escaped as an argument, then as a string of the file. A plain word stays unchanged. */
function execWord(word: string): string {
	const plain = word.replaceAll('%', '%%');
	return /^[\w@%+:,./-]+$/.test(plain) && plain !== ''
		? plain
		: `"${plain.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`.replaceAll('\\', '\\\\');
}

/** How the desktop starts this program; the link is appended. */
type HandlerCommand = {
	readonly argv: readonly string[];
	/** Required variables that desktops do not set. */
	readonly variables: Readonly<Record<string, string>>;
};

/**
 * The command that opens links for the home and profile of `context`. It ends with `--`, so that a link is never taken for an option.
 *
 * @throws SvcError `handler_unavailable` when a path of it holds a line break or another control, which no registration can hold
 */
export function handlerCommand(context: Context, script = process.argv[1] ?? ''): HandlerCommand {
	const {profile} = context.paths();
	const home = context.environment['SVC_HOME'] ?? '';
	const argv = [
		process.execPath,
		...nodeFlags,
		resolve(script),
		...(profile === defaultProfile ? [] : ['--profile', profile]),
		'open',
		'--hold',
		'--',
	];
	const variables: Readonly<Record<string, string>> = home === '' ? {} : {SVC_HOME: resolve(home)};
	const unfit = [...argv, ...Object.values(variables)].find(text => /\p{Cc}/u.test(text));
	if (unfit !== undefined) {
		throw new SvcError(
			'handler_unavailable',
			`Cannot register the svc:// scheme: the path ${JSON.stringify(unfit)} holds a control character`,
		);
	}

	return {argv, variables};
}

/** The result of running a desktop program. */
type ToolOutcome = 'done' | 'missing' | {readonly failed: string};

const timeoutMs = 20_000;

/** Runs a program with its arguments, without a shell, for at most 20 s. Never rejects. */
export async function runTool(
	{environment}: Pick<Context, 'environment'>,
	program: string,
	args: readonly string[],
): Promise<ToolOutcome> {
	return new Promise(settle => {
		execFile(
			program,
			[...args],
			{env: environment, timeout: timeoutMs, maxBuffer: 64 * 1024},
			(error, _, stderr) => {
				settle(
					error === null
						? 'done'
						: codeOf(error) === 'ENOENT'
							? 'missing'
							: {failed: (stderr.trim() || messageOf(error)).slice(0, 500)},
				);
			},
		);
	});
}
