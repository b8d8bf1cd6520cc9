import {limits, type GatewayState} from '../../core/state.ts';
import {groupNoun, groupOrder} from '../../nouns/group/group.ts';
import {jobNoun} from '../../nouns/job/job.ts';
import {emptyLines} from '../lines/empty.ts';
import type {Host} from '../shell/shell.ts';
import {nounList, type LocalState} from '../state/source.ts';

/** Waiting groups, then dispatched ones. */
export const groupList = nounList('groups', groupNoun, {
	read: ({groups}) => groupOrder(groups).all,
	more: host => ({
		height: () => shownSections(host).groupRows,
		history: {
			clock: host.clock,
			isShown: () => host.pane().id === 'groups',
			olderAt: 'end',
			isCut: ({groups}) => groupOrder(groups).done >= limits.dispatchedGroups,
			isDone: ({state}) => state === 'dispatched',
			ask: async (question, hungUp) => host.port.searchGroups(question, hungUp),
			join: (live, older) => groupOrder([...live, ...older]).all,
		},
	}),
});

/** The scheduled jobs of all profiles. */
export const jobList = nounList('jobs', jobNoun, {
	read: state => state.jobs,
	more: host => ({height: () => shownSections(host).jobRows}),
});

/** The rows of the pane's two sections; together at most the pane's height. */
type Sections = {
	readonly groups: number;
	readonly jobs: number;
	/** Rows of each list, without headings. */
	readonly groupRows: number;
	readonly jobRows: number;
};

/** Rows taken by headings: the column names, above jobs also a rule; without jobs, a blank row instead. */
const headings = {groups: 1, done: 1, jobs: 2, noJobs: 2} as const;

/** Rows that the section of jobs keeps when groups need all the room: its headings and two jobs, or a third. */
const minJobRows = 4;

/** Divides the pane's rows between groups and jobs. */
export function sectionsOf(
	{groups, jobs}: Pick<GatewayState, 'groups' | 'jobs'>,
	{height, emptyRows}: {readonly height: number; readonly emptyRows: () => number},
): Sections {
	const {pending, done} = groupOrder(groups);
	const doneHeading = done > 0 ? headings.done : 0;
	const wanted =
		pending + done === 0 ? emptyRows() : headings.groups + pending + doneHeading + done;
	const forJobs = jobs.length === 0 ? headings.noJobs : headings.jobs + jobs.length;
	const least = Math.min(forJobs, Math.max(minJobRows, Math.floor(height / 3)), height);
	const groupHeight = Math.min(wanted, height - least);
	const jobHeight = Math.min(forJobs, height - groupHeight);
	return {
		groups: groupHeight,
		jobs: jobHeight,
		groupRows: Math.max(0, groupHeight - headings.groups - doneHeading),
		jobRows: Math.max(0, jobHeight - headings.jobs),
	};
}

/** The current sections of the pane, in `height` rows of `width` cells. */
export const sectionsNow = (
	state: GatewayState,
	{width, height}: {readonly width: number; readonly height: number},
): Sections =>
	sectionsOf(state, {height, emptyRows: () => emptyLines(noGroups(state), width).length});

/** The sections as last drawn. */
const shownSections = ({feed, view, layout}: Host): Sections =>
	sectionsNow(feed.get().state, {width: view.get().size.columns, height: layout().bodyHeight});

/** Shown when there is no group. */
export function noGroups({routes}: GatewayState): readonly string[] {
	const count = routes.filter(route => route.mode === 'coalesce').length;
	const waits =
		'Events of one key wait here with two clocks, the quiet window and the cap, then start one run.';
	return count === 0
		? ['No route coalesces. `svc webhook subscribe NAME --coalesce-key KEY` makes one.', waits]
		: [`No group waits; ${count === 1 ? '1 route coalesces' : `${count} routes coalesce`}.`, waits];
}

/** Whether the person focused the jobs. */
const choseJobs: LocalState<boolean> = {initial: false};

/** Whether the jobs are focused: the person chose them, or there are no groups. */
export function jobsHaveFocus({feed, local}: Host): boolean {
	const {jobs, groups} = feed.get().state;
	return jobs.length > 0 && (local(choseJobs).get() || groups.length === 0);
}

/** Focuses the jobs, or the groups. */
export const focusJobs = ({local}: Host, isInJobs: boolean): void =>
	local(choseJobs).set(() => isInJobs);
