import {mkdirSync} from 'node:fs';
import {chmod, rm} from 'node:fs/promises';
import {homedir} from 'node:os';
import {isAbsolute, join} from 'node:path';
import {SvcError} from '../../core/errors.ts';
import {replaceFile} from '../../core/replace-file.ts';
import {asWord} from '../../core/shell-word.ts';
import type {Context} from '../console/context.ts';
import {printLines} from '../console/print.ts';
import {handlerCommand, type HandlerCommand} from './handler-command.ts';
import {runTool} from './run-tool.ts';

/**
 * Makes this program what the Linux desktop of this user opens `svc://` links with, or ends that. On another system it prints the steps for a person.
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

	printLines(
		context,
		change === 'register'
			? await registerOnLinux(context, handlerCommand(context))
			: await unregisterOnLinux(context),
	);
}

function stepsByHand(
	{argv, variables}: HandlerCommand,
	change: 'register' | 'unregister',
): readonly string[] {
	const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	const words = assignments.length === 0 ? argv : ['env', ...assignments, ...argv];
	return change === 'register'
		? [
				'1. Make a program that opens a terminal and runs this command in it, with the link as its last argument:',
				`   ${words.map(word => asWord(word)).join(' ')}`,
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

/** Where applications of this user are told of. @see https://specifications.freedesktop.org/basedir-spec/latest/ */
function applicationsFolder({environment}: Pick<Context, 'environment'>): string {
	const data = environment['XDG_DATA_HOME'] ?? '';
	const home = environment['HOME'] || homedir();
	return join(isAbsolute(data) ? data : join(home, '.local', 'share'), 'applications');
}

/** Writes the desktop entry and makes it the handler of `svc://`. Lines for the person. */
async function registerOnLinux(
	context: Context,
	command: HandlerCommand,
): Promise<readonly string[]> {
	const folder = applicationsFolder(context);
	const file = join(folder, fileName);
	mkdirSync(folder, {recursive: true, mode: 0o755});
	await replaceFile(file, desktopEntry(command));
	await chmod(file, 0o644);
	return [
		`Wrote ${file}`,
		// First, since what chooses a default may ask who opens the scheme at all.
		await tell(context, [['update-desktop-database', folder]]),
		await tell(context, [
			['xdg-mime', 'default', fileName, mimeType],
			['gio', 'mime', mimeType, fileName],
		]),
	];
}

/** Takes the desktop entry away. Lines for the person. */
async function unregisterOnLinux(context: Context): Promise<readonly string[]> {
	const folder = applicationsFolder(context);
	const file = join(folder, fileName);
	await rm(file, {force: true});
	return [`Removed ${file}`, await tell(context, [['update-desktop-database', folder]])];
}

type Call = readonly [string, ...string[]];

/** Runs the first of `calls` whose program is installed; a line about what became of it. */
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

/** A terminal, because that is where the person is asked. @see https://specifications.freedesktop.org/desktop-entry-spec/latest/ */
export function desktopEntry({argv, variables}: HandlerCommand): string {
	const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	const words = assignments.length === 0 ? argv : ['env', ...assignments, ...argv];
	return `[Desktop Entry]
Type=Application
Name=svc
Comment=Install a tool server from a link
Exec=${words.map(execWord).join(' ')} %u
Terminal=true
NoDisplay=true
StartupNotify=false
MimeType=${mimeType};
`;
}

/** One argument of `Exec`: escaped as an argument, then as a text of the file. A plain word stays as it is. */
function execWord(word: string): string {
	const plain = word.replaceAll('%', '%%');
	return /^[\w@%+:,./-]+$/.test(plain) && plain !== ''
		? plain
		: `"${plain.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`.replaceAll('\\', '\\\\');
}
