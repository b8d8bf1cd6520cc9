import {type Command, Option} from 'commander';
import {resetSequence} from '../../terminal/modes.ts';
import type {Context} from '../console/context.ts';
import {filterHelp, numberOption, refuseUnknownCommand, wordOption} from '../console/options.ts';
import {printLines} from '../console/print.ts';
import {outputFormats} from '../lines/output-mode.ts';
import type {SnapshotRequest} from '../snapshot/snapshot.ts';
import type {Opening} from '../start/open-interface.ts';

type InterfaceOptions = Pick<Opening, 'linear' | 'output' | 'readOnly'> & {
	readonly demo?: boolean;
	readonly still?: boolean;
	readonly profile?: string;
};

/** `svc` without a command, and the commands that document its keys. */
export function addInterfaceCommands(program: Command, context: Context): void {
	program
		.addOption(
			new Option(
				'--output <format>',
				'lines instead of the screen, or the screen whatever the environment says',
			).choices(outputFormats),
		)
		.option('--read-only', 'watch the running gateway, and change nothing')
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
			const problem = problemWith(program.opts(), {
				isAlone: action === program,
				isOfGateway: action.parent?.name() === 'gateway',
			});
			if (problem !== undefined) {
				action.error(`error: ${problem}`);
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
					command.error(
						'error: svc is open here: type a command, such as "gateway status" or "help"',
					);
				}

				if (demo) {
					const {openDemo} = await import('../demo/open-demo.ts');
					await openDemo(context, {isStill: still, linear, output});
					return;
				}

				const {openInterface} = await import('../start/open-interface.ts');
				await openInterface(context, {output, readOnly, linear});
			},
		);

	program
		.command('demo-part', {hidden: true})
		.description('a part of the demo, started by the demo itself')
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

/** Why options of the interface conflict with each other, or with a command. */
function problemWith(
	{
		demo = false,
		still = false,
		linear = false,
		readOnly = false,
		output,
		profile,
	}: InterfaceOptions,
	{isAlone, isOfGateway}: {readonly isAlone: boolean; readonly isOfGateway: boolean},
): string | undefined {
	const problems: ReadonlyArray<readonly [isOne: boolean, problem: string]> = [
		[still && !demo, '--still is for "svc --demo"'],
		[demo && !isAlone, '--demo is for "svc" alone, without a command'],
		[demo && readOnly, '--demo has a gateway of its own: leave out --read-only'],
		[demo && profile !== undefined, '--demo has a home of its own: leave out --profile'],
		[linear && !isAlone, '--linear is for "svc" alone'],
		[readOnly && !isAlone, '--read-only is for "svc" alone'],
		[
			output !== undefined && !isAlone && !isOfGateway,
			'--output is for "svc" and "svc gateway run"; listings and status commands have --json',
		],
	];
	return problems.find(([isOne]) => isOne)?.[1];
}

type Flags = Pick<SnapshotRequest, 'pane' | 'cols' | 'rows' | 'theme' | 'filter' | 'out'> & {
	readonly keys?: string;
	readonly color?: boolean;
	readonly svg?: true;
	readonly png?: true;
};

const themes: ReadonlyArray<SnapshotRequest['theme']> = ['dark', 'light', 'ansi16', 'mono'];

/** `svc tui snapshot|reset`. @see manual/snapshot.md */
export function addTuiCommands(program: Command, context: Context): void {
	const tui = program.command('tui').description('the interface without sitting before it');

	tui
		.command('snapshot')
		.description('print a pane of the running gateway as text')
		.option('--pane <pane>', 'name or number of the pane', wordOption, 'traffic')
		.option('--cols <n>', 'columns (60 to 400)', numberOption(60, 400), 120)
		.option('--rows <n>', 'rows (16 to 200)', numberOption(16, 200), 36)
		.addOption(
			new Option('--theme <theme>', 'colours of the screen').choices(themes).default('dark'),
		)
		.option('--keys <keys>', 'keys to press first, with blanks between them: "j j enter"')
		.option('--filter <words>', filterHelp)
		.option('--text', 'print text (the default)')
		.option('--color', 'print text with its colours')
		.addOption(new Option('--svg').hideHelp())
		.addOption(new Option('--png').hideHelp())
		.option('--out <file>', 'write to this file, and replace its content', wordOption)
		.action(async ({keys = '', color = false, svg, png, ...rest}: Flags, command: Command) => {
			if (svg || png) {
				command.error('error: pictures of the interface are made by "npm run screenshot"');
			}

			const {snapshot} = await import('../snapshot/snapshot.ts');
			const names = keys.split(/\s+/).filter(key => key !== '');
			const refuse = (problem: string): never => command.error(problem);
			await snapshot(context, {...rest, isColored: color, keys: names}, {refuse});
		});

	tui
		.command('reset')
		.description('reset the modes of a terminal after a program was killed')
		.action(() => {
			context.stdout.write(resetSequence);
		});
}

type OpenFlags = {readonly register?: true; readonly unregister?: true; readonly hold?: true};

/** `svc open`, by which the desktop opens `svc://` links. @see manual/install-link.md */
export function addOpenCommand(program: Command, context: Context): void {
	const open = program
		.command('open')
		.description('open an svc:// link: asks before anything is installed')
		.argument('[link]', 'svc://mcp/install?…')
		.option('--register', 'make svc the program for svc:// links on a Linux desktop')
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
