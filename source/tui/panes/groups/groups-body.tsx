import {Box} from 'ink';
import {useCallback} from 'react';
import type {Group} from '../../../core/group.ts';
import type {JobView} from '../../../core/job.ts';
import {literal} from '../../../terminal/text/safe.ts';
import {groupList} from '../../entries/group-list.ts';
import {jobKey} from '../../entries/job-key.ts';
import {jobList} from '../../entries/job-list.ts';
import {runOf} from '../../entries/run-of.ts';
import {jobsHaveFocus, sectionsNow} from '../../entries/sections.ts';
import {blankLine, line} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {LineBlock} from '../../view/line-block.tsx';
import {LineRow} from '../../view/line-row.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import {groupColumnWidths, groupHeader, groupRow} from './group-columns.ts';
import {doneHeading} from './group-sizes.ts';
import {jobsTitle} from './groups-title.ts';
import {jobColumns, jobHeader, jobRow} from './job-columns.ts';

/** Groups with their two clocks, and under them the scheduled jobs. */
export function GroupsBody({width, height}: RegionProps) {
	const shell = useShell();
	const {state} = useStore(shell.feed, snapshot => snapshot);
	const sections = sectionsNow(state, {width, height});
	return (
		<Box flexDirection="column" width={width} height={height} flexShrink={0}>
			<GroupList width={width} height={sections.groups} />
			<JobSection width={width} height={sections.jobs} />
		</Box>
	);
}

function GroupList({width, height}: RegionProps) {
	const shell = useShell();
	const groups = shell.list(groupList);
	const {state, now} = useStore(shell.feed, snapshot => snapshot);
	const hasFocus = !useJobsFocus();
	useStore(groups, view => view);
	const columns = groupColumnWidths(width);
	const rowOf = useCallback(
		(group: Group, isSelected: boolean) =>
			groupRow(
				group,
				{columns: groupColumnWidths(width), now, run: runOf(state.runs, group.runId)},
				isSelected && hasFocus,
			),
		[width, now, state.runs, hasFocus],
	);
	return (
		<ListRows
			list={groups}
			keyOf={group => String(group.id)}
			rowOf={rowOf}
			headingOf={(group, above) =>
				// Those that are done begin under a heading.
				group.state === 'dispatched' && above?.state !== 'dispatched'
					? doneHeading(state.groups)
					: undefined
			}
			header={line(groupHeader(columns, groups.shown()), 'quiet')}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={groups} width={width} height={height} />}
		/>
	);
}

const noJobs = [blankLine, line(literal('  No scheduled jobs. `svc cron add` adds one.'), 'quiet')];

function JobSection({width, height}: RegionProps) {
	const shell = useShell();
	const jobs = shell.list(jobList);
	const {state, now} = useStore(shell.feed, snapshot => snapshot);
	const hasFocus = useJobsFocus();
	useStore(jobs, view => view);
	const second = Math.floor(now / 1000) * 1000;
	const rowOf = useCallback(
		(job: JobView, isSelected: boolean) =>
			jobRow(
				job,
				{columns: jobColumns(width), now: second, run: runOf(state.runs, job.lastRunId)},
				isSelected && hasFocus,
			),
		[width, second, state.runs, hasFocus],
	);
	if (state.jobs.length === 0) {
		return <LineBlock rows={noJobs} top={0} width={width} height={height} />;
	}

	return (
		<>
			<Box height={1} flexShrink={0}>
				<LineRow row={jobsTitle(shell, width)} width={width} />
			</Box>
			<ListRows
				list={jobs}
				keyOf={jobKey}
				rowOf={rowOf}
				header={line(jobHeader(jobColumns(width)), 'quiet')}
				width={width}
				height={height - 1}
				whenEmpty={<EmptyList list={jobs} width={width} height={height - 1} />}
			/>
		</>
	);
}

function useJobsFocus(): boolean {
	const shell = useShell();
	return useStore(shell.view, () => jobsHaveFocus(shell));
}
