import {groupVocabulary} from '../../../core/filter/group-vocabulary.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {goToGroup, goToJob} from '../../acts/go-to.ts';
import {groupList} from '../../entries/group-list.ts';
import {groupOrder} from '../../entries/group-order.ts';
import {jobKey, jobName, jobVocabulary} from '../../entries/job-key.ts';
import {jobList} from '../../entries/job-list.ts';
import {focusJobs, jobsHaveFocus, noGroups} from '../../entries/sections.ts';
import {clean} from '../../lines/line.ts';
import {recent} from '../../lines/newest.ts';
import type {ListMove} from '../../list/window.ts';
import type {Shell} from '../../shell/shell.ts';
import type {Destination, Pane, PaneSection} from '../pane.ts';
import {groupCommands} from './group-commands.ts';
import {createGroupDetail, createJobDetail} from './group-details.ts';
import {groupsSummary} from './groups-title.ts';
import {jobCommands} from './job-commands.ts';

const groupSection: PaneSection = {
	id: 'groups',
	title: literal('Groups'),
	commands: groupCommands,
	listing: {
		list: groupList,
		vocabulary: groupVocabulary,
		isLive: false,
		detail: createGroupDetail,
		hasCursor: false,
	},
};

const jobSection: PaneSection = {
	id: 'jobs',
	title: literal('Jobs'),
	commands: jobCommands,
	listing: {
		list: jobList,
		vocabulary: jobVocabulary,
		isLive: false,
		detail: createJobDetail,
		hasCursor: false,
	},
};

const destinations = (shell: Shell): readonly Destination[] => {
	const {state} = shell.feed.get();
	return [
		...state.groups.slice(0, recent).map(({id, key, route, state: word}) => ({
			label: safe`go to group ${clean(key)} of ${clean(route)} ${clean(word)}`,
			place: literal('Groups'),
			go() {
				goToGroup(shell, id);
			},
		})),
		...state.jobs.map(job => ({
			label: safe`go to job ${jobName(job)}`,
			place: literal('Jobs'),
			go() {
				goToJob(shell, jobKey(job));
			},
		})),
	];
};

/** Events that wait together, with their clocks, and under them the scheduled jobs. */
export const groupsPane: Pane = {
	id: 'groups',
	title: literal('Groups'),
	short: literal('Grp'),
	manual: 'routes',
	countsSeconds: ({jobs}) =>
		jobs.some(({state, nextAt}) => state === 'active' && nextAt !== undefined),
	count: state => groupOrder(state.groups).pending,
	empty: noGroups,
	isWide: true,
	sections: [groupSection, jobSection],
	summary: groupsSummary,
	focus: {
		now: host => (jobsHaveFocus(host) ? jobSection : groupSection),
		hold(host) {
			focusJobs(host, jobsHaveFocus(host));
		},
		choose(host, section) {
			focusJobs(host, section === jobSection);
		},
		next: otherSection,
		cross: crossSections,
	},
	hasBars: state => state.groups.some(group => group.state === 'pending'),
	destinations,
};

/** Gives the keyboard to the other section of the pane; `false` where there is none. */
function otherSection(shell: Shell): boolean {
	const {groups, jobs} = shell.feed.get().state;
	const hasBoth = shell.view.get().region === 'list' && groups.length > 0 && jobs.length > 0;
	if (hasBoth) {
		focusJobs(shell, !jobsHaveFocus(shell));
	}

	return hasBoth;
}

/** One step beyond the last group is the first job, and back. Returns whether that step was taken. */
function crossSections(shell: Shell, by: Extract<ListMove, string>): boolean {
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
