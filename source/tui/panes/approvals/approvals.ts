import {createMemory} from '../../../core/derive.ts';
import {approvalVocabulary} from '../../../core/filter/approval-vocabulary.ts';
import {limits} from '../../../core/state.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {entryList} from '../../entries/entry-list.ts';
import type {DetailSource} from '../../lines/detail.ts';
import type {Line} from '../../lines/line.ts';
import {countPart, grouped, searchedPart} from '../../lines/title-parts.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import type {Pane} from '../pane.ts';
import {approvalCommands, waitingNow} from './approval-commands.ts';
import {entryDetail} from './approval-detail.ts';

function createEntryDetail({list, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const entries = list(entryList);
	return {
		lines(width) {
			const entry = entries.selected();
			const {state, now} = feed.get();
			const second = entry?.kind === 'waiting' ? Math.floor(now / 1000) : 0;
			return remember([entry, second, width], () =>
				entry ? entryDetail(entry, {state, now}, width) : [],
			);
		},
	};
}

function factsPart({feed}: Shell): Line {
	const {approvals, approvalRules, settledApprovals} = feed.get().state;
	// As many as the state holds: there may be older ones.
	const isCut = settledApprovals.length >= limits.settledApprovals;
	const decided = safe`${grouped(settledApprovals.length)}${literal(isCut ? '+' : '')}`;
	return [
		{
			text: safe`${approvals.length} waiting · ${approvalRules.length} ${approvalRules.length === 1 ? literal('rule') : literal('rules')} · ${decided} decided`,
			tone: approvals.length > 0 ? 'warn' : 'quiet',
		},
	];
}

/** What waits for a person, the rules that stand for one, and what was decided. */
export const approvalsPane: Pane = {
	id: 'approvals',
	title: literal('Approvals'),
	short: literal('Appr'),
	manual: 'approvals',
	count: ({approvals}) => approvals.length,
	empty: () => [
		'Nothing waits for approval, and nothing did.',
		'Calls that need a person wait here, and deny themselves when nobody answers.',
	],
	isWide: false,
	sections: [
		{
			id: 'approvals',
			title: literal('Approvals'),
			commands: approvalCommands,
			listing: {
				list: entryList,
				vocabulary: approvalVocabulary,
				isLive: false,
				detail: createEntryDetail,
				hasCursor: false,
			},
		},
	],
	summary: shell => [
		countPart(shell.list(entryList)),
		searchedPart(shell.list(entryList)),
		factsPart(shell),
	],
	waiting: waitingNow,
};
