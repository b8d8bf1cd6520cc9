import type {Approval, ApprovalRule} from '../../../core/approval.ts';
import type {GatewayState} from '../../../core/state.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {own, ui} from '../../../terminal/text/safe.ts';
import {
	deadlineText,
	outcomeSentences,
	outcomeWords,
	ruleText,
} from '../../approvals/approval-text.ts';
import {argumentRows} from '../../approvals/argument-rows.ts';
import {callLines, formHead} from '../../approvals/sheet-lines.ts';
import {valueText} from '../../forms/form-lines.ts';
import {newForm} from '../../forms/form.ts';
import {blankLine, clean, line, wrapText, type Line} from '../line.ts';
import {fullTime} from '../time.ts';
import type {ApprovalEntry} from './approval-entry.ts';

const factCells = 13;

const factRows = (name: Safe, value: Safe, width: number): readonly Line[] =>
	wrapText(value, width - factCells - 2).map((row, index): Line => [
		{text: ui`  ${fit(index === 0 ? name : own(''), factCells)}`, tone: 'quiet'},
		{text: row},
	]);

/** One request with its arguments and what became of it, or one rule, as rows of `width` cells. */
export const entryDetail = (
	entry: ApprovalEntry,
	sources: {readonly state: GatewayState; readonly now: number},
	width: number,
): readonly Line[] =>
	entry.kind === 'rule'
		? ruleDetail(entry.rule, width)
		: requestDetail(entry.approval, sources, width);

function requestDetail(
	approval: Approval,
	{state, now}: {readonly state: GatewayState; readonly now: number},
	width: number,
): readonly Line[] {
	return [
		...decisionRows(approval, now, width),
		blankLine,
		...(approval.kind === 'tool'
			? callLines(approval, {
					state,
					args: argumentRows(approval.args, {last: approval.lastArgs, width}),
					width,
				})
			: formRows(approval, {state, width})),
	];
}

function formRows(
	approval: Extract<Approval, {kind: 'form'}>,
	{state, width}: {readonly state: GatewayState; readonly width: number},
): readonly Line[] {
	const form = newForm(approval.fields);
	return [
		...formHead(approval, {state, width}),
		...wrapText(approval.message, width - 4).map(row => line(ui`    ${row}`, 'quiet')),
		...approval.fields.flatMap(field =>
			factRows(clean(field.title), valueText(field, form), width),
		),
	];
}

function decisionRows(approval: Approval, now: number, width: number): readonly Line[] {
	const {decision} = approval;
	if (!decision) {
		return [
			line(ui`! waits, ${deadlineText(approval, now)} · enter opens it`, 'warn'),
			line(ui`  asked ${fullTime(approval.requestedAt)}`, 'quiet'),
		];
	}

	const {outcome, at, by, scope, rule, reason} = decision;
	const reach = scope === undefined ? own('') : ui` (${clean(scope)})`;
	return [
		line(ui`${outcomeWords[outcome].text}${reach}  ${fullTime(at)}`, outcomeWords[outcome].tone),
		...factRows(own('by'), clean(by), width),
		...(outcome === 'allowed' || outcome === 'denied'
			? []
			: factRows(own('why'), outcomeSentences[outcome], width)),
		...(rule === undefined ? [] : factRows(own('rule'), ui`r${rule}`, width)),
		...(reason === undefined ? [] : factRows(own('agent told'), clean(reason), width)),
	];
}

function ruleDetail(rule: ApprovalRule, width: number): readonly Line[] {
	return [
		line(ui`rule r${rule.id}`, 'strong'),
		...wrapText(ruleText(rule), width - 2).map(row => line(ui`  ${row}`)),
		blankLine,
		...factRows(own('profile'), clean(rule.profile), width),
		...factRows(own('definition'), clean(`sha256:${rule.definition}`), width),
		...factRows(own('made'), ui`${fullTime(rule.createdAt)} by ${clean(rule.createdBy)}`, width),
		...factRows(
			own('used'),
			ui`${rule.uses} ${rule.uses === 1 ? own('time') : own('times')}`,
			width,
		),
		blankLine,
		...wrapText(
			'It holds for this definition of this tool alone: a tool that changes asks again. x revokes it.',
			width - 2,
		).map(row => line(ui`  ${row}`, 'quiet')),
	];
}
