import type {StoredDelivery} from '../../../core/delivery.ts';
import {derive} from '../../../core/derive.ts';
import type {Group, StoredGroup} from '../../../core/group.ts';
import type {Run, StoredRun} from '../../../core/run.ts';
import {limits, type GatewayState} from '../../../core/state.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {shownId} from '../../../nouns/delivery/delivery-word.ts';
import {groupActs} from '../../../nouns/group/group-acts.ts';
import {groupNoun, groupOrder, type GroupMore, memberText} from '../../../nouns/group/group.ts';
import {jobActs} from '../../../nouns/job/job-acts.ts';
import {jobKey, jobName, jobNoun, type JobMore, type ListedJob} from '../../../nouns/job/job.ts';
import {runOf} from '../../../nouns/run/run-word.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {isSameDay, clockTime} from '../../../terminal/text/time.ts';
import {goToGroup, goToJob, goToRun} from '../../acts/go-to.ts';
import {placeNow} from '../../acts/place.ts';
import {recent} from '../../entries/lists.ts';
import {focusJobs, groupList, jobList, jobsHaveFocus, noGroups} from '../../entries/sections.ts';
import {line, type Line, blankLine} from '../../lines/line.ts';
import {countPart, groupedCell, searchedPart} from '../../lines/title-parts.ts';
import type {ListMove} from '../../list/window.ts';
import {nounCommands, onSelected} from '../../nouns/acts.ts';
import {listingOf} from '../../nouns/listing.ts';
import {payloadRows} from '../../payload/payload-tree.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {AnyList} from '../../state/list.ts';
import type {LoadSource} from '../../state/source.ts';
import type {Destination, Pane, PaneSection} from '../pane.ts';

/** A group with its events, and the stored payload of its latest event. */
type GroupContent = {
	readonly group: StoredGroup;
	/** `undefined` if it is no longer stored. */
	readonly latest: StoredDelivery | undefined;
};

/** The key is `id count state`: a group is reloaded when events join it. */
const groupContents: LoadSource<GroupContent> = {
	async load(port, key) {
		const group = await port.getGroup(Number.parseInt(key, 10));
		return group && {group, latest: await port.getDelivery(group.latest)};
	},
};

/** The superseded events, and the payload of the latest. */
const contentRows = ({group, latest}: GroupContent): readonly Line[] => [
	blankLine,
	...supersededRows(group),
	line(safe`Latest event  ${shownId({id: group.latest})}`, 'title'),
	...payloadRows(
		latest
			? {status: 'ready', key: latest.id, value: latest}
			: {status: 'missing', key: group.latest},
	),
];

/** How many superseded events are listed above the payload; the pager lists all. */
const maxShown = 12;

function supersededRows({members, latest, count}: StoredGroup): readonly Line[] {
	const superseded = members.filter(({delivery}) => delivery !== latest).toReversed();
	if (superseded.length === 0) {
		return [];
	}

	const hidden = count - 1 - Math.min(superseded.length, maxShown);
	return [
		line(literal('Superseded, newest first'), 'title'),
		// The event's subject; else its type and the sender's identifier.
		...superseded
			.slice(0, maxShown)
			.map(({delivery, deliveryId, event, subject, receivedAt}) =>
				line(
					safe` ${clockTime(receivedAt)}  ${shownId({id: delivery})}  ${escapeLine(subject ?? `${event}  ${deliveryId}`)}`,
				),
			),
		...(hidden > 0 ? [line(safe` … ${hidden} more, e opens all in $PAGER`, 'quiet')] : []),
		blankLine,
	];
}

/** A group, its events and its latest payload as plain text for the pager. */
const groupText = ({group, latest}: GroupContent): string =>
	[
		`group ${group.id} ${group.route} ${group.key} ${group.state}, ${group.count} events`,
		group.members.map(member => memberText(group, member)).join('\n'),
		latest?.body ? new TextDecoder().decode(latest.body) : 'The latest body is not kept',
	].join('\n\n');

/** Loads the last run of a job with its whole answer. The key ends in the run's state and number. */
const lastRuns: LoadSource<StoredRun> = {
	load: async (port, key) => port.getRun(Number(key.slice(key.lastIndexOf(' ') + 1))),
};

const groupsAndRuns = derive((groups: readonly Group[], runs: readonly Run[]) => ({groups, runs}));

/** The rows of groups depend on runs and on other groups' results. */
function known({feed}: Host) {
	const {groups, runs} = feed.get().state;
	return groupsAndRuns(groups, runs);
}

export const groupListing = listingOf<Group, GroupMore, GroupContent>({
	noun: groupNoun,
	list: groupList,
	known,
	// Bars move faster than once a second.
	stepMs: 250,
	beside: {
		source: groupContents,
		keyOf: ({id, count, state}) => `${id} ${count} ${state}`,
		rows: contentRows,
	},
});

