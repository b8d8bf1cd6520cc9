import {editJobs} from '../../schedule/edit-jobs.ts';
import {interpretJob} from '../../schedule/job.ts';
import {setJobPaused} from '../../schedule/pause-job.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines} from '../console/print.ts';
import {indexOf} from './edit-job.ts';
import {requireJobGateway} from './open-jobs.ts';

/** What a command says of a job: which one, and how it is printed. */
export type JobArguments = {readonly reference: string; readonly json: boolean};

/** Pauses or resumes a job in its file. @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `jobs_broken` */
export async function pauseJob(
	context: Context,
	{reference, json, paused}: JobArguments & {readonly paused: boolean},
): Promise<void> {
	const {clock} = context;
	const {id, name} = await setJobPaused(context.paths(), {reference, paused}, {clock});
	report(context, json, {
		value: {id, name, paused},
		line: paused ? `Paused ${id} (${name})` : `Resumed ${id} (${name})`,
	});
}

/** Removes a job from its file, also one that cannot be used; its runs and answers stay. @throws SvcError `job_not_found`, `job_ambiguous`, `jobs_broken` */
export async function removeJob(context: Context, {reference, json}: JobArguments): Promise<void> {
	let removed = {id: '', name: ''};
	await editJobs(
		context.paths(),
		entries => {
			const index = indexOf(entries, reference);
			const {job} = interpretJob(entries[index] ?? null, index);
			removed = {id: job.id, name: job.name};
			return entries.filter((_, other) => other !== index);
		},
		{clock: context.clock},
	);
	report(context, json, {value: removed, line: `Removed ${removed.id} (${removed.name})`});
}

/** Queues a run of a job in the gateway. @throws SvcError `gateway_not_running`, `job_not_found`, `job_ambiguous`, `job_invalid`, `queue_full` */
export async function runJob(context: Context, {reference, json}: JobArguments): Promise<void> {
	const {gateway, profile} = await requireJobGateway(context);
	const {runId} = await gateway.runJob(reference, profile === 'default' ? {} : {profile});
	// A profile that the gateway of the home serves has its runs there.
	const own = context.paths().profile;
	const show = `svc ${own === profile || own === 'default' ? '' : `-p ${own} `}runs show ${runId}`;
	report(context, json, {
		value: {job: reference, run: runId},
		line: `Run ${runId} is queued (${show}${profile === 'default' ? '' : `, without "-p ${profile}"`})`,
	});
}

function report(
	context: Context,
	json: boolean,
	{value, line}: {readonly value: unknown; readonly line: string},
): void {
	if (json) {
		printJson(context, value);
	} else {
		printLines(context, [line]);
	}
}
