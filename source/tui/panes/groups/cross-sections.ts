import type {ListMove} from '../../list/window.ts';
import type {Shell} from '../../shell/shell.ts';
import {groupList} from './group-list.ts';
import {jobList} from './job-list.ts';
import {focusJobs, jobsHaveFocus} from './sections.ts';

/** Gives the keyboard to the other section of the pane; `false` where there is none. */
export function otherSection(shell: Shell): boolean {
	const {groups, jobs} = shell.feed.get().state;
	const hasBoth = shell.view.get().region === 'list' && groups.length > 0 && jobs.length > 0;
	if (hasBoth) {
		focusJobs(shell, !jobsHaveFocus(shell));
	}

	return hasBoth;
}

/** One step beyond the last group is the first job, and back. Returns whether that step was taken. */
export function crossSections(shell: Shell, by: Extract<ListMove, string>): boolean {
	const isInJobs = jobsHaveFocus(shell);
	const groups = shell.list(groupList);
	const jobs = shell.list(jobList);
	const {items, window} = (isInJobs ? jobs : groups).get();
	const isAtEdge = isInJobs
		? by === 'up' && window.cursor <= 0
		: by === 'down' && window.cursor === items.length - 1;
	if (!isAtEdge || !otherSection(shell)) {
		return false;
	}

	(isInJobs ? groups : jobs).move(isInJobs ? 'last' : 'first');
	return true;
}
