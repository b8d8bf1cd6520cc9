import type {JobView} from '../../core/job.ts';
import type {Run} from '../../core/run.ts';
import {lastGoodGoesOn} from '../../gateway/jobs/find-cron-job.ts';
import {newestAnswer} from '../../schedule/output.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {printTable} from '../console/print-table.ts';
import {printJson, tell} from '../console/print.ts';
import {readPlatformProblems} from './job-target.ts';
import {openJobs, type OpenJobs} from './open-jobs.ts';
import {zonedTime} from './zoned-time.ts';

const maxRuns = 1000;

/** Lists the jobs of the profile with when they fire next and what became of the last run. */
export async function listJobs(context: Context, {json}: {readonly json: boolean}): Promise<void> {
	await using jobs = await openJobs(context);
	if (jobs.set.problem !== undefined) {
		tell(context, `${jobs.set.problem}; its jobs are not listed, ${lastGoodGoesOn}`);
		context.exit(1);
	}

	const last = await lastRuns(jobs);
	if (json) {
		const {cron} = context.paths();
		printJson(
			context,
			jobs.views.map(view => ({
				...view,
				...withLast(last.get(view.lastRunId ?? 0)),
				...withAnswer(newestAnswer(cron, view.id)),
			})),
		);
		return;
	}

	if (jobs.set.problem !== undefined) {
		return;
	}

	const problem = await readPlatformProblems(context);
	await printTable(context, {
		header: ['ID', 'NAME', 'SCHEDULE', 'STATE', 'NEXT', 'LAST', 'DELIVER', 'PROBLEM'],
		rows: jobs.views.map(view => [
			view.id,
			view.name,
			view.schedule,
			view.state,
			nextTimeText(view),
			lastText(view, last.get(view.lastRunId ?? 0)),
			view.deliver,
			view.problem ?? problem(view.deliver) ?? '',
		]),
		empty: 'No jobs yet: create one with "svc cron add"',
		whole: ['ID', 'NEXT'],
	});
}

/** The last runs of the jobs by their numbers. */
export async function lastRuns({
	views,
	runs,
}: Pick<OpenJobs, 'views' | 'runs'>): Promise<ReadonlyMap<number, Run>> {
	if (views.every(({lastRunId}) => lastRunId === undefined)) {
		return new Map();
	}

	const found = new Map((await runs.list({limit: maxRuns})).map(run => [run.id, run]));
	for (const {id, lastRunId} of views) {
		if (lastRunId !== undefined && !found.has(lastRunId)) {
			// oxlint-disable-next-line no-await-in-loop -- only for what fired long ago
			const older = await runs.list({job: id, before: lastRunId + 1, limit: 1});
			for (const run of older) {
				found.set(run.id, run);
			}
		}
	}

	return found;
}

/** `2026-11-20 09:00:01 #12 done`; empty when the job has not fired. */
export const lastText = ({lastAt, lastRunId}: JobView, run: Run | undefined): string =>
	lastAt === undefined
		? ''
		: [printableTime(lastAt), lastRunId === undefined ? '' : `#${lastRunId}`, run?.state ?? '']
				.filter(part => part !== '')
				.join(' ');

/** `2026-11-20 09:00:00 Asia/Tokyo`: when the job fires next, on the clocks of its zone; empty when it does not. */
export const nextTimeText = ({nextAt, timeZone}: Pick<JobView, 'nextAt' | 'timeZone'>): string =>
	nextAt === undefined ? '' : `${zonedTime(nextAt, timeZone)} ${timeZone}`;

/** What JSON says of the last run. */
export const withLast = (run: Run | undefined) => run && {lastRunState: run.state};

/** What JSON says of the newest answer. */
export const withAnswer = (path: string | undefined) => path !== undefined && {answerFile: path};
