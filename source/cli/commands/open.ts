import type {Command} from 'commander';
import type {Context} from '../console/context.ts';

type OpenFlags = {
	readonly register?: boolean;
	readonly unregister?: boolean;
	readonly hold?: boolean;
};

/** `svc open`: what the desktop opens `svc://` links with. @see manual/install-link.md */
export function addOpenCommand(program: Command, context: Context): void {
	const open = program
		.command('open')
		.description('open an svc:// link: asks before anything is installed')
		.argument('[link]', 'svc://mcp/install?…')
		.option('--register', 'make svc what your Linux desktop opens svc:// links with')
		.option('--unregister', 'end that')
		.option('--hold', 'wait for Enter at the end, where a terminal was opened for it');
	open.action(async (link: string | undefined, {register, unregister, hold}: OpenFlags) => {
		const asked = [link !== undefined, register, unregister].filter(Boolean).length;
		if (asked !== 1) {
			open.error('error: use either a link, --register or --unregister');
		}

		if (link !== undefined) {
			const {openLink} = await import('../open/open-link.ts');
			await openLink(context, link, {hold: hold === true});
			return;
		}

		const {changeHandler} = await import('../open/register.ts');
		await changeHandler(context, register === true ? 'register' : 'unregister');
	});
}
