import {type Command, Option} from 'commander';
import {SvcError} from '../../core/errors.ts';
import {runStates} from '../../core/run.ts';
import type {Context} from '../console/context.ts';
import {filterHelp, numberOption} from '../console/options.ts';
import {printJson, printLines} from '../console/print.ts';
import {requireGateway} from '../home/gateway-access.ts';
import {openHome} from '../home/open-home.ts';
import {describeRun} from '../runs/describe-run.ts';
import type {RunListFlags} from '../runs/list-runs.ts';
import {waitingOf} from '../runs/waiting-of.ts';

const oneRun = numberOption(1, Number.MAX_SAFE_INTEGER);

/** `svc runs list|show|cancel|retry`. */
export function addRunCommands(program: Command, context: Context): void {
	const group = program.command('runs').description('agent runs and their answers');

	group
		.command('list')
		.description('list runs, newest first')
		.option('--route <name>', 'only this route')
		.option('--job <job>', 'only runs of this scheduled job: its identifier, or its name')
		.addOption(new Option('--state <state...>', 'only these states').choices(runStates))
		.option('--before <run>', 'older than this run', oneRun)
		.option('--filter <words>', filterHelp)
		.option('--limit <n>', 'at most this many (1 to 1000)', numberOption(1, 1000), 50)
		.option('--json', 'print JSON')
		.action(async (options: RunListFlags) => {
			const {listRuns} = await import('../runs/list-runs.ts');
			await listRuns(context, options);
		});

	group
		.command('show')
		.description('show one run: its prompt, steps and answer')
		.argument('<run>', 'number of the run', oneRun)
		.option('--json', 'print JSON')
		.action(async (id: number, {json}: {json?: boolean}) => {
			await using home = await openHome(context, 'read');
			const run = await home.getRun(id);
			if (!run) {
				throw new SvcError('run_not_found', `Cannot find run ${id}: see "svc runs list"`);
			}

			if (json) {
				printJson(context, run);
			} else {
				const approvals = await waitingOf(home);
				printLines(context, describeRun(run, {now: context.clock.now(), approvals}));
			}
		});

	group
		.command('cancel')
		.description('end a run that has not ended, or drop one that is interrupted')
		.argument('<run>', 'number of the run', oneRun)
		.action(async (id: number) => {
			const gateway = await requireGateway(context);
			if (!(await gateway.cancelRun(id))) {
				throw new SvcError('run_ended', `Cannot cancel run ${id}: it has ended or does not exist`);
			}

			printLines(context, [`Run ${id} is cancelled`]);
		});

	group
		.command('retry')
		.description(
			'put a run that ended badly back in the queue, or let one that waits for its time start now',
		)
		.argument('<run>', 'number of the run', oneRun)
		.action(async (id: number) => {
			const gateway = await requireGateway(context);
			if (!(await gateway.retryRun(id))) {
				throw new SvcError(
					'run_not_retryable',
					`Cannot retry run ${id}: only failed, dead, interrupted, uncertain and cancelled runs can be retried, and those that wait for their time`,
				);
			}

			printLines(context, [`Run ${id} is queued again`]);
		});
}
