import type {ApprovalRule} from '../../core/approval.ts';
import {keysText} from '../../core/approvals/rule-keys.ts';
import type {ApprovalEntry} from '../../core/filter/vocabularies.ts';
import {quotedName} from '../../core/names.ts';
import {fullTime, printableTime} from '../../terminal/text/time.ts';
import type {Act} from '../act.ts';
import {column, fact, type Column, type Fact, type Noun} from '../noun.ts';
import {hashText, reachText, ruleArguments, ruleText} from './approval-words.ts';

/** The rule's tool; if it has matched none yet, the name as written. */
export const ruleTool = ({tool, file}: ApprovalRule): string =>
	quotedName(tool || (file?.name ?? ''));

const ownerWords = ({owner}: ApprovalRule): string | undefined =>
	owner && `${owner.kind} ${quotedName(owner.name)}`;

/** Whose runs the rule applies to, what it covers, and its reach. */
export function ruleForText(rule: ApprovalRule): string {
	const owner = ownerWords(rule);
	return (
		owner === undefined
			? [reachText(rule), ruleArguments(rule), hashText(rule.definition)]
			: [owner, ruleArguments(rule), reachText(rule)]
	).join(' · ');
}

/** Which arguments the rule covers, with the required values. */
export const coveredText = (rule: ApprovalRule): string =>
	rule.args?.shown === undefined
		? ruleArguments(rule)
		: `exactly ${JSON.stringify(rule.args.shown)}`;

const ofRule = (key: string, value: (rule: ApprovalRule) => string): Column<ApprovalEntry> =>
	column(key, 0, entry => (entry.kind === 'rule' ? value(entry.rule) : ''));

/** Columns of the command line that are empty for requests. */
export const ruleColumns: ReadonlyArray<Column<ApprovalEntry>> = [
	ofRule('rule', ({id}) => String(id)),
	ofRule('profile', ({profile}) => profile),
	ofRule('runs of', rule => ownerWords(rule) ?? 'all'),
	ofRule('definition', ({definition}) => (definition === '' ? '-' : hashText(definition))),
	ofRule('holds', reachText),
	ofRule('uses', ({uses}) => String(uses)),
	ofRule('last used', ({usedAt}) => (usedAt === undefined ? 'never' : printableTime(usedAt))),
];

const problemOf = ({problem}: ApprovalRule): string | undefined =>
	problem && `allows nothing: ${problem}`;

/** The list of rules on the command line; a rule that allows nothing now has a note with the reason. */
export const printedRules: Pick<Noun<ApprovalEntry>, 'note' | 'printed'> = {
	note: entry => (entry.kind === 'rule' ? problemOf(entry.rule) : undefined),
	printed: {
		columns:
			'rule, profile, server, tool, runs of, definition, arguments, holds, uses, last used, by'.split(
				', ',
			),
		whole: ['rule', 'tool', 'arguments', 'holds'],
		optional: ['definition', 'profile', 'last used', 'uses', 'by'],
		empty:
			'No rules: "svc approvals allow ID --for run" makes one, and "approvals" in config.yaml holds others',
	},
};

/** The facts of a rule. */
export function ruleFacts(rule: ApprovalRule): readonly Fact[] {
	const {id, profile, definition, when, args, uses, usedAt, createdAt, createdBy, file} = rule;
	const problem = problemOf(rule);
	const last = usedAt === undefined ? '' : `, last ${fullTime(usedAt)}`;
	return [
		{text: ruleText(rule)},
		...(problem === undefined ? [] : [{text: `! ${problem}`, tone: 'warn'} as const]),
		{text: ''},
		...fact('runs of', ownerWords(rule)),
		...fact('arguments', when && `${keysText(when)}; all others may be anything`),
		...fact('arguments', args?.shown === undefined ? undefined : JSON.stringify(args.shown)),
		...fact('profile', profile),
		...fact('definition', definition === '' ? 'none yet' : `sha256:${definition}`),
		...fact('made', `${fullTime(createdAt)} by ${createdBy}`),
		...fact('used', `${uses} ${uses === 1 ? 'time' : 'times'}${last}`),
		{text: ''},
		{
			text: file
				? `It holds for this definition of this tool alone: a tool that changes asks again, until svc approvals accept ${id}. It ends when its lines go.`
				: 'It holds for this definition of this tool alone: a tool that changes asks again. x revokes it.',
			tone: 'quiet',
		},
	];
}

/** The name of a rule in commands. */
export const ruleNoun = {
	one: 'rule',
	argument: 'rule',
	missing: 'approval_rule_not_found',
	isNumbered: true,
} as const;

/** The gateway operations on rules. */
type RulePort = {revokeApprovalRule(id: number): Promise<boolean>};

/** The acts on a rule, which is a row among requests on the screen. */
export const ruleActs: ReadonlyArray<Act<ApprovalEntry, RulePort>> = [
	{
		verb: 'revoke',
		key: 'x',
		label: 'revoke the rule (asks)',
		says: 'end a standing rule',
		why: entry =>
			entry.kind === 'rule'
				? entry.rule.file && `It stands in ${entry.rule.file.place}: remove it there`
				: 'Only a rule can be revoked; ! answers what waits',
		ask: entry =>
			entry.kind === 'rule'
				? {
						title: `Revoke rule r${entry.rule.id}`,
						lines: [ruleText(entry.rule), 'Calls that it covered ask again.'],
						act: 'revoke',
					}
				: undefined,
		async effect(port, id) {
			const number = Number(id.replace(/^r/, ''));
			return (await port.revokeApprovalRule(number))
				? {said: `Rule ${id} is revoked`, json: {revoked: number}}
				: undefined;
		},
		gone: 'there is none',
	},
];
