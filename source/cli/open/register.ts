import {SvcError} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell} from '../console/print.ts';
import {handlerCommand, type HandlerCommand} from './handler-command.ts';
import {registerOnLinux, unregisterOnLinux} from './register-linux.ts';
import {registerOnMacos, unregisterOnMacos} from './register-macos.ts';
import {registerOnWindows, unregisterOnWindows} from './register-windows.ts';

type Desktop = {
	readonly register: (context: Context, command: HandlerCommand) => Promise<readonly string[]>;
	readonly unregister: (context: Context) => Promise<readonly string[]>;
	/** Somebody has seen it work. */
	readonly isVerified: boolean;
};

const desktops: Readonly<Partial<Record<NodeJS.Platform, Desktop>>> = {
	linux: {register: registerOnLinux, unregister: unregisterOnLinux, isVerified: true},
	darwin: {register: registerOnMacos, unregister: unregisterOnMacos, isVerified: false},
	win32: {register: registerOnWindows, unregister: unregisterOnWindows, isVerified: false},
};

/**
 * Makes this program what the desktop of this user opens `svc://` links with, or ends that.
 *
 * @throws SvcError `handler_unavailable`
 * @see manual/install-link.md#opening-links-from-the-browser
 */
export async function changeHandler(
	context: Context,
	change: 'register' | 'unregister',
	platform: NodeJS.Platform = process.platform,
): Promise<void> {
	const desktop = desktops[platform];
	if (!desktop) {
		throw new SvcError(
			'handler_unavailable',
			`Cannot register the svc:// scheme: nobody knows how on "${platform}"`,
		);
	}

	const lines =
		change === 'register'
			? await desktop.register(context, handlerCommand(context))
			: await desktop.unregister(context);
	printLines(context, lines);
	if (!desktop.isVerified) {
		tell(context, `Nobody has tried this on ${platform} yet: see svc help install-link`);
	}
}
