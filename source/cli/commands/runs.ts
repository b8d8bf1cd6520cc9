import {type Command, Option} from 'commander';
import {sumsBy, type SumsBy} from '../../core/run-sums.ts';
import {runStates, type Run} from '../../core/run.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {runActs, type RunPort} from '../../nouns/run/run-acts.ts';
import {costUnknown, missingFromSums, sumsTable} from '../../nouns/run/run-sums.ts';
import {runNoun} from '../../nouns/run/run.ts';
import type {Context} from '../console/context.ts';
import {
	filterHelp,
	momentOption,
	numberArgument,
	numberOption,
	jsonOption,
	loads,
	type Json,
} from '../console/options.ts';
import {tellEach} from '../console/print.ts';
import {gatewayAsPort} from '../home/gateway-access.ts';
import {openHome, waitingOf} from '../home/open-home.ts';
import {addActs} from '../nouns/act-commands.ts';
import {addShow, printList} from '../nouns/noun-commands.ts';

/** `svc runs list|show|cancel|retry|drop|deliver`. */
export function addRunCommands(program: Command, context: Context): void {
	const group = program.command('runs').description('agent runs and their answers');

	group
		.command('list')
		.description('list runs, newest first')
		.option('--route <name>', 'only this route')
		.option('--job <job>', 'only runs of this scheduled job: its identifier, or its name')
		.addOption(new Option('--state <state...>', 'only these states').choices(runStates))
		.option('--before <run>', 'older than this run', numberArgument)
		.option('--filter <words>', filterHelp)
		.option('--limit <n>', 'at most this many (1 to 1000)', numberOption(1, 1000), 50)
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../runs/list-runs.ts')).listRuns));

	addShow(group, context, {
		noun: runNoun,
		says: 'show one run: its prompt, steps and answer',
		async read(id) {
			await using home = await openHome(context, 'read');
			const stored = await home.getRun(Number(id));
			return stored && {item: stored, known: {approvals: await waitingOf(home), stored}};
		},
	});
	addActs<Run, RunPort & Pick<GatewayCommands, 'searchRuns'>, never>(group, context, {
		noun: runNoun,
		acts: runActs,
		find: {
			...runNoun,
			search: async (port, question) => port.searchRuns(question),
			read: async (port, id) => port.getRun(Number(id)),
		},
		open: async () => gatewayAsPort(context),
	});
}

type UsageFlags = Json & {readonly by: SumsBy; readonly since: number};

/** `svc usage`. @see manual/runs.md#sums */
export function addUsageCommand(program: Command, context: Context): void {
	const moment = momentOption(context.clock);
	program
		.command('usage')
		.description('sum runs: how they ended, tokens, cost and time')
		.addOption(
			new Option('--by <what>', 'a row for each of these').choices(sumsBy).default('route'),
		)
		.addOption(
			new Option('--since <time>', 'only runs made since then: 2h, 7d, or a date')
				.argParser(moment)
				.default(moment('7d'), '7d'),
		)
		.option(...jsonOption)
		.action(async ({by, since, json = false}: UsageFlags) => {
			await using home = await openHome(context, 'read');
			const sums = await home.sumRuns({by, since});
			await printList(context, sumsTable(sums), {items: sums.rows, json});
			tellEach(context, [...missingFromSums(sums, since), ...(json ? [] : costUnknown(sums))]);
		});
}
