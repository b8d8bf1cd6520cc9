import type {Approval, ApprovalRule} from '../../../core/approval.ts';
import type {ApprovalEntry} from '../../../core/filter/approval-vocabulary.ts';
import {askerWords} from '../../../core/origin.ts';
import {quotedName} from '../../../core/quoted-name.ts';
import {cell, type Safe} from '../../../core/untrusted.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime, dayTime, duration, isSameDay} from '../../../terminal/text/time.ts';
import {
	askedFor,
	serverCell,
	hashText,
	outcomeWords,
	reachText,
	ruleArguments,
} from '../../approvals/approval-text.ts';
import {clean, line, type Line} from '../../lines/line.ts';

export type ApprovalColumns = {
	readonly server: number;
	readonly tool: number;
	readonly rest: number;
};

const cells = {signs: 3, id: 6, state: 13, time: 8} as const;
const blanks = 5;

/** How `width` cells are shared. */
export function approvalColumns(width: number): ApprovalColumns {
	const rest = Math.max(24, width - cells.signs - cells.id - cells.state - cells.time - blanks);
	const server = Math.min(20, Math.floor(rest * 0.3));
	const tool = Math.min(28, Math.floor(rest * 0.36));
	return {server, tool, rest: rest - server - tool};
}

/** The names of the columns. */
export const approvalHeader = ({server, tool, rest}: ApprovalColumns): Safe =>
	safe`   ${fit(literal('#'), cells.id)} ${fit(literal('state'), cells.state)} ${fit(literal('time'), cells.time)} ${fit(literal('server'), server)} ${fit(literal('tool'), tool)} ${fit(literal('for'), rest)}`;

const headings: Readonly<Record<ApprovalEntry['kind'], Line>> = {
	waiting: line(literal('  ── waiting ──'), 'title'),
	rule: line(literal('  ── rules ──'), 'title'),
	settled: line(literal('  ── history ──'), 'title'),
};

/** The heading of the section that a row begins. */
export const entryHeading = (
	entry: ApprovalEntry,
	above: ApprovalEntry | undefined,
): Line | undefined => (entry.kind === above?.kind ? undefined : headings[entry.kind]);

/** One request, or one rule, as one row. */
export function entryRow(
	entry: ApprovalEntry,
	{columns, now}: {readonly columns: ApprovalColumns; readonly now: number},
	isSelected: boolean,
): Line {
	return entry.kind === 'rule'
		? ruleRow(entry.rule, columns, isSelected)
		: requestRow(entry.approval, {columns, now}, isSelected);
}

function requestRow(
	approval: Approval,
	{columns, now}: {readonly columns: ApprovalColumns; readonly now: number},
	isSelected: boolean,
): Line {
	const {id, decision} = approval;
	const word = decision
		? outcomeWords[decision.outcome]
		: ({text: safe`! ${duration(approval.deadline - now)} left`, tone: 'warn'} as const);
	const at = decision?.at ?? approval.requestedAt;
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: decision ? literal('  ') : literal('! '), tone: 'warn'},
		{text: safe`${fit(clean(String(id)), cells.id)} `, tone: isSelected ? 'selected' : 'plain'},
		{text: safe`${fit(word.text, cells.state)} `, tone: word.tone},
		{
			text: safe`${fit(isSameDay(at, now) ? clockTime(at) : clean(dayTime(at).slice(0, 6)), cells.time)} ${fit(serverCell(approval.kind === 'tool' ? approval.tool.server : approval.server), columns.server)} ${fit(askedFor(approval), columns.tool)} `,
			tone: isSelected ? 'selected' : 'plain',
		},
		{text: fit(originText(approval), columns.rest), tone: 'quiet'},
	];
}

/** `run #184 gh-review`, then what it was called with. */
function originText(approval: Approval): Safe {
	const {run, route, job} = approval;
	const by = run === undefined ? literal('a person') : safe`run #${run}`;
	const words = askerWords(approval);
	const via = words === '' ? literal('') : safe` ${clean(words)}`;
	// An event that fires a job.
	const of = job && route !== undefined ? safe`${via} job ${clean(job.name)}` : via;
	const args =
		approval.kind === 'tool' && approval.args !== null
			? safe`  ${cell(JSON.stringify(approval.args), 200).text}`
			: literal('');
	return safe`${by}${of}${args}`;
}

const ruleRow = (rule: ApprovalRule, columns: ApprovalColumns, isSelected: boolean): Line => [
	{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
	{text: literal('  ')},
	{
		text: safe`${fit(safe`r${rule.id}`, cells.id)} ${fit(rule.problem === undefined ? literal('allows') : literal('! asks'), cells.state)} ${fit(safe`${rule.uses} ${rule.uses === 1 ? literal('use') : literal('uses')}`, cells.time)} ${fit(serverCell(rule.server), columns.server)} ${fit(clean(quotedName(rule.tool || (rule.file?.name ?? ''))), columns.tool)} `,
		tone: isSelected ? 'selected' : 'plain',
	},
	{
		text: fit(
			rule.owner
				? safe`${clean(rule.owner.kind)} ${clean(quotedName(rule.owner.name))} · ${ruleArguments(rule)} · ${reachText(rule)}`
				: safe`${reachText(rule)} · ${ruleArguments(rule)} · ${hashText(rule.definition)}`,
			columns.rest,
		),
		tone: 'quiet',
	},
];
