import {limits, type GatewayState} from '../../../core/state.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {isSameDay} from '../../../terminal/text/time.ts';
import {groupList} from '../../entries/group-list.ts';
import {groupOrder} from '../../entries/group-order.ts';
import {jobName} from '../../entries/job-key.ts';
import {jobList} from '../../entries/job-list.ts';
import {jobsHaveFocus} from '../../entries/sections.ts';
import {clean, type Line} from '../../lines/line.ts';
import {countPart, filterSpans, grouped, ruleLine, searchedPart} from '../../lines/title-parts.ts';
import type {Shell} from '../../shell/shell.ts';
import type {AnyList} from '../../state/list.ts';
import {nextText} from './job-columns.ts';

/** `3 pending · 41 dispatched today · flushed at quit`, after the filter of the groups. */
export function groupsSummary({feed, list, port}: Shell): readonly Line[] {
	const {state, now} = feed.get();
	const {pending} = groupOrder(state.groups);
	const flushed = port.embedded
		? literal('flushed at quit')
		: literal('flushed when the gateway stops');
	return [
		...counted(list(groupList)),
		searchedPart(list(groupList)),
		[
			{
				text: safe`${grouped(pending)} pending · ${dispatchedToday(state, now)} dispatched today · ${flushed}`,
				tone: 'quiet',
			},
		],
	];
}

/**
 * Groups that were dispatched since midnight. The list knows the newest of them, the totals all since the start: where neither can tell,
 * it is at least that many.
 */
function dispatchedToday({groups, gateway, totals}: GatewayState, now: number): Safe {
	const listed = groups.filter(
		({dispatchedAt}) => dispatchedAt !== undefined && isSameDay(dispatchedAt, now),
	).length;
	if (listed < limits.dispatchedGroups) {
		return grouped(listed);
	}

	return isSameDay(gateway.startedAt, now)
		? grouped(Math.max(listed, totals.groupsDispatched))
		: clean(`${grouped(listed)}+`);
}

/** `2 of 5`, where a filter keeps some out. */
const counted = (list: AnyList): readonly Line[] =>
	list.get().filterText.trim() === '' ? [] : [countPart(list)];

/** The rule above the jobs: how many, what is wrong, and which one fires next. */
export function jobsTitle(shell: Shell, width: number): Line {
	const {feed, list} = shell;
	const {
		state: {jobs},
		now,
	} = feed.get();
	const jobsShown = list(jobList).get();
	const invalid = jobs.filter(({state}) => state === 'invalid').length;
	const [next] = jobs
		.filter(({state, nextAt}) => state === 'active' && nextAt !== undefined)
		.toSorted((one, other) => (one.nextAt ?? 0) - (other.nextAt ?? 0));
	return ruleLine(
		[
			[{text: literal('Jobs'), tone: 'title'}],
			filterSpans(jobsShown.filterText, jobsShown.filter),
			...counted(list(jobList)),
			[{text: grouped(jobs.length), tone: 'quiet'}],
			invalid > 0 ? [{text: safe`! ${invalid} invalid`, tone: 'warn'}] : [],
			next
				? [
						{
							text: safe`next ${jobName(next)} ${nextText(next, {now, isShort: true})}`,
							tone: 'quiet',
						},
					]
				: [],
		],
		width,
		{hasKeyboard: jobsHaveFocus(shell) && shell.view.get().overlay === undefined},
	);
}
