import {own, ui} from '../../../terminal/text/safe.ts';
import {goToGroup, goToJob} from '../../commands/go-to.ts';
import type {Shell} from '../../shell/shell.ts';
import {clean} from '../line.ts';
import {recent} from '../newest.ts';
import type {Destination, Pane, Section} from '../pane.ts';
import {crossSections, otherSection} from './cross-sections.ts';
import {groupCommands} from './group-commands.ts';
import {createGroupDetail, createJobDetail} from './group-details.ts';
import {groupList} from './group-list.ts';
import {groupOrder} from './group-order.ts';
import {GroupsBody} from './groups-body.tsx';
import {groupsSummary} from './groups-title.ts';
import {jobCommands} from './job-commands.ts';
import {jobKey, jobName} from './job-key.ts';
import {jobList} from './job-list.ts';
import {focusJobs, jobsHaveFocus, noGroups} from './sections.ts';

const groups: Section = {
	id: 'groups',
	title: own('Groups'),
	commands: groupCommands,
	listing: {
		list: groupList,
		words: own('route: key: state: event: count> since:'),
		isLive: false,
		detail: createGroupDetail,
		hasCursor: false,
	},
};

const jobs: Section = {
	id: 'jobs',
	title: own('Jobs'),
	commands: jobCommands,
	listing: {
		list: jobList,
		words: own('name: state:'),
		isLive: false,
		detail: createJobDetail,
		hasCursor: false,
	},
};

const destinations = (shell: Shell): readonly Destination[] => {
	const {state} = shell.feed.get();
	return [
		...state.groups.slice(0, recent).map(({id, key, route, state: word}) => ({
			label: ui`go to group ${clean(key)} of ${clean(route)} ${clean(word)}`,
			place: own('Groups'),
			go() {
				goToGroup(shell, id);
			},
		})),
		...state.jobs.map(job => ({
			label: ui`go to job ${jobName(job)}`,
			place: own('Jobs'),
			go() {
				goToJob(shell, jobKey(job));
			},
		})),
	];
};

/** Events that wait together, with their clocks, and under them the scheduled jobs. */
export const groupsPane: Pane = {
	id: 'groups',
	title: own('Groups'),
	short: own('Grp'),
	count: state => groupOrder(state.groups).pending,
	empty: noGroups,
	Body: GroupsBody,
	isWide: true,
	sections: [groups, jobs],
	summary: groupsSummary,
	focus: {
		now: host => (jobsHaveFocus(host) ? jobs : groups),
		hold(host) {
			focusJobs(host, jobsHaveFocus(host));
		},
		choose(host, section) {
			focusJobs(host, section === jobs);
		},
		next: otherSection,
		cross: crossSections,
	},
	hasBars: state => state.groups.some(group => group.state === 'pending'),
	destinations,
};
