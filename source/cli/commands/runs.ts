import {type Command, Option} from 'commander';
import {SvcError} from '../../core/errors.ts';
import {type RunState, runStates} from '../../core/run.ts';
import type {Context} from '../context.ts';
import {openRecords, type Records, requireGateway} from '../gateway-access.ts';
import {numberOption} from '../options.ts';
import {printTable} from '../print-table.ts';
import {printJson, printLines} from '../print.ts';
import {describeRun, runTable} from '../runs/describe-run.ts';

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
		.option('--limit <n>', 'at most this many (1 to 1000)', numberOption(1, 1000), 50)
		.option('--json', 'print JSON')
		.action(
			async ({
				json,
				state: states,
				job,
				...filter
			}: {
				route?: string;
				state?: RunState[];
				job?: string;
				limit: number;
				json?: boolean;
			}) => {
				const jobId = job === undefined ? undefined : await jobIdOf(context, job);
				await using records = await openRecords(context);
				const runs = await records.runs.list({
					...filter,
					...(states && {states}),
					...(jobId !== undefined && {job: jobId}),
				});
				if (json) {
					printJson(context, runs);
				} else {
					const isFiltered =
						filter.route !== undefined || states !== undefined || jobId !== undefined;
					const approvals = await waitingOf(records);
					await printTable(
						context,
						runTable(runs, {now: context.clock.now(), approvals, isFiltered}),
					);
				}
			},
		);

	group
		.command('show')
		.description('show one run: its prompt, steps and answer')
		.argument('<run>', 'number of the run', oneRun)
		.option('--json', 'print JSON')
		.action(async (id: number, {json}: {json?: boolean}) => {
			await using records = await openRecords(context);
			const run = await records.runs.get(id);
			if (!run) {
				throw new SvcError('run_not_found', `Cannot find run ${id}: see "svc runs list"`);
			}

			if (json) {
				printJson(context, run);
			} else {
				const approvals = await waitingOf(records);
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

/** Most listings ask for no job: what reads them is not loaded. */
async function jobIdOf(context: Context, reference: string): Promise<string> {
	const {jobOfRuns} = await import('../cron/job-of-runs.ts');
	return jobOfRuns(context, reference);
}

/** More never wait. */
const maxWaiting = 200;

const waitingOf = async ({approvals}: Records) =>
	approvals.list({state: 'waiting', limit: maxWaiting});
