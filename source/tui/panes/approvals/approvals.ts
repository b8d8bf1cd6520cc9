import type {Approval} from '../../../core/approval.ts';
import {createMemory} from '../../../core/derive.ts';
import {limits, type GatewayState} from '../../../core/state.ts';
import {approvalNoun, requestOf} from '../../../nouns/approval/approval.ts';
import {ruleActs} from '../../../nouns/approval/rule.ts';
import {fact} from '../../../nouns/noun.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys} from '../../acts/command.ts';
import {goToDelivery, goToRun} from '../../acts/go-to.ts';
import {reviewOne} from '../../acts/settle.ts';
import {argumentRows} from '../../approvals/argument-rows.ts';
import {pagedText} from '../../approvals/paged-text.ts';
import {callLines, formHead} from '../../approvals/sheet-lines.ts';
import {entryList} from '../../entries/lists.ts';
import {valueText} from '../../forms/form-lines.ts';
import {newForm} from '../../forms/form.ts';
import type {DetailSource} from '../../lines/detail.ts';
import {blankLine, line, wrapText, type Line} from '../../lines/line.ts';
import {countPart, groupedCell, searchedPart} from '../../lines/title-parts.ts';
import {nounCommands, onSelected} from '../../nouns/acts.ts';
import {factRows, nounDetail} from '../../nouns/facts.ts';
import {listingOf, onePane} from '../../nouns/listing.ts';
import type {Host, Shell} from '../../shell/shell.ts';

function createEntryDetail({list, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const entries = list(entryList);
	return {
		lines(width) {
			const entry = entries.selected();
			const {state, now} = feed.get();
			const second = entry?.kind === 'waiting' ? Math.floor(now / 1000) : 0;
			return remember([entry, second, width], () =>
				entry
					? [
							...nounDetail(approvalNoun, entry, {known: {now}, width}),
							...(entry.kind === 'rule'
								? []
								: [blankLine, ...requestRows(entry.approval, {state, width})]),
						]
					: [],
			);
		},
	};
}

/** The request as it was asked. */
function requestRows(
	approval: Approval,
	{state, width}: {readonly state: GatewayState; readonly width: number},
): readonly Line[] {
	if (approval.kind === 'tool') {
		const args = argumentRows(approval.args, {last: approval.lastArgs, width});
		return callLines(approval, {state, args, width});
	}

	const form = newForm(approval.fields);
	const fields = approval.fields.flatMap(field => fact(field.title, valueText(field, form)));
	return [
		...formHead(approval, {state, width}),
		...wrapText(approval.message, width - 4).map(row => line(safe`    ${row}`, 'quiet')),
		...factRows(fields, {factCells: approvalNoun.factCells, width}),
	];
}

function factsPart({feed}: Shell): Line {
	const {approvals, approvalRules, settledApprovals} = feed.get().state;
	// The state is full, so there may be older ones.
	const isCut = settledApprovals.length >= limits.settledApprovals;
	const decided = safe`${groupedCell(settledApprovals.length)}${literal(isCut ? '+' : '')}`;
	return line(
		safe`${approvals.length} waiting · ${approvalRules.length} ${approvalRules.length === 1 ? literal('rule') : literal('rules')} · ${decided} decided`,
		approvals.length > 0 ? 'warn' : 'quiet',
	);
}

/** The selected request, if it waits. */
const waitingNow = (shell: Shell): Approval | undefined => {
	const entry = shell.list(entryList).selected();
	return entry?.kind === 'waiting' ? entry.approval : undefined;
};

/** Commands of pane 6. */
const approvalCommands: readonly PaneCommand[] = [
	onKeys(['approvals.open', 'enter'], literal('review'), {
		when: shell => shell.view.get().region === 'list' && waitingNow(shell) !== undefined,
		run: reviewOne,
	}),
	...nounCommands({
		noun: approvalNoun,
		acts: ruleActs,
		list: entryList,
		others: [
			onSelected(entryList)(['approvals.run', 'o'], literal('its run'), {
				of: entry => requestOf(entry)?.run,
				none: literal('No run asked for it'),
				run: goToRun,
			}),
			onSelected(entryList)(['approvals.delivery', 'b'], literal('its delivery'), {
				quiet: true,
				of: entry => requestOf(entry)?.delivery,
				none: literal('No delivery led to it'),
				run: goToDelivery,
			}),
		],
	}),
	onSelected(entryList)(['approvals.pager', 'e'], literal('all of it in $PAGER'), {
		quiet: true,
		of: requestOf,
		none: literal('A rule is shown whole here'),
		run: (shell, approval) => shell.attempt(async () => shell.desktop.page(pagedText(approval))),
	}),
];

/** Waiting requests, the rules that answer in a person's place, and decisions. */
export const approvalsPane = onePane({
	id: 'approvals',
	title: literal('Approvals'),
	short: literal('Appr'),
	manual: 'approvals',
	empty: () => [
		'Nothing waits for approval, and nothing did.',
		'Calls that need a person wait here, and deny themselves when nobody answers.',
	],
	commands: approvalCommands,
	listing: listingOf({noun: approvalNoun, list: entryList, detail: createEntryDetail}),
	summary: shell => [
		countPart(shell.list(entryList)),
		searchedPart(shell.list(entryList)),
		factsPart(shell),
	],
	waiting: waitingNow,
});
