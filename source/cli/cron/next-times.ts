import type {JobDefinition} from '../../schedule/job.ts';
import {nextAfter} from '../../schedule/when.ts';

/** The next times of a job from `now`, at most `count`, milliseconds since 1970. */
export function nextTimes(
	{schedule}: Pick<JobDefinition, 'schedule'>,
	{now, count}: {readonly now: number; readonly count: number},
): readonly number[] {
	const times: number[] = [];
	let next = nextAfter(schedule, now);
	while (next !== undefined && times.length < count) {
		times.push(next);
		next = nextAfter(schedule, next);
	}

	return times;
}
