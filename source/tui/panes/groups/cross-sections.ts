import type {ListMove} from '../../list/window.ts';
import type {Shell} from '../../shell/shell.ts';
import {jobsHaveFocus} from './sections.ts';

const isInGroups = ({view}: Shell): boolean => {
	const {pane, region} = view.get();
	return pane === 'groups' && region === 'list';
};

const focusJobs = ({view}: Shell, isInJobs: boolean): void => {
	view.set(state => ({...state, isInJobs}));
};

/** Gives the keyboard to the other section of pane 2; `false` where there is none. */
export function otherSection(shell: Shell): boolean {
	const {groups, jobs} = shell.feed.get().state;
	const hasBoth = isInGroups(shell) && groups.length > 0 && jobs.length > 0;
	if (hasBoth) {
		focusJobs(shell, !jobsHaveFocus(shell));
	}

	return hasBoth;
}

/** One step beyond the last group is the first job, and back. Returns whether that step was taken. */
export function crossSections(shell: Shell, by: Extract<ListMove, string>): boolean {
	if (!isInGroups(shell)) {
		return false;
	}

	const isInJobs = jobsHaveFocus(shell);
	const {items, window} = (isInJobs ? shell.lists.jobs : shell.lists.groups).get();
	const isAtEdge = isInJobs
		? by === 'up' && window.cursor <= 0
		: by === 'down' && window.cursor === items.length - 1;
	if (!isAtEdge || !otherSection(shell)) {
		return false;
	}

	(isInJobs ? shell.lists.groups : shell.lists.jobs).move(isInJobs ? 'last' : 'first');
	return true;
}
