import type {Approval} from '../../../core/approval.ts';
import type {ApprovalEntry} from '../../../core/filter/approval-vocabulary.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToDelivery, goToRun} from '../../acts/go-to.ts';
import {change} from '../../acts/navigate.ts';
import {reviewOne} from '../../acts/review.ts';
import {ruleText} from '../../approvals/approval-text.ts';
import {pagedText} from '../../approvals/paged-text.ts';
import {entryList} from '../../entries/entry-list.ts';
import {clean, wrapText} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';

const selected = (shell: Shell): ApprovalEntry | undefined => shell.list(entryList).selected();

const requestOf = (entry: ApprovalEntry | undefined): Approval | undefined =>
	entry && entry.kind !== 'rule' ? entry.approval : undefined;

/** The request that waits and is selected. */
export const waitingNow = (shell: Shell): Approval | undefined => {
	const entry = selected(shell);
	return entry?.kind === 'waiting' ? entry.approval : undefined;
};

const why =
	(reasonFor: (entry: ApprovalEntry) => Safe | undefined) =>
	(shell: Shell): Safe | undefined => {
		const entry = selected(shell);
		return entry ? reasonFor(entry) : literal('Nothing is selected');
	};

function askToRevoke(shell: Shell): void {
	const entry = selected(shell);
	if (entry?.kind !== 'rule') {
		return;
	}

	const {rule} = entry;
	change(shell, {
		overlay: {
			kind: 'confirm',
			title: safe`Revoke rule r${rule.id}`,
			lines: [ruleText(rule), literal('Calls that it covered ask again.')].flatMap(text =>
				wrapText(text, shell.view.get().size.columns - 4),
			),
			act: literal('revoke'),
			run() {
				shell.attempt(async () => {
					const done = await shell.port.revokeApprovalRule(rule.id);
					shell.toast(
						done ? safe`Rule r${rule.id} is revoked` : safe`Rule r${rule.id} was gone already`,
						done ? 'good' : 'warn',
					);
				});
			},
		},
	});
}

const copied = (entry: ApprovalEntry): string => {
	if (entry.kind === 'rule') {
		return ruleText(entry.rule);
	}

	const {approval} = entry;
	return approval.kind === 'tool' ? JSON.stringify(approval.args, undefined, 2) : approval.message;
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
	{
		id: 'approvals.revoke',
		changes: true,
		keys: ['x'],
		label: literal('revoke the rule (asks)'),
		why: why(entry =>
			entry.kind !== 'rule'
				? literal('Only a rule can be revoked; ! answers what waits')
				: entry.rule.file && safe`It stands in ${clean(entry.rule.file.place)}: remove it there`,
		),
		run: askToRevoke,
	},
	{
		id: 'approvals.run',
		keys: ['o'],
		label: literal('its run'),
		why: why(entry =>
			requestOf(entry)?.run === undefined ? literal('No run asked for it') : undefined,
		),
		run(shell) {
			const {run} = requestOf(selected(shell)) ?? {};
			if (run !== undefined) {
				goToRun(shell, run);
			}
		},
	},
	{
		id: 'approvals.delivery',
		keys: ['b'],
		label: literal('its delivery'),
		quiet: true,
		why: why(entry =>
			requestOf(entry)?.delivery === undefined ? literal('No delivery led to it') : undefined,
		),
		run(shell) {
			const {delivery} = requestOf(selected(shell)) ?? {};
			if (delivery !== undefined) {
				goToDelivery(shell, delivery);
			}
		},
	},
	{
		id: 'approvals.copy',
		keys: ['y'],
		label: literal('copy'),
		why: why(() => undefined),
		run(shell) {
			const entry = selected(shell);
			if (entry) {
				shell.attempt(async () =>
					copyText(
						shell,
						copied(entry),
						entry.kind === 'rule'
							? literal('rule')
							: clean(entry.approval.kind === 'tool' ? 'arguments' : 'message'),
					),
				);
			}
		},
	},
	{
		id: 'approvals.pager',
		keys: ['e'],
		label: literal('all of it in $PAGER'),
		quiet: true,
		why: why(entry => (entry.kind === 'rule' ? literal('A rule is shown whole here') : undefined)),
		run(shell) {
			const approval = requestOf(selected(shell));
			if (approval) {
				shell.attempt(async () => shell.desktop.page(pagedText(approval)));
			}
		},
	},
];
