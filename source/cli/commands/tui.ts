import {type Command, Option} from 'commander';
import {resetSequence} from '../../terminal/modes.ts';
import type {Context} from '../console/context.ts';
import {filterHelp, numberOption, wordOption} from '../console/options.ts';
import type {SnapshotRequest} from '../snapshot/snapshot.ts';

type Flags = Pick<SnapshotRequest, 'pane' | 'cols' | 'rows' | 'theme' | 'filter' | 'out'> & {
	readonly keys?: string;
	readonly color?: true;
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
		.option('--out <file>', 'write to this file, in place of what it holds', wordOption)
		.action(async ({keys = '', color, svg, png, ...rest}: Flags, command: Command) => {
			if (svg || png) {
				command.error('error: pictures of the interface are made by "npm run screenshot"');
			}

			const {snapshot} = await import('../snapshot/snapshot.ts');
			await snapshot(
				context,
				{
					...rest,
					isColored: color === true,
					keys: keys.split(/\s+/).filter(key => key !== ''),
				},
				{
					refuse: problem => command.error(problem),
				},
			);
		});

	tui
		.command('reset')
		.description('give a terminal back its usual modes after a program that was killed')
		.action(() => {
			context.stdout.write(resetSequence);
		});
}
