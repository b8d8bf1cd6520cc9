import {type Command, Option} from 'commander';
import type {Context} from '../console/context.ts';
import {refuseUnknownCommand} from '../console/options.ts';
import {printLines} from '../console/print.ts';
import {type OutputFormat, outputFormats} from '../lines/output-mode.ts';
import type {Opening} from '../start/open-interface.ts';

type InterfaceOptions = Pick<Opening, 'linear' | 'output' | 'readOnly'> & {
	readonly demo?: boolean;
	readonly still?: boolean;
	readonly profile?: string;
};

/** `svc` without a command, and what documents its keys. */
export function addInterfaceCommands(program: Command, context: Context): void {
	program
		.addOption(
			new Option(
				'--output <format>',
				'lines instead of the screen, or the screen whatever the environment says',
			).choices(outputFormats),
		)
		.option('--read-only', 'watch the gateway that runs, and change nothing')
		.addOption(
			new Option('--demo', 'a demo: made-up traffic, model and tools; nothing leaves this machine'),
		)
		.addOption(new Option('--still', 'with --demo: a day of traffic, and then no more'))
		.addOption(
			new Option(
				'--linear',
				'a prompt for these commands instead of the screen, for screen readers, plain terminals and pipes',
			).conflicts('output'),
		)
		.hook('preAction', (_, action) => {
			const problem = problemWithDemo(program.opts(), action === program);
			if (problem !== undefined) {
				action.error(`error: ${problem}`);
			}

			const isForIt = action === program || action.parent?.name() === 'gateway';
			if (action !== program && program.opts<{linear?: boolean}>().linear === true) {
				action.error('error: --linear is for "svc" alone');
			}

			if (action !== program && program.opts<{readOnly?: boolean}>().readOnly === true) {
				action.error('error: --read-only is for "svc" alone');
			}

			if (!isForIt && program.opts<{output?: OutputFormat}>().output !== undefined) {
				action.error(
					'error: --output is for "svc" and "svc gateway run"; listings and status commands have --json',
				);
			}
		})
		.allowExcessArguments()
		.action(
			async (
				{output, demo, still = false, readOnly, linear = false}: InterfaceOptions,
				command: Command,
			) => {
				refuseUnknownCommand(command);
				if (context.signal) {
					command.error('error: svc is open here: type a command, such as "status" or "help"');
				}

				if (demo) {
					const {openDemo} = await import('../demo/open-demo.ts');
					await openDemo(context, {isStill: still, linear, ...(output && {output})});
					return;
				}

				const {openInterface} = await import('../start/open-interface.ts');
				await openInterface(context, {
					...(output && {output}),
					...(readOnly === true && {readOnly}),
					linear,
				});
			},
		);

	program
		.command('demo-part', {hidden: true})
		.description('a part of the demo, which starts it')
		.allowExcessArguments()
		.action(async (_: unknown, {args}: Command) => {
			const {runDemoPart} = await import('../demo/demo-tools.ts');
			await runDemoPart(context, args);
		});

	program
		.command('keymap')
		.description('print the keys of the interface as Markdown')
		.action(async () => {
			const {keymapMarkdown} = await import('../../tui/commands/table.ts');
			printLines(context, keymapMarkdown().split('\n'));
		});
}

/** Why the options of a demo do not go with the others, or with a command. */
function problemWithDemo(
	{demo = false, still = false, profile, readOnly = false}: InterfaceOptions,
	isAlone: boolean,
): string | undefined {
	if (still && !demo) {
		return '--still is for "svc --demo"';
	}

	if (demo && !isAlone) {
		return '--demo is for "svc" alone, without a command';
	}

	if (demo && readOnly) {
		return '--demo has a gateway of its own: leave out --read-only';
	}

	return demo && profile !== undefined
		? '--demo has a home of its own: leave out --profile'
		: undefined;
}
