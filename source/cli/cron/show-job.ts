import type {JobView} from '../../core/job.ts';
import type {Run} from '../../core/run.ts';
import {findJob, requireJob} from '../../schedule/find-job.ts';
import type {JobDefinition} from '../../schedule/job.ts';
import {newestAnswer} from '../../schedule/output.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines} from '../console/print.ts';
import {lastRuns, lastText, withAnswer, withLast} from './list-jobs.ts';
import {nextTimes} from './next-times.ts';
import {openJobs} from './open-jobs.ts';
import {zonedIsoTime, zonedTime} from './zoned-time.ts';

const shownTimes = 3;
const shownRuns = 10;

/** Shows one job: what it does, when it fires, and its last runs. @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid` */
export async function showJob(
	context: Context,
	{reference, json}: {readonly reference: string; readonly json: boolean},
): Promise<void> {
	await using jobs = await openJobs(context);
	const job = requireJob(reference, findJob(jobs.set, reference));
	const view = jobs.views[jobs.set.entries.findIndex(entry => entry.job.id === job.id)];
	if (!view) {
		return;
	}

	const last = (await lastRuns({views: [view], runs: jobs.runs})).get(view.lastRunId ?? 0);
	const times = timesOf(job, view, context.clock.now());
	const answer = newestAnswer(context.paths().cron, job.id);
	const runs = await jobs.runs.list({job: job.id, limit: shownRuns});
	if (json) {
		const {prompt, skills, toolsets, model, target, misfire, createdAt} = job;
		printJson(context, {
			...view,
			next: times.map(at => zonedIsoTime(at, job.timeZone)),
			...withLast(last),
			...withAnswer(answer),
			prompt,
			skills,
			...(toolsets && {toolsets}),
			...(model !== undefined && {model}),
			deliverExtra: target.extra,
			misfire,
			...(createdAt !== undefined && {createdAt}),
			runs,
		});
	} else {
		printLines(context, describe({job, view, last, times, answer, runs}));
	}
}

/** What the journal waits for comes first: it may differ from what follows now. */
function timesOf(job: JobDefinition, {nextAt}: JobView, now: number): readonly number[] {
	return nextAt === undefined
		? []
		: [nextAt, ...nextTimes(job, {now: Math.max(now, nextAt), count: shownTimes - 1})];
}

function describe({
	job,
	view,
	last,
	times,
	answer,
	runs,
}: {
	readonly job: JobDefinition;
	readonly view: JobView;
	readonly last: Run | undefined;
	readonly times: readonly number[];
	readonly answer: string | undefined;
	readonly runs: readonly Run[];
}): readonly string[] {
	const {target, skills, toolsets, model, misfire, timeZone} = job;
	const extra = Object.keys(target.extra).length > 0 ? ` ${JSON.stringify(target.extra)}` : '';
	return [
		`${job.id}  ${job.name}  ${view.state}`,
		`schedule  ${job.scheduleText}`,
		...times.map(
			(at, index) =>
				`${index === 0 ? 'next      ' : '          '}${zonedTime(at, timeZone)} ${timeZone}`,
		),
		`missed    ${misfire === 'once' ? 'one run for all missed times' : 'not made up for'}`,
		`deliver   ${target.kind}${extra}`,
		...(skills.length > 0 ? [`skills    ${skills.join(', ')}`] : []),
		...(toolsets ? [`toolsets  ${toolsets.join(', ') || 'none'}`] : []),
		...(model === undefined ? [] : [`model     ${model}`]),
		...(view.lastAt === undefined ? [] : [`last      ${lastText(view, last)}`]),
		...(answer === undefined ? [] : [`answer    ${answer}`]),
		'',
		'prompt',
		job.prompt,
		...(runs.length > 0 ? ['', 'runs'] : []),
		...runs.map(
			run =>
				`  #${run.id}  ${printableTime(run.createdAt)}  ${run.delivery === undefined ? run.event : run.route}  ${run.state}${run.error === undefined ? '' : `  ${run.error}`}`,
		),
	];
}
