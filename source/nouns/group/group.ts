import {derive} from '../../core/derive.ts';
import {groupVocabulary} from '../../core/filter/vocabularies.ts';
import {dueOf, type Group, type StoredGroup} from '../../core/group.ts';
import {countOf} from '../../core/names.ts';
import type {Run} from '../../core/run.ts';
import {printableTime} from '../../terminal/text/time.ts';
import {
	column,
	mainColumn,
	fact,
	type AsOf,
	type Fact,
	type Noun,
	type ValuePlace,
} from '../noun.ts';
import {runOf, runWords} from '../run/run-word.ts';
import {
	clockLabel,
	clocksOf,
	clockWords,
	doneHeading,
	doneText,
	nextText,
	reasons,
	runWordsOf,
	secondsText,
	type GroupClock,
} from './group-words.ts';

export type GroupMore = {
	/** The groups and runs in the state. */
	readonly groups?: readonly Group[];
	readonly runs?: readonly Run[];
	/** The selected group with its events. */
	readonly stored?: StoredGroup;
};

/** The groups in the pane's order. */
export type GroupOrder = {
	/** Waiting groups in order of opening, so that rows keep their place while timers run; then dispatched ones, newest first. */
	readonly all: readonly Group[];
	readonly pending: number;
	readonly done: number;
};

/** The order of the state's groups; memoised. */
export const groupOrder = derive((groups: readonly Group[]): GroupOrder => {
	const pending = groups
		.filter(({state}) => state === 'pending')
		.toSorted((one, other) => one.id - other.id);
	const done = groups
		.filter(({state}) => state === 'dispatched')
		.toSorted(
			(one, other) => (other.dispatchedAt ?? 0) - (one.dispatchedAt ?? 0) || other.id - one.id,
		);
	return {all: [...pending, ...done], pending: pending.length, done: done.length};
});

/** `due in 20s (quiet)`, or `dispatched (quiet)`. */
function stateOf(group: Group, {now}: AsOf): string {
	if (group.state === 'dispatched') {
		return `dispatched${group.reason ? ` (${group.reason})` : ''}`;
	}

	const {at, reason} = dueOf(group);
	return `due in ${Math.max(0, Math.ceil((at - now) / 1000))}s (${reason})`;
}

/** An event of a group in a line; foreign text. */
export const memberText = (
	{latest}: Pick<Group, 'latest'>,
	{delivery, deliveryId, event, subject, receivedAt}: StoredGroup['members'][number],
): string =>
	[
		printableTime(receivedAt),
		delivery,
		event,
		deliveryId,
		...(subject === undefined ? [] : [subject]),
		...(delivery === latest ? ['<- runs'] : []),
	].join('  ');

function memberFacts(group: StoredGroup | undefined): readonly Fact[] {
	if (!group) {
		return [];
	}

	const {count, members} = group;
	const older = count - members.length;
	return [
		{title: `events (${count}, ${count - 1} superseded by the latest)`},
		...(older > 0 ? [{text: `… ${older} older ones`}] : []),
		...members.map(member => ({text: memberText(group, member)})),
	];
}

const widths = [160, 120, 100, 76];

/** A column's width in lists of at least 160, 120, 100, 76 and of fewer cells. */
const byWidth =
	(...cells: readonly [number, number, number, number, number]) =>
	(width: number): number =>
		cells[widths.findIndex(least => width >= least)] ?? cells[4];

