import type {Approval} from '../../../core/approval.ts';
import {ruleText} from '../../../nouns/approval/approval-words.ts';
import {approvalNoun, requestOf} from '../../../nouns/approval/approval.ts';
import {ruleActs} from '../../../nouns/approval/rule.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToDelivery, goToRun} from '../../acts/go-to.ts';
import {reviewOne} from '../../acts/review.ts';
import {pagedText} from '../../approvals/paged-text.ts';
import {entryList} from '../../entries/entry-list.ts';
import {nounCommands, selectedCommand} from '../../nouns/acts.ts';
import type {Shell} from '../../shell/shell.ts';

/** The request that waits and is selected. */
export const waitingNow = (shell: Shell): Approval | undefined => {
	const entry = shell.list(entryList).selected();
	return entry?.kind === 'waiting' ? entry.approval : undefined;
};

/** Commands of pane 6. */
export const approvalCommands: readonly PaneCommand[] = [
	{
		id: 'approvals.open',
		keys: ['enter'],
		label: literal('review'),
		when: shell => shell.view.get().region === 'list' && waitingNow(shell) !== undefined,
		run: reviewOne,
	},
	...nounCommands({noun: approvalNoun, acts: ruleActs, list: entryList}),
	selectedCommand(entryList, {
		id: 'approvals.run',
		keys: ['o'],
		label: literal('its run'),
		of: entry => requestOf(entry)?.run,
		none: literal('No run asked for it'),
		run: goToRun,
	}),
	selectedCommand(entryList, {
		id: 'approvals.delivery',
		keys: ['b'],
		label: literal('its delivery'),
		quiet: true,
		of: entry => requestOf(entry)?.delivery,
		none: literal('No delivery led to it'),
		run: goToDelivery,
	}),
	selectedCommand(entryList, {
		id: 'approvals.copy',
		keys: ['y'],
		label: literal('copy'),
		of: entry => entry,
		none: literal(''),
		run(shell, entry) {
			shell.attempt(async () => {
				if (entry.kind === 'rule') {
					await copyText(shell, ruleText(entry.rule), literal('rule'));
				} else if (entry.approval.kind === 'tool') {
					const text = JSON.stringify(entry.approval.args, undefined, 2);
					await copyText(shell, text, literal('arguments'));
				} else {
					await copyText(shell, entry.approval.message, literal('message'));
				}
			});
		},
	}),
	selectedCommand(entryList, {
		id: 'approvals.pager',
		keys: ['e'],
		label: literal('all of it in $PAGER'),
		quiet: true,
		of: requestOf,
		none: literal('A rule is shown whole here'),
		run(shell, approval) {
			shell.attempt(async () => shell.desktop.page(pagedText(approval)));
		},
	}),
];
