import {type Command, Option} from 'commander';
import type {LogLevel} from '../../core/log.ts';
import type {Context} from '../console/context.ts';
import {listOption, momentOption, numberOption, wordOption} from '../console/options.ts';
import type {LogOptions} from '../logs/show-logs.ts';

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
const maxLines = 100_000;

/** `svc logs`. */
export function addLogCommand(program: Command, context: Context): void {
	program
		.command('logs')
		.description("show the gateway's log, oldest first, also of one that has ended")
		.option('-f, --follow', 'go on with what comes, until Ctrl-C')
		.addOption(new Option('--level <level>', 'only this level and worse ones').choices(levels))
		.option('--room <names>', 'only these rooms, with commas: webhook,agent,mcp', listOption)
		.option('--run <n>', 'only what names this run', numberOption(1, Number.MAX_SAFE_INTEGER))
		.option('--delivery <id>', 'only what names this delivery', wordOption)
		.option('--since <time>', 'only since then: 10m, 2h, or a date', momentOption(context.clock))
		.option(
			'--lines <n>',
			`at most the newest n, 1 to ${maxLines} (default: 200; with --since all of them)`,
			numberOption(1, maxLines),
		)
		.option('--json', 'print one JSON object a line')
		.action(async (options: LogOptions) => {
			const {showLogs} = await import('../logs/show-logs.ts');
			await showLogs(context, options);
		});
}
