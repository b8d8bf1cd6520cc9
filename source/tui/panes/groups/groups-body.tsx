import {Box} from 'ink';
import {escapeLine} from '../../../core/untrusted.ts';
import {jobName, nextRunText} from '../../../nouns/job/job.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {jobList, jobsHaveFocus, sectionsNow} from '../../entries/sections.ts';
import {blankLine, line, type Line} from '../../lines/line.ts';
import {filterSpans, groupedCell, ruleLine} from '../../lines/title-parts.ts';
import type {Shell} from '../../shell/shell.ts';
import {LineBlock, type RegionProps, LineRow} from '../../view/line-block.tsx';
import {NounBody} from '../../view/noun-body.tsx';
import {useStore, useShell} from '../../view/shell-context.ts';
import {counted, groupListing, jobListing} from './groups.ts';

const noJobs = [blankLine, line(literal('  No scheduled jobs. `svc cron add` adds one.'), 'quiet')];

/** Groups with their two timers, and below them the scheduled jobs. */
export function GroupsBody({width, height}: RegionProps) {
	const shell = useShell();
	const {state} = useStore(shell.feed, snapshot => snapshot);
	useStore(shell.list(jobList), view => view);
	const isInJobs = useStore(shell.view, () => jobsHaveFocus(shell));
	const {groups, jobs} = sectionsNow(state, {width, height});
	return (
		<Box flexDirection="column" width={width} height={height} flexShrink={0}>
			<NounBody of={groupListing.noun} hasFocus={!isInJobs} width={width} height={groups} />
			{state.jobs.length === 0 ? (
				<LineBlock rows={noJobs} top={0} width={width} height={jobs} />
			) : (
				<>
					<Box height={1} flexShrink={0}>
						<LineRow row={jobsTitle(shell, width)} width={width} />
					</Box>
					<NounBody of={jobListing.noun} hasFocus={isInJobs} width={width} height={jobs - 1} />
				</>
			)}
		</Box>
	);
}

/** The rule above the jobs: their number, their problems, and the next to fire. */
function jobsTitle(shell: Shell, width: number): Line {
	const {
		state: {jobs},
		now,
	} = shell.feed.get();
	const shown = shell.list(jobList);
	const {filterText, filter} = shown.get();
	const invalid = jobs.filter(({state}) => state === 'invalid').length;
	const [next] = jobs
		.filter(({state, nextAt}) => state === 'active' && nextAt !== undefined)
		.toSorted((one, other) => (one.nextAt ?? 0) - (other.nextAt ?? 0));
	return ruleLine(
		[
			[{text: literal('Jobs'), tone: 'title'}],
			filterSpans(filterText, filter),
			...counted(shown),
			[{text: groupedCell(jobs.length), tone: 'quiet'}],
			invalid > 0 ? [{text: safe`! ${invalid} invalid`, tone: 'warn'}] : [],
			next
				? line(escapeLine(`next ${jobName(next)} ${nextRunText(next, now, true)}`), 'quiet')
				: [],
		],
		width,
		{hasKeyboard: jobsHaveFocus(shell) && shell.view.get().overlay === undefined},
	);
}
