import type {Approval, ApprovalScope, ToolApproval} from '../../core/approval.ts';
import {freeText, linesByHand} from '../../core/approvals/rule-keys.ts';
import {quotedName} from '../../core/names.ts';
import {toolFrom, whereWords} from '../../core/tool.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {ruleText} from '../../nouns/approval/approval-words.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {type LineText, shownLine} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import {line, type Line, told} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import {answerOfRule, type RuleAnswer, ruleToShow} from './rule-step.ts';
import type {Sheet, SheetStep} from './sheet.ts';

/** What the choices depend on. */
type FooterFacts = {
	readonly scopes: ReadonlySet<ApprovalScope>;
	/** Why no key may allow yet. */
	readonly locked: Safe | undefined;
	/** The request can be read but not answered. */
	readonly isReadOnly?: boolean;
	readonly waiting: number;
	readonly now: number;
	readonly width: number;
};

/** A key of a sheet with its label. */
export const keyRow = (key: Safe, text: Safe, tone: Tone = 'plain'): Line => [
	{text: safe`    ${key}  `, tone: tone === 'quiet' ? 'quiet' : 'accent'},
	{text, tone},
];

/** The choices of the sheet, below a rule; none is preselected. */
export function footerLines(sheet: Sheet, approval: Approval, facts: FooterFacts): readonly Line[] {
	const rule = (text: string) =>
		escapeLine(`  ${text}${'─'.repeat(Math.max(0, facts.width - 4 - text.length))}`);
	return facts.isReadOnly === true
		? [line(rule('read-only: to be looked at, not answered '), 'warn')]
		: [line(rule(''), 'quiet'), ...stepLines(sheet, approval, facts)];
}

function stepLines(
	{step, refused}: Sheet,
	approval: Approval,
	facts: FooterFacts,
): readonly Line[] {
	switch (step.kind) {
		case 'choose':
			return approval.kind === 'tool' ? choiceLines(approval, facts) : [];
		case 'form':
			return formChoices(facts, refused !== undefined);
		case 'name':
			return approval.kind === 'tool'
				? [
						...(step.rule
							? ruleRows(approval, step.rule, facts)
							: [
									line(
										safe`    ${scopeText({...approval, mustTypeName: false}, step.scope, facts.width)}`,
										'strong',
									),
								]),
						line(
							safe`    type the tool's name, then enter${facts.locked ? safe` · ${facts.locked}` : literal('')}`,
						),
						typedRow(step.text, facts.width),
						refused
							? line(safe`    ${clip(refused, facts.width - 4)}`, 'warn')
							: line(literal('    Esc goes back'), 'quiet'),
					]
				: [];
		case 'reason':
			return [
				line(literal('    deny, and tell the agent why; then enter')),
				typedRow(step.text, facts.width),
				line(literal('    Esc goes back'), 'quiet'),
			];
		case 'deny-all':
			return [
				line(
					facts.waiting === 1
						? literal('    D again denies what waits')
						: safe`    D again denies all ${facts.waiting} that wait`,
					'warn',
				),
				line(literal('    Esc goes back'), 'quiet'),
			];
		case 'rule':
			return approval.kind === 'tool' ? ruleLines(step, approval, facts) : [];
		case 'by-hand':
			return approval.kind === 'tool' ? byHandLines(approval, facts) : [];
	}
}

/** The line typed at the bottom of a sheet of `width` cells. */
export const typedRow = (text: LineText, width: number): Line => [
	{text: literal('      > '), tone: 'accent'},
	{text: shownLine(text, {width: width - 12})},
];

const keyCells = 7;
const asksName = literal(' (asks for its name)');

/** What a yes of this scope means, in `width` cells: a long name is cut, the reach of the yes never is. */
function scopeText(
	{tool, run, mustTypeName, lasting}: ToolApproval,
	scope: ApprovalScope,
	width: number,
): Safe {
	const asks = mustTypeName && scope !== 'always' ? asksName : literal('');
	const what = (reach: Safe): Safe => {
		const room = width - keyCells - widthOf(safe`allow ${reach}${asks}`) - 1;
		const names = safe`${escapeLine(quotedName(tool.tool))} ${escapeLine(whereWords(toolFrom(tool)))}`;
		return safe`allow ${clip(names, Math.max(8, room))} ${reach}${asks}`;
	};
	switch (scope) {
		case 'once':
			return safe`allow this one call${asks}`;
		case 'run':
			return what(run === undefined ? literal('until its run ends') : safe`until run #${run} ends`);
		case 'process':
			return what(literal('until svc stops'));
		case 'always':
			return lasting
				? safe`always allow for this ${escapeLine(lasting.owner.kind)} … (shows the rule, needs a second key)`
				: literal('always allow … (shows the rule, needs a second key)');
	}
}

