import type {Approval, ApprovalDecision} from '../../core/approval.ts';
import {approvalVocabulary, type ApprovalEntry} from '../../core/filter/vocabularies.ts';
import {compact, quotedName} from '../../core/names.ts';
import {askerWords} from '../../core/origin.ts';
import {
	clockTime,
	dayTime,
	duration,
	fullTime,
	isSameDay,
	printableTime,
} from '../../terminal/text/time.ts';
import type {Act} from '../act.ts';
import {
	column,
	mainColumn,
	fact,
	type AsOf,
	type Column,
	type Copied,
	type Fact,
	type Noun,
	type Word,
} from '../noun.ts';
import {
	askedFor,
	deadlineText,
	outcomeSentences,
	outcomeWords,
	ruleText,
	serverNameOf,
} from './approval-words.ts';
import {coveredText, ruleColumns, ruleFacts, ruleForText, ruleTool} from './rule.ts';

/** The request of a row; `undefined` for a rule. */
export const requestOf = (entry: ApprovalEntry | undefined): Approval | undefined =>
	entry && entry.kind !== 'rule' ? entry.approval : undefined;

/** A column that is empty for rules. */
const ofRequest = (
	key: string,
	value: (approval: Approval, known: AsOf) => string,
): Column<ApprovalEntry> =>
	column(key, 0, (entry, known) => (entry.kind === 'rule' ? '' : value(entry.approval, known)));

function stateWord(entry: ApprovalEntry, {now}: AsOf): Word {
	if (entry.kind === 'rule') {
		return {text: entry.rule.problem === undefined ? 'allows' : '! asks', tone: 'plain'};
	}

	const {decision, deadline} = entry.approval;
	return decision
		? outcomeWords[decision.outcome]
		: {text: `! ${duration(deadline - now)} left`, tone: 'warn'};
}

function timeText(entry: ApprovalEntry, {now}: AsOf): string {
	if (entry.kind === 'rule') {
		const {uses} = entry.rule;
		return `${uses} ${uses === 1 ? 'use' : 'uses'}`;
	}

	const at = entry.approval.decision?.at ?? entry.approval.requestedAt;
	return isSameDay(at, now) ? clockTime(at) : dayTime(at).slice(0, 6);
}

const argumentsText = (approval: Approval): string =>
	approval.kind === 'tool' ? JSON.stringify(approval.args) : approval.message;

/** `run #184 gh-review`, with the gateway if it is another one, then the call's arguments. */
function forText(approval: Approval): string {
	const {kind, run, route, job, node} = approval;
	const words = askerWords(approval);
	return compact([
		run === undefined ? 'a person' : `run #${run}`,
		words !== '' && ` ${words}`,
		// The run was started by an event that fired a job.
		job && route !== undefined && ` job ${job.name}`,
		node !== undefined && ` at ${node}`,
		kind === 'tool' && approval.args !== null && `  ${argumentsText(approval).slice(0, 200)}`,
	]).join('');
}

/** `allowed (run) rule 4`. */
export const outcomeText = ({outcome, scope, rule}: ApprovalDecision): string =>
	`${outcome}${scope === undefined || scope === 'once' ? '' : ` (${scope})`}${rule === undefined ? '' : ` rule ${rule}`}`;

/** A waiting or settled request, or a standing rule. @see manual/approvals.md */
export const approvalNoun: Omit<Noun<ApprovalEntry>, 'printed'> = {
	one: 'approval',
	many: 'approvals',
	argument: 'id',
	missing: 'approval_not_found',
	isNumbered: true,
	id: entry => (entry.kind === 'rule' ? `r${entry.rule.id}` : `${entry.kind} ${entry.approval.id}`),
	name: entry =>
		entry.kind === 'rule' ? `rule r${entry.rule.id}` : `approval ${entry.approval.id}`,
	sign: ({kind}) => (kind === 'waiting' ? '!' : ' '),
	heading: ({kind}) => (kind === 'settled' ? 'history' : kind === 'rule' ? 'rules' : kind),
	columns: [
		mainColumn('id', 6, {
			label: '#',
			value: entry => (entry.kind === 'rule' ? `r${entry.rule.id}` : String(entry.approval.id)),
		}),
		column('state', 13, {
			value: (entry, known) => stateWord(entry, known).text,
			tone: (entry, known) => stateWord(entry, known).tone ?? 'plain',
		}),
		mainColumn('time', 8, timeText),
		mainColumn(
			'server',
			{share: 0.3, least: 7, most: 20},
			{
				value: entry =>
					(entry.kind === 'rule' ? entry.rule.server : serverNameOf(entry.approval)) ?? 'built in',
				printed: entry =>
					(entry.kind === 'rule' ? entry.rule.server : serverNameOf(entry.approval)) ??
					'(built in)',
			},
		),
		mainColumn('tool', {share: 0.36, least: 8, most: 28}, entry =>
			entry.kind === 'rule' ? ruleTool(entry.rule) : askedFor(entry.approval),
		),
		column('for', {least: 6}, entry =>
			entry.kind === 'rule' ? ruleForText(entry.rule) : forText(entry.approval),
		),
		ofRequest('run', ({run}) => (run === undefined ? '' : `#${run}`)),
		ofRequest('node', ({node = ''}) => node),
		ofRequest('route', approval => askerWords(approval, quotedName)),
		ofRequest('denies in', (approval, {now}) => timeLeft(approval, now)),
		column('arguments', 0, entry =>
			entry.kind === 'rule'
				? coveredText(entry.rule)
				: argumentsText(entry.approval).slice(0, 1000),
		),
		ofRequest('outcome', ({decision}) => (decision ? outcomeText(decision) : '')),
		column('by', 0, entry =>
			entry.kind === 'rule' ? entry.rule.createdBy : (entry.approval.decision?.by ?? ''),
		),
		ofRequest('at', ({decision}) => (decision ? printableTime(decision.at) : '')),
		...ruleColumns,
	],
	factCells: 13,
	head(entry, {now}) {
		if (entry.kind === 'rule') {
			return [{text: `rule r${entry.rule.id}`, tone: 'strong'}];
		}

		const {decision} = entry.approval;
		if (!decision) {
			return [
				{text: `! waits, ${deadlineText(entry.approval, now)} · enter opens it`, tone: 'warn'},
			];
		}

		const {outcome, at, scope} = decision;
		const {text, tone} = outcomeWords[outcome];
		const reach = scope === undefined ? '' : ` (${scope})`;
		return [
			{text: `${text}${reach}`, tone},
			{text: fullTime(at), tone},
		];
	},
	facts: entry => (entry.kind === 'rule' ? ruleFacts(entry.rule) : requestFacts(entry.approval)),
	copies: {of: copied},
	vocabulary: approvalVocabulary,
};

