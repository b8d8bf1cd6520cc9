import {limits} from '../../core/state.ts';
import {own, ui} from '../../terminal/text/safe.ts';
import {groupsSummary} from '../panes/groups/groups-title.ts';
import {clean, type Line} from '../panes/line.ts';
import type {Pane} from '../panes/pane.ts';
import {serversSummary} from '../panes/tools/servers-summary.ts';
import type {AnyList} from '../state/list.ts';
import {filterSpans, grouped, ruleLine} from './rule-line.ts';
import type {Shell} from './shell.ts';
import {staleFor} from './status-line.ts';

/** Title, filter, position and whether the list follows, in one rule of `width` cells. */
export function paneTitle(shell: Shell, pane: Pane, width: number): Line {
	const title: Line = [{text: pane.title, tone: 'title'}];
	const list = pane.list?.(shell);
	const staleMs = staleFor(shell.feed.get());
	const stale: Line =
		staleMs === undefined
			? []
			: [{text: ui`stale, last heard ${Math.floor(staleMs / 1000)} s ago`, tone: 'warn'}];
	if (!list) {
		return ruleLine([title, stale], width);
	}

	if (pane.id === 'groups') {
		return ruleLine([title, ...groupsSummary(shell), stale], width);
	}

	const {items, total, filterText, filter} = list.get();
	return ruleLine(
		[
			title,
			filterSpans(filterText, filter),
			countOf(pane, items.length, total),
			...extraOf(shell, pane),
			pane.isLive ? followOf(list) : [],
			stale,
		],
		width,
	);
}

const caps: Readonly<Record<string, number>> = {
	traffic: limits.deliveries,
	runs: limits.runs,
};

const approvalFacts = ({feed}: Shell): readonly Line[] => {
	const {approvals, approvalRules, settledApprovals} = feed.get().state;
	return [
		[
			{
				text: ui`${approvals.length} waiting · ${approvalRules.length} ${approvalRules.length === 1 ? own('rule') : own('rules')} · ${grouped(settledApprovals.length)} decided`,
				tone: approvals.length > 0 ? 'warn' : 'quiet',
			},
		],
	];
};

function countOf({id}: Pane, shown: number, total: number): Line {
	if (id === 'tools') {
		const noun = total === 1 ? own('server') : own('servers');
		return [
			{
				text:
					shown === total
						? ui`${grouped(total)} ${noun}`
						: ui`${grouped(shown)} of ${grouped(total)} ${noun}`,
				tone: 'quiet',
			},
		];
	}

	const cap = caps[id];
	const bound = cap !== undefined && total >= cap ? ` (limit ${grouped(cap)})` : '';
	return [
		{
			text: clean(
				shown === total
					? `${grouped(total)}${bound}`
					: `${grouped(shown)} of ${grouped(total)}${bound}`,
			),
			tone: 'quiet',
		},
	];
}

function followOf(list: AnyList): Line {
	const {isFollowing, window} = list.get();
	if (isFollowing) {
		return [{text: own('following'), tone: 'quiet'}];
	}

	const newer = window.newer > 0 ? ` · ${grouped(window.newer)} newer` : '';
	return [{text: clean(`paused${newer}, f to follow`), tone: 'warn'}];
}

const logLevels = ['error', 'warn', 'info', 'debug'] as const;

function extraOf(shell: Shell, {id}: Pane): readonly Line[] {
	if (id === 'tools') {
		const facts = serversSummary(shell.feed.get().state.servers);
		return facts === '' ? [] : [[{text: facts, tone: 'quiet'}]];
	}

	if (id === 'approvals') {
		return approvalFacts(shell);
	}

	if (id !== 'logs') {
		return [];
	}

	const {levels, isWrapped} = shell.view.get().logs;
	const shown = logLevels.filter(level => levels.has(level));
	return [
		[
			{
				text: clean(`${shown.join(' ') || 'no level'}${isWrapped ? ' · wrapped' : ''}`),
				tone: 'quiet',
			},
		],
	];
}