/** The keys of the scopes, in the order of the sheet. */
const scopeKeys: ReadonlyArray<readonly [ApprovalScope, Safe]> = [
	['once', literal('a')],
	['run', literal('r')],
	['process', literal('s')],
	['always', literal('v')],
];

const choiceLines = (
	approval: ToolApproval,
	{scopes, locked, width}: FooterFacts,
): readonly Line[] => [
	...scopeKeys
		.filter(([scope]) => scopes.has(scope))
		.map(([scope, key]) =>
			keyRow(key, scopeText(approval, scope, width), locked === undefined ? 'plain' : 'quiet'),
		),
	...(!scopes.has('always') && linesByHand(approval)
		? [
				keyRow(
					literal('v'),
					literal('always: only by hand, in config.yaml (shows the lines)'),
					'quiet',
				),
			]
		: []),
	keysInRow({d: 'deny    ', m: 'deny, say why    ', w: 'wait 5 min    ', D: 'deny all'}),
];

/** Keys with their labels, side by side. */
const keysInRow = (does: Readonly<Record<string, string>>): Line =>
	Object.entries(does).flatMap(([key, text], index) => [
		{text: escapeLine(`${index === 0 ? '    ' : ''}${key}  `), tone: 'accent'} as const,
		{text: escapeLine(text)},
	]);

const formChoices = ({locked}: FooterFacts, isRefused: boolean): readonly Line[] => [
	locked === undefined
		? keyRow(literal('a'), literal('send these values to the server'))
		: [
				...keyRow(literal('a'), literal('send these values to the server'), 'quiet'),
				{text: safe` · ${locked}`, tone: isRefused ? 'warn' : 'quiet'},
			],
	keysInRow({d: 'decline   ', w: 'wait 5 min   ', D: 'deny all   ', Esc: 'leave'}),
];

type RuleStep = Extract<SheetStep, {kind: 'rule'}>;

function ruleLines(step: RuleStep, approval: ToolApproval, facts: FooterFacts): readonly Line[] {
	const answer = answerOfRule(approval, step);
	const {isBound = false} = approval.lasting ?? {};
	return [
		...(answer
			? ruleRows(approval, answer, facts)
			: [
					line(
						literal('  the tool may destroy: mark what the rule is for (space), or press 2'),
						'strong',
					),
				]),
		...(isBound ? [] : [choice(literal('1'), literal('any arguments'), answer?.args === 'any')]),
		choice(literal('2'), literal('exactly these arguments'), step.args === 'exact'),
		choice(
			literal('3'),
			approval.lasting
				? literal('what is marked above: j k, space marks, < > other folder')
				: literal('equal in what is marked above: j k move, space marks'),
			step.args === 'keys' && step.keys.size > 0,
		),
		keyRow(
			literal('A'),
			isBound
				? literal('store the rule and allow (asks for its name)')
				: literal('store the rule and allow'),
			facts.locked === undefined && answer ? 'plain' : 'quiet',
		),
	];
}

/** A rule as it would be stored, and what it leaves open. */
const ruleRows = (
	approval: ToolApproval,
	answer: RuleAnswer,
	{now, width}: FooterFacts,
): readonly Line[] => [
	...told(ruleText(ruleToShow(approval, answer, now)), width, 'strong'),
	...(answer.when ? told(freeText(approval, Object.keys(answer.when)), width, 'warn') : []),
];

const byHandLines = (approval: ToolApproval, {width}: FooterFacts): readonly Line[] => [
	...told(
		'What an event starts gets a lasting rule by hand alone. These lines in config.yaml let such calls pass, while the tool is defined as it is now:',
		width,
	),
	...(linesByHand(approval) ?? []).flatMap(text =>
		hardWrap(escapeLine(text), width - 6, 4).rows.map((row, index) =>
			line(safe`${index === 0 ? literal('    ') : safe`${gutter.goesOn}   `}${row}`, 'strong'),
		),
	),
	line(literal('    y copies them · Esc goes back'), 'quiet'),
];

const choice = (key: Safe, text: Safe, isChosen: boolean): Line => [
	{text: isChosen ? literal('  > ') : literal('    '), tone: 'accent'},
	{text: safe`${key}  `, tone: 'accent'},
	{text, tone: isChosen ? 'selected' : 'plain'},
];
