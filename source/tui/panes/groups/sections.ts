import type {GatewayState} from '../../../core/state.ts';
import type {Feed} from '../../state/feed.ts';
import type {Store} from '../../state/store.ts';
import type {ViewState} from '../../state/view.ts';
import {emptyLines} from '../empty.ts';
import {groupOrder} from './group-order.ts';

/** Rows of the two sections of the pane. They add up to its height at most. */
export type Sections = {
	readonly groups: number;
	readonly jobs: number;
	/** Rows of each list, without its headings. */
	readonly groupRows: number;
	readonly jobRows: number;
};

/** The names of the columns; above jobs also a rule, above no jobs a blank row. */
const headings = {groups: 1, done: 1, jobs: 2, noJobs: 2} as const;

/** What the section of jobs keeps when groups need all the room: its headings and two jobs, or a third. */
const leastForJobs = 4;

/** How the groups and the jobs share the rows of the pane. */
export function sectionsOf(
	{groups, jobs}: Pick<GatewayState, 'groups' | 'jobs'>,
	{height, emptyRows}: {readonly height: number; readonly emptyRows: () => number},
): Sections {
	const {pending, done} = groupOrder(groups);
	const doneHeading = done > 0 ? headings.done : 0;
	const wanted =
		pending + done === 0 ? emptyRows() : headings.groups + pending + doneHeading + done;
	const forJobs = jobs.length === 0 ? headings.noJobs : headings.jobs + jobs.length;
	const least = Math.min(forJobs, Math.max(leastForJobs, Math.floor(height / 3)), height);
	const groupHeight = Math.min(wanted, height - least);
	const jobHeight = Math.min(forJobs, height - groupHeight);
	return {
		groups: groupHeight,
		jobs: jobHeight,
		groupRows: Math.max(0, groupHeight - headings.groups - doneHeading),
		jobRows: Math.max(0, jobHeight - headings.jobs),
	};
}

/** The sections of the pane as it is now, in `height` rows of `width` cells. */
export const sectionsNow = (
	state: GatewayState,
	{width, height}: {readonly width: number; readonly height: number},
): Sections =>
	sectionsOf(state, {
		height,
		emptyRows: () => emptyLines('groups', {state, isFiltered: false}, width).length,
	});

/** Whether keys go to the jobs: they were chosen, or there is nothing else. */
export function jobsHaveFocus({
	feed,
	view,
}: {
	readonly feed: Pick<Feed, 'get'>;
	readonly view: Pick<Store<ViewState>, 'get'>;
}): boolean {
	const {jobs, groups} = feed.get().state;
	return jobs.length > 0 && (view.get().isInJobs || groups.length === 0);
}

/** Makes the section that has the keyboard the chosen one: what comes later must not take it. */
export function holdSection(shell: {
	readonly feed: Pick<Feed, 'get'>;
	readonly view: Pick<Store<ViewState>, 'get' | 'set'>;
}): void {
	const isInJobs = jobsHaveFocus(shell);
	shell.view.set(state => (state.isInJobs === isInJobs ? state : {...state, isInJobs}));
}
