import {literal} from '../../../terminal/text/safe.ts';
import {groupList} from '../../entries/group-list.ts';
import {jobKey} from '../../entries/job-key.ts';
import {jobList} from '../../entries/job-list.ts';
import {runOf} from '../../entries/run-of.ts';
import {line} from '../../lines/line.ts';
import {readingOf, readWidth} from '../../lines/reading.ts';
import {groupColumnWidths, groupHeader, groupRow} from './group-columns.ts';
import {jobColumns, jobHeader, jobRow} from './job-columns.ts';

const groupCells = groupColumnWidths(readWidth);
const done = line(literal('done'), 'title');
const jobCells = jobColumns(readWidth);

/** The groups, read one after the other. */
export const groupReading = readingOf(groupList, {
	header: groupHeader(groupCells, []),
	keyOf: ({id}) => String(id),
	rowsOf({feed}) {
		const {state, now} = feed.get();
		return {
			row: group =>
				groupRow(group, {columns: groupCells, now, run: runOf(state.runs, group.runId)}, false),
			heading: ({state: word}, above) =>
				word === 'dispatched' && above?.state !== 'dispatched' ? done : undefined,
		};
	},
});

/** The scheduled jobs. */
export const jobReading = readingOf(jobList, {
	header: jobHeader(jobCells),
	keyOf: jobKey,
	rowsOf({feed}) {
		const {state, now} = feed.get();
		return {
			row: job =>
				jobRow(job, {columns: jobCells, now, run: runOf(state.runs, job.lastRunId)}, false),
		};
	},
});
