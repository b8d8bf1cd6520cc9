import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readInstallLink} from '../../config/install-link/read-link.ts';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {askLine, canAsk} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell} from '../console/print.ts';
import {findGateway} from '../home/gateway-access.ts';
import {installServer} from '../mcp/install-server.ts';
import {handlerCommand, runTool} from './register.ts';

/**
 * Opens a link passed by the desktop. Always asks a person before installing: here if there is a terminal, else in the running gateway's interface, else in a new
 * terminal.
 *
 * @param options.hold keeps the terminal open until the person has read what became of it
 * @throws SvcError as `readInstallLink` and `installServer` do; `nobody_to_ask`, `too_many_links`
 */
export async function openLink(
	context: Context,
	link: string,
	{hold = false}: {readonly hold?: boolean},
): Promise<void> {
	if (canAsk(context)) {
		await (hold ? installAndHold(context, link) : installOrRename(context, link));
		return;
	}

	const {name} = readInstallLink(link);
	const gateway = await findGateway(context);
	if (gateway) {
		await gateway.offerInstall({link});
		const said = `A link wants tool server "${name}" installed. It waits for ten minutes in the interface: open "svc" and press I`;
		printLines(context, [said]);
		await notify(context, said);
		return;
	}

	if (!(await openTerminal(context, link))) {
		const said = `Nobody can be asked about tool server "${name}": run "svc mcp install" with the link in a terminal`;
		await notify(context, said);
		throw new SvcError('nobody_to_ask', said);
	}
}

/** "An existing server name is never overwritten; the user is asked to rename or cancel": a person who clicked a link has no command line to change. */
async function installOrRename(context: Context, link: string, name?: string): Promise<void> {
	try {
		await installServer(context, link, {...(name !== undefined && {name})});
	} catch (error) {
		if (codeOf(error) !== 'server_exists') {
			throw error;
		}

		tell(context, messageOf(error));
		const {text, interrupted} = await askLine(context, 'Another name (nothing: cancel): ');
		if (text === '') {
			tell(context, 'Not installed');
			context.exit(interrupted ? 130 : 1);
			return;
		}

		await installOrRename(context, link, text);
	}
}

/** A terminal opened only for this closes when the program ends. */
async function installAndHold(context: Context, link: string): Promise<void> {
	try {
		await installOrRename(context, link);
	} catch (error) {
		tell(context, `svc: ${messageOf(error)}${error instanceof SvcError ? ` (${error.code})` : ''}`);
		context.exit(1);
	}

	await askLine(context, 'Enter closes this window ');
}

const isDesktop = ({environment}: Pick<Context, 'environment'>): boolean =>
	process.platform === 'linux' && Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);

/** Sends a desktop notification, if possible: a person who clicked a link looks at no terminal. */
async function notify(context: Context, text: string): Promise<void> {
	if (isDesktop(context)) {
		await runTool(context, 'notify-send', ['--app-name=svc', '--', 'svc', text]);
	}
}

/** Debian's name for the desktop's terminal; other systems have it too. */
const terminalProgram = 'x-terminal-emulator';

/** The link without characters that are special to shells: some terminals join their arguments to a command line, which a shell splits again. */
const plainLink = (link: string): string =>
	link.replaceAll(/[^\w.~%&=?:/+#-]/gu, character =>
		Array.from(
			Buffer.from(character.toWellFormed()),
			byte => `%${byte.toString(16).padStart(2, '0')}`,
		).join(''),
	);

/** Opens the desktop's terminal with this program, which asks there. `false` if there is none. */
async function openTerminal(context: Context, link: string): Promise<boolean> {
	if (!isDesktop(context)) {
		return false;
	}

	const {argv, variables} = handlerCommand(context);
	const child = spawn(terminalProgram, ['-e', ...argv, plainLink(link)], {
		detached: true,
		stdio: 'ignore',
		env: {...context.environment, ...variables},
	});
	try {
		await once(child, 'spawn');
		child.unref();
		return true;
	} catch {
		return false;
	}
}