const groupSection: PaneSection = {
	id: 'groups',
	title: literal('Groups'),
	commands: [
		...nounCommands({
			noun: groupNoun,
			acts: groupActs,
			list: groupList,
			others: [
				onSelected(groupList)(['groups.run', 'o'], literal('its run'), {
					of: ({runId}) => runId,
					none: literal('It waits: it has started no run yet'),
					run: goToRun,
				}),
			],
		}),
		onSelected(groupList)(['groups.pager', 'e'], literal('events and payload in $PAGER'), {
			quiet: true,
			run(shell, {id}) {
				const isStillHere = placeNow(shell, literal('e'));
				shell.attempt(async () => {
					const content = await groupContents.load(shell.port, String(id));
					if (!content) {
						throw new Error('That group is no longer stored');
					}

					if (isStillHere(literal('The pager was not opened'))) {
						await shell.desktop.page(groupText(content));
					}
				});
			},
		}),
	],
	listing: groupListing,
};

export const jobListing = listingOf<ListedJob, JobMore, StoredRun>({
	noun: jobNoun,
	list: jobList,
	known,
	beside: {
		source: lastRuns,
		// Reloaded when the run's state changes; found in the journal when the run is no longer listed.
		keyOf: (job, {runs = []} = {}) =>
			job.lastRunId === undefined
				? ''
				: `${jobKey(job)} ${runOf(runs, job.lastRunId)?.state ?? ''} ${job.lastRunId}`,
		told: stored => ({stored}),
	},
});

const jobSection: PaneSection = {
	id: 'jobs',
	title: literal('Jobs'),
	commands: nounCommands({
		noun: jobNoun,
		acts: jobActs,
		list: jobList,
		others: [
			onSelected(jobList)(['jobs.last-run', 'o'], literal('its last run'), {
				of: ({lastRunId}) => lastRunId,
				none: literal('It has not run yet'),
				run: goToRun,
			}),
		],
	}),
	listing: jobListing,
};

const destinations = (shell: Shell): readonly Destination[] => {
	const {state} = shell.feed.get();
	return [
		...state.groups.slice(0, recent).map(({id, key, route, state: word}) => ({
			label: safe`go to group ${escapeLine(key)} of ${escapeLine(route)} ${escapeLine(word)}`,
			go: () => goToGroup(shell, id),
		})),
		...state.jobs.map(job => ({
			label: safe`go to job ${escapeLine(jobName(job))}`,
			place: literal('Jobs'),
			go: () => goToJob(shell, jobKey(job)),
		})),
	];
};

/** Groups of waiting events with their timers, and below them the scheduled jobs. */
export const groupsPane: Pane = {
	id: 'groups',
	title: literal('Groups'),
	short: literal('Grp'),
	manual: 'routes',
	countsSeconds: ({jobs}) =>
		jobs.some(({state, nextAt}) => state === 'active' && nextAt !== undefined),
	empty: noGroups,
	isWide: true,
	sections: [groupSection, jobSection],
	/** `3 pending · 41 dispatched today · flushed at quit`, after the groups' filter. */
	summary({feed, list, port}) {
		const {state, now} = feed.get();
		const flushed = port.embedded
			? literal('flushed at quit')
			: literal('flushed when the gateway stops');
		return [
			...counted(list(groupList)),
			searchedPart(list(groupList)),
			line(
				safe`${groupedCell(groupOrder(state.groups).pending)} pending · ${dispatchedToday(state, now)} dispatched today · ${flushed}`,
				'quiet',
			),
		];
	},
	focus: {
		now: host => (jobsHaveFocus(host) ? jobSection : groupSection),
		hold: host => focusJobs(host, jobsHaveFocus(host)),
		choose: (host, section) => focusJobs(host, section === jobSection),
		next: otherSection,
		cross: crossSections,
	},
	hasBars: state => state.groups.some(group => group.state === 'pending'),
	destinations,
};

/** `2 of 5`, if a filter excludes some. */
export const counted = (list: AnyList): readonly Line[] =>
	list.get().filterText.trim() === '' ? [] : [countPart(list)];

/**
 * How many groups were dispatched since midnight. The list holds only the newest, the totals count since the gateway's start: if neither is exact, the number is a
 * lower bound.
 */
function dispatchedToday({groups, gateway, totals}: GatewayState, now: number): Safe {
	const today = groups.filter(
		({dispatchedAt}) => dispatchedAt !== undefined && isSameDay(dispatchedAt, now),
	).length;
	if (today < limits.dispatchedGroups) {
		return groupedCell(today);
	}

	return isSameDay(gateway.startedAt, now)
		? groupedCell(Math.max(today, totals.groupsDispatched))
		: escapeLine(`${groupedCell(today)}+`);
}

/** Focuses the pane's other section; `false` if there is none. */
function otherSection(shell: Shell): boolean {
	const {groups, jobs} = shell.feed.get().state;
	const hasBoth = shell.view.get().region === 'list' && groups.length > 0 && jobs.length > 0;
	if (hasBoth) {
		focusJobs(shell, !jobsHaveFocus(shell));
	}

	return hasBoth;
}

/** Moves from the last group to the first job, or back. Returns whether it moved. */
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