/** The text to copy: a rule as written, a call's arguments, or a form's message. */
function copied(entry: ApprovalEntry): Copied {
	if (entry.kind === 'rule') {
		return {label: 'rule', text: ruleText(entry.rule)};
	}

	const {approval} = entry;
	return approval.kind === 'tool'
		? {label: 'arguments', text: JSON.stringify(approval.args, undefined, 2)}
		: {label: 'message', text: approval.message};
}

function requestFacts({decision, requestedAt}: Approval): readonly Fact[] {
	if (!decision) {
		return [{text: `asked ${fullTime(requestedAt)}`, tone: 'quiet'}];
	}

	const {outcome, by, rule, reason} = decision;
	return [
		...fact('by', by),
		...fact(
			'why',
			outcome === 'allowed' || outcome === 'denied' ? undefined : outcomeSentences[outcome],
		),
		...fact('rule', rule === undefined ? undefined : `r${rule}`),
		...fact('agent told', reason),
	];
}

/** `4:31`, also beyond an hour; rounded up. */
export const timeLeft = ({deadline}: Approval, now: number): string =>
	duration(Math.ceil((deadline - now) / 1000) * 1000);

/** The command line's columns for each kind of row. */
export const printedApprovals: Readonly<
	Record<'settled' | 'waiting', Noun<ApprovalEntry>['printed']>
> = {
	waiting: {
		columns: ['id', 'server', 'tool', 'run', 'node', 'route', 'denies in', 'arguments'],
		whole: ['id', 'tool', 'denies in'],
		optional: ['node', 'route', 'run'],
		empty: 'Nothing waits for a person',
	},
	settled: {
		columns: ['id', 'server', 'tool', 'run', 'route', 'outcome', 'by', 'at'],
		whole: ['id', 'tool', 'outcome'],
		optional: ['at', 'route', 'run'],
		empty: 'Nothing was settled yet',
	},
};

type Slices = {
	readonly approvals: readonly Approval[];
	readonly settledApprovals: readonly Approval[];
	readonly approvalRules: ReadonlyArray<Extract<ApprovalEntry, {kind: 'rule'}>['rule']>;
};

/** Waiting requests by deadline, then rules, newest first, then settled requests, newest first. */
export const approvalEntries = ({
	approvals,
	settledApprovals,
	approvalRules,
}: Slices): readonly ApprovalEntry[] => [
	...approvals
		.toSorted((one, other) => one.deadline - other.deadline || one.id - other.id)
		.map((approval): ApprovalEntry => ({kind: 'waiting', approval})),
	...approvalRules.toReversed().map((rule): ApprovalEntry => ({kind: 'rule', rule})),
	...newestFirst(settledApprovals.map(settledEntry)),
];

type Settled = Extract<ApprovalEntry, {readonly approval: Approval}>;

export const settledEntry = (approval: Approval): Settled => ({kind: 'settled', approval});

const decidedAt = ({decision, requestedAt}: Approval): number => decision?.at ?? requestedAt;

const newestFirst = (entries: readonly Settled[]): readonly Settled[] =>
	entries.toSorted(
		({approval: one}, {approval: other}) => decidedAt(other) - decidedAt(one) || other.id - one.id,
	);

const isSettled = (entry: ApprovalEntry): entry is Settled => entry.kind === 'settled';

/** The rows with older settled requests added. */
export const withOlder = (
	live: readonly ApprovalEntry[],
	older: readonly ApprovalEntry[],
): readonly ApprovalEntry[] => [
	...live.filter(entry => !isSettled(entry)),
	...newestFirst([...live, ...older].filter(isSettled)),
];

type WaitPort = {extendApproval(id: number): Promise<Approval | undefined>};

/** Extends a request's deadline. Its key belongs to the sheet. */
export const waitAct: Act<Approval, WaitPort> = {
	verb: 'wait',
	key: 'w',
	says: 'extend the deadline of a request by five minutes, as far as its run allows',
	async effect(port, id) {
		const later = await port.extendApproval(Number(id));
		return (
			later && {
				said:
					later.deadline >= later.latestDeadline
						? 'It waits as long as it can'
						: 'It waits 5 minutes longer',
				json: later,
			}
		);
	},
	gone: 'it does not wait',
};