/** Events of one entity that are collected and become one run. @see manual/routes.md#coalescing */
export const groupNoun: Noun<Group, GroupMore> = {
	one: 'group',
	many: 'groups',
	argument: 'group',
	missing: 'group_not_found',
	isNumbered: true,
	id: ({id}) => String(id),
	name: ({key}) => key,
	columns: [
		column('group', 0, ({id}) => String(id)),
		mainColumn('route', {share: 0.4, most: 28}, ({route}) => route),
		mainColumn('key', {least: 8, most: 64}, ({key}) => key),
		mainColumn('events', byWidth(14, 11, 10, 9, 9), {
			// All events but the latest are superseded.
			value({count}, _known, {room}) {
				const full = `${count} (${count - 1} old)`;
				return count === 1 ? '1' : full.length <= room ? full : `${count} (${count - 1})`;
			},
			printed: ({count}) => String(count),
		}),
		column('first', 0, ({firstAt}) => printableTime(firstAt)),
		column('quiet', byWidth(37, 24, 19, 16, 7), {
			label: clockLabel(['quiet window', 'quiet'], group => group.quietAt - group.lastAt),
			takes: {after: ({state}) => (state === 'pending' ? 0 : 1)},
			value: (group, _known, {room}) => doneText(group, room),
			words: (group, {now}, {room}) =>
				group.state === 'pending'
					? clockWords(clocksOf(group, now).quiet, room, ' left')
					: undefined,
		}),
		column('cap', byWidth(28, 18, 14, 7, 7), {
			label: clockLabel(['cap'], group => group.capAt - group.firstAt),
			value: () => '',
			words: (group, {now}, {room}: ValuePlace) => clockWords(clocksOf(group, now).cap, room),
		}),
		column('next', byWidth(17, 17, 17, 8, 8), {
			value: (group, {now}, {room}) => nextText(group, now, room),
			tone: (group, {now}) => (dueOf(group).at <= now ? 'accent' : 'quiet'),
			words: (group, {runs = []}, {room}) =>
				group.state === 'pending' ? undefined : runWordsOf(group, runs, room),
		}),
		column('state', 0, stateOf),
		column('run', 0, ({runId}) => (runId === undefined ? '' : `#${runId}`)),
	],
	printed: {
		columns: ['group', 'route', 'key', 'events', 'first', 'state', 'run'],
		whole: ['group', 'first', 'run'],
		optional: ['first'],
		empty:
			'No groups yet: a route with "coalesce" gathers its events (svc webhook subscribe NAME --coalesce-key KEY)',
	},
	heading: ({state}, {groups = []}) => (state === 'dispatched' ? doneHeading(groups) : undefined),
	factCells: 11,
	head: (group, known) => [
		{text: String(group.id)},
		{text: group.route, tone: 'strong'},
		{text: stateOf(group, known), tone: group.state === 'pending' ? 'accent' : 'quiet'},
	],
	facts(group, {now, runs = [], stored}) {
		const {id, profile, count, state, dispatchedAt, reason, runId} = group;
		const {quiet, cap} = clocksOf(group, now);
		const run = runOf(runs, runId);
		return [
			...fact('key', group.key),
			...fact('profile', profile === 'default' ? undefined : profile),
			...fact('event', group.event),
			...fact('events', `${countOf(count, 'event')}, ${count - 1} superseded`),
			...fact('first', printableTime(group.firstAt)),
			...fact('latest', printableTime(group.lastAt)),
			...(state === 'pending'
				? [
						...fact('quiet', clockFact(quiet, group.quietAt)),
						...fact('cap', clockFact(cap, group.capAt)),
						...fact('due', `${printableTime(dueOf(group).at)} (svc groups dispatch ${id})`),
					]
				: fact(
						'dispatched',
						`${dispatchedAt === undefined ? '-' : printableTime(dispatchedAt)}${reason ? `: ${reasons[reason][2]}` : ''}`,
					)),
			...fact(
				'run',
				runId === undefined
					? undefined
					: `#${runId}${run ? ` ${runWords[run.state].text}` : ''} (svc runs show ${runId})`,
			),
			...memberFacts(stored),
		];
	},
	copies: {label: 'copy key', of: ({key}) => ({label: 'key', text: key})},
	vocabulary: groupVocabulary,
};

/** `17 s of 30 s left, until 2026-11-20 12:00:17`. */
const clockFact = ({leftMs, wholeMs}: GroupClock, until: number): string =>
	`${secondsText(leftMs)} of ${secondsText(wholeMs)} left, until ${printableTime(until)}`;
