import {type Command, Option} from 'commander';
import type {Context} from '../context.ts';
import {outputFormats, type OutputFormat} from '../lines/output-mode.ts';
import {printLines} from '../print.ts';
import {refuseUnknownCommand} from '../unknown-command.ts';

/** `svc` without a command, and what documents its keys. */
export function addInterfaceCommands(program: Command, context: Context): void {
	program
		.addOption(
			new Option(
				'--output <format>',
				'lines instead of the screen, or the screen whatever the environment says',
			).choices(outputFormats),
		)
		.hook('preAction', (_, action) => {
			const isForIt = action === program || action.parent?.name() === 'gateway';
			if (!isForIt && program.opts<{output?: OutputFormat}>().output !== undefined) {
				action.error(
					'error: --output is for "svc" and "svc gateway run"; listings and status commands have --json',
				);
			}
		})
		.allowExcessArguments()
		.action(async ({output}: {output?: OutputFormat}, command: Command) => {
			refuseUnknownCommand(command);
			const {openInterface} = await import('../open-interface.ts');
			await openInterface(context, {...(output && {output})});
		});

	program
		.command('keymap')
		.description('print the keys of the interface as Markdown')
		.action(async () => {
			const {keymapMarkdown} = await import('../../tui/commands/table.ts');
			printLines(context, keymapMarkdown().split('\n'));
		});
}
