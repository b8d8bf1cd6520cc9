import {type Command, Option} from 'commander';
import {resetSequence} from '../../terminal/modes.ts';
import type {Context} from '../console/context.ts';
import {filterHelp, numberOption, wordOption} from '../console/options.ts';
import {snapshotThemes, type SnapshotRequest} from '../snapshot/formats.ts';

type Flags = Pick<SnapshotRequest, 'pane' | 'cols' | 'rows' | 'theme' | 'filter' | 'out'> & {
	readonly keys?: string;
	readonly color?: true;
	readonly svg?: true;
	readonly png?: true;
};

/** `svc tui snapshot|reset`. @see manual/snapshot.md */
export function addTuiCommands(program: Command, context: Context): void {
	const tui = program.command('tui').description('the interface without sitting before it');

	tui
		.command('snapshot')
		.description('print a pane of the running gateway as text, or draw it as a picture')
		.option('--pane <pane>', 'name or number of the pane', wordOption, 'traffic')
		.option('--cols <n>', 'columns (60 to 400)', numberOption(60, 400), 120)
		.option('--rows <n>', 'rows (16 to 200)', numberOption(16, 200), 36)
		.addOption(
			new Option('--theme <theme>', 'colours of the screen')
				.choices(snapshotThemes)
				.default('dark'),
		)
		.option('--keys <keys>', 'keys to press first, with blanks between them: "j j enter"')
		.option('--filter <words>', filterHelp)
		.addOption(new Option('--text', 'print text (the default)').conflicts(['svg', 'png']))
		.addOption(new Option('--color', 'print text with its colours').conflicts(['svg', 'png']))
		.addOption(new Option('--svg', 'draw an SVG picture').conflicts('png'))
		.option('--png', 'draw a PNG picture; wants the package @resvg/resvg-js')
		.option('--out <file>', 'write to this file, in place of what it holds', wordOption)
		.action(async ({keys = '', color, svg, png, ...rest}: Flags, command: Command) => {
			const {snapshot} = await import('../snapshot/snapshot.ts');
			const format = png ? 'png' : svg ? 'svg' : color ? 'color' : 'text';
			await snapshot(
				context,
				{...rest, format, keys: keys.split(/\s+/).filter(key => key !== '')},
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
