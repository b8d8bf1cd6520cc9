import type {Approval, ApprovalRule} from '../../../core/approval.ts';
import {keysText} from '../../../core/approvals/rule-keys.ts';
import type {ApprovalEntry} from '../../../core/filter/approval-vocabulary.ts';
import {quotedName} from '../../../core/quoted-name.ts';
import type {GatewayState} from '../../../core/state.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {fullTime} from '../../../terminal/text/time.ts';
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
import {blankLine, clean, line, wrapText, type Line} from '../../lines/line.ts';

const factCells = 13;

const factRows = (name: Safe, value: Safe, width: number): readonly Line[] =>
	wrapText(value, width - factCells - 2).map((row, index): Line => [
		{text: safe`  ${fit(index === 0 ? name : literal(''), factCells)}`, tone: 'quiet'},
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
		...wrapText(approval.message, width - 4).map(row => line(safe`    ${row}`, 'quiet')),
		...approval.fields.flatMap(field =>
			factRows(clean(field.title), valueText(field, form), width),
		),
	];
}

function decisionRows(approval: Approval, now: number, width: number): readonly Line[] {
	const {decision} = approval;
	if (!decision) {
		return [
			line(safe`! waits, ${deadlineText(approval, now)} · enter opens it`, 'warn'),
			line(safe`  asked ${fullTime(approval.requestedAt)}`, 'quiet'),
		];
	}

	const {outcome, at, by, scope, rule, reason} = decision;
	const reach = scope === undefined ? literal('') : safe` (${clean(scope)})`;
	return [
		line(safe`${outcomeWords[outcome].text}${reach}  ${fullTime(at)}`, outcomeWords[outcome].tone),
		...factRows(literal('by'), clean(by), width),
		...(outcome === 'allowed' || outcome === 'denied'
			? []
			: factRows(literal('why'), outcomeSentences[outcome], width)),
		...(rule === undefined ? [] : factRows(literal('rule'), safe`r${rule}`, width)),
		...(reason === undefined ? [] : factRows(literal('agent told'), clean(reason), width)),
	];
}

function ruleDetail(rule: ApprovalRule, width: number): readonly Line[] {
	return [
		line(safe`rule r${rule.id}`, 'strong'),
		...wrapText(ruleText(rule), width - 2).map(row => line(safe`  ${row}`)),
		...(rule.problem === undefined
			? []
			: wrapText(safe`allows nothing: ${clean(rule.problem)}`, width - 2).map((row, index) =>
					line(safe`${index === 0 ? literal('!') : literal(' ')} ${row}`, 'warn'),
				)),
		blankLine,
		...(rule.owner
			? factRows(
					literal('runs of'),
					safe`${clean(rule.owner.kind)} ${clean(quotedName(rule.owner.name))}`,
					width,
				)
			: []),
		...(rule.when
			? factRows(
					literal('arguments'),
					safe`${clean(keysText(rule.when))}; all others may be anything`,
					width,
				)
			: []),
		...(rule.args?.shown === undefined
			? []
			: factRows(literal('arguments'), clean(JSON.stringify(rule.args.shown)), width)),
		...factRows(literal('profile'), clean(rule.profile), width),
		...factRows(
			literal('definition'),
			clean(rule.definition === '' ? 'none yet' : `sha256:${rule.definition}`),
			width,
		),
		...factRows(
			literal('made'),
			safe`${fullTime(rule.createdAt)} by ${clean(rule.createdBy)}`,
			width,
		),
		...factRows(
			literal('used'),
			safe`${rule.uses} ${rule.uses === 1 ? literal('time') : literal('times')}${rule.usedAt === undefined ? literal('') : safe`, last ${fullTime(rule.usedAt)}`}`,
			width,
		),
		blankLine,
		...wrapText(
			rule.file
				? safe`It holds for this definition of this tool alone: a tool that changes asks again, until svc approvals accept ${rule.id}. It ends when its lines go.`
				: literal(
						'It holds for this definition of this tool alone: a tool that changes asks again. x revokes it.',
					),
			width - 2,
		).map(row => line(safe`  ${row}`, 'quiet')),
	];
}
