import type {JobView} from '../core/job.ts';
import {escapeLine} from '../core/untrusted.ts';
import {defaultTarget} from '../platforms/platforms.ts';
import type {JobRecord} from '../store/job-port.ts';
import type {JobEntry} from './job.ts';
import {expectedNext} from './plan-tick.ts';

const maxShownLength = 200;

const shown = (text: string): string => escapeLine(text, maxShownLength);

/** The view of a job for faces: its entry in the file with the facts of the journal. Pure. */
export function viewOfJob(
	{profile, entry}: {readonly profile: string; readonly entry: JobEntry},
	record: JobRecord | undefined,
	now: number,
): JobView {
	const facts = {
		profile,
		...(record?.lastAt !== undefined && {lastAt: record.lastAt}),
		...(record?.lastRunId !== undefined && {lastRunId: record.lastRunId}),
		open: record?.open ?? 0,
	};
	if (!entry.ok) {
		const {id, name, scheduleText: schedule, problem} = entry.job;
		const rest = {timeZone: 'UTC', state: 'invalid', deliver: defaultTarget, problem} as const;
		return {...facts, id, name, schedule, ...rest};
	}

	const {job} = entry;
	const nextAt = expectedNext(job, record, now);
	return {
		...facts,
		id: job.id,
		name: shown(job.name),
		schedule: shown(job.scheduleText),
		timeZone: job.timeZone,
		state: job.paused ? 'paused' : nextAt === undefined ? 'ended' : 'active',
		deliver: job.target.kind,
		...(entry.stale !== undefined && {problem: entry.stale}),
		...(nextAt !== undefined && {nextAt}),
	};
}
