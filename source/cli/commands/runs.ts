import {type Command, Option} from 'commander';
import {SvcError} from '../../core/errors.ts';
import {
	hasEnded,
	type Run,
	type RunState,
	runStates,
	type StoredRun,
	type TranscriptEntry,
} from '../../core/run.ts';
import type {Context} from '../context.ts';
import {openRecords, requireGateway} from '../gateway-access.ts';
import {numberOption} from '../options.ts';
import {printTable, type Table} from '../print-table.ts';
import {printableTime, printJson, printLines} from '../print.ts';

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
					await printTable(context, tableOf(runs, {now: context.clock.now(), isFiltered}));
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
				printLines(context, describe(run, context.clock.now()));
			}
		});

	group
		.command('cancel')
		.description('end a run that has not ended')
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
		.description('put a run that ended badly back in the queue')
		.argument('<run>', 'number of the run', oneRun)
		.action(async (id: number) => {
			const gateway = await requireGateway(context);
			if (!(await gateway.retryRun(id))) {
				throw new SvcError(
					'run_not_retryable',
					`Cannot retry run ${id}: only failed, dead, interrupted, uncertain and cancelled runs can be retried`,
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

function tableOf(
	runs: readonly Run[],
	{now, isFiltered}: {readonly now: number; readonly isFiltered: boolean},
): Table {
	const hasProfiles = runs.some(({profile}) => profile !== 'default');
	return {
		header: [
			'RUN',
			'CREATED',
			...(hasProfiles ? ['PROFILE'] : []),
			'ROUTE',
			'EVENT',
			'STATE',
			'TARGET',
			'TOOLS',
			'TIME',
			'ERROR',
		],
		rows: runs.map(run => [
			`#${run.id}`,
			printableTime(run.createdAt),
			...(hasProfiles ? [run.profile] : []),
			run.delivery === undefined && run.job ? `job ${run.job.name}` : run.route,
			run.superseded === undefined ? run.event : `${run.event} (+${run.superseded})`,
			stateText(run, now),
			run.target,
			String(run.toolCalls),
			durationOf(run),
			run.error ?? '',
		]),
		empty: isFiltered ? 'No such runs' : 'No runs yet: an accepted delivery starts one',
		whole: ['RUN', 'CREATED', 'STATE'],
		optional: ['TOOLS', 'TARGET', 'TIME'],
	};
}

/** `queued until 23:25:10`, with its day when that is another one: what waits for its time waits for no worker. */
function stateText({state, nextAttemptAt}: Run, now: number): string {
	if (nextAttemptAt === undefined || nextAttemptAt <= now || hasEnded(state)) {
		return state;
	}

	const until = printableTime(nextAttemptAt);
	const [day = '', time = ''] = until.split(' ');
	return `${state} until ${printableTime(now).startsWith(day) ? time : until}`;
}

function durationOf({startedAt, finishedAt}: Run): string {
	return startedAt === undefined || finishedAt === undefined
		? ''
		: `${((finishedAt - startedAt) / 1000).toFixed(1)}s`;
}

function describe(run: StoredRun, now: number): readonly string[] {
	const wasTried = run.attempt > 0 || run.deliveryAttempt > 0;
	return [
		`#${run.id}  ${run.route}  ${run.event}  ${stateText(run, now)}  -> ${run.target}`,
		...(run.delivery === undefined
			? []
			: [`delivery  ${run.delivery} (svc deliveries show ${run.delivery})`]),
		...(run.group === undefined
			? []
			: [
					`group     ${run.group}, ${run.superseded ?? 0} earlier events superseded (svc groups show ${run.group})`,
				]),
		...(run.job ? [`job       ${run.job.name} (${run.job.id})`] : []),
		...(run.profile === 'default' ? [] : [`profile   ${run.profile}`]),
		`created   ${printableTime(run.createdAt)}, ${run.attempt} agent tries, ${run.deliveryAttempt} delivery tries`,
		...(run.model ? [`model     ${run.model}`] : []),
		...(run.nextAttemptAt === undefined
			? []
			: [`${wasTried ? 'next try' : 'starts  '}  ${printableTime(run.nextAttemptAt)}`]),
		...(run.error ? [`error     ${run.error}`] : []),
		...(run.state === 'uncertain' ? ['verify at the target before trying again'] : []),
		'',
		'prompt (text of the event is untrusted)',
		run.plan.prompt,
		'',
		'transcript',
		...run.transcript.map(
			({at, kind, text, data}) =>
				`  ${printableTime(at)} ${kind.padEnd(11)} ${toolOf(kind, data)}${firstLine(text)}`,
		),
		'',
		'answer',
		run.fullAnswer ?? '(none)',
	];
}

/** `mcp__fs__write_file `: which tool is called. */
const toolOf = (kind: TranscriptEntry['kind'], data: TranscriptEntry['data']): string =>
	kind === 'tool-call' && typeof data?.['tool'] === 'string' ? `${data['tool']} ` : '';

const firstLine = (text: string): string => {
	const [line = '', ...more] = text.split('\n');
	return more.length > 0 ? `${line} … ${more.length} more lines` : line;
};
