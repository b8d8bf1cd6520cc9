import type {Approval, ApprovalRule, ApprovalScope, ToolApproval} from '../../core/approval.ts';
import {quotedName} from '../../core/quoted-name.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {shownLine} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean, line, wrapText, type Line} from '../panes/line.ts';
import type {Tone} from '../theme/theme.ts';
import {ruleText} from './approval-text.ts';
import type {Sheet, SheetStep} from './sheet.ts';

/** What is known when the choices are drawn. */
export type FooterFacts = {
	readonly scopes: ReadonlySet<ApprovalScope>;
	/** Why no key may allow yet. */
	readonly locked: Safe | undefined;
	readonly waiting: number;
	readonly now: number;
	readonly width: number;
};

/** How long a rule of scope `always` is kept. */
const ruleLifeMs = 30 * 86_400_000;

const keyRow = (key: Safe, text: Safe, tone: Tone = 'plain'): Line => [
	{text: safe`    ${key}  `, tone: tone === 'quiet' ? 'quiet' : 'accent'},
	{text, tone},
];

/** The choices of the sheet, under a rule; none of them is preselected. */
export function footerLines(sheet: Sheet, approval: Approval, facts: FooterFacts): readonly Line[] {
	return [
		line(clean(`  ${'─'.repeat(Math.max(0, facts.width - 4))}`), 'quiet'),
		...stepLines(sheet.step, approval, facts),
	];
}

function stepLines(step: SheetStep, approval: Approval, facts: FooterFacts): readonly Line[] {
	switch (step.kind) {
		case 'choose':
			return approval.kind === 'tool' ? choiceLines(approval, facts) : [];
		case 'form':
			return formChoices(facts);
		case 'name':
			return approval.kind === 'tool'
				? [
						line(
							safe`    ${scopeText({...approval, mustTypeName: false}, step.scope, facts.width)}`,
							'strong',
						),
						line(
							safe`    type the tool's name, then enter · ${facts.locked ?? literal('Esc goes back')}`,
						),
						typed(shownLine(step.text, {width: facts.width - 12})),
					]
				: [];
		case 'reason':
			return [
				line(literal('    deny, and tell the agent why; then enter')),
				typed(shownLine(step.text, {width: facts.width - 12})),
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
	}
}

const typed = (text: Safe): Line => [{text: literal('      > '), tone: 'accent'}, {text}];

const keyCells = 7;
const asksName = literal(' (asks for its name)');

/** What a yes of this scope means, in words that have room in `width` cells: a long name is cut, how far the yes reaches never is. */
export function scopeText(
	{tool, run, mustTypeName}: ToolApproval,
	scope: ApprovalScope,
	width: number,
): Safe {
	const asks = mustTypeName && scope !== 'always' ? asksName : literal('');
	const what = (reach: Safe): Safe => {
		const room = width - keyCells - widthOf(safe`allow ${reach}${asks}`) - 1;
		const names = safe`${clean(quotedName(tool.tool))} on ${clean(tool.server)}`;
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
			return literal('always allow … (shows the rule, needs a second key)');
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
	[
		{text: literal('    d  '), tone: 'accent'},
		{text: literal('deny    ')},
		{text: literal('m  '), tone: 'accent'},
		{text: literal('deny, say why    ')},
		{text: literal('w  '), tone: 'accent'},
		{text: literal('wait 5 min    ')},
		{text: literal('D  '), tone: 'accent'},
		{text: literal('deny all')},
	],
];

const formChoices = ({locked}: FooterFacts): readonly Line[] => [
	keyRow(
		literal('a'),
		literal('send these values to the server'),
		locked === undefined ? 'plain' : 'quiet',
	),
	[
		{text: literal('    d  '), tone: 'accent'},
		{text: literal('decline    ')},
		{text: literal('w  '), tone: 'accent'},
		{text: literal('wait 5 min    ')},
		{text: literal('D  '), tone: 'accent'},
		{text: literal('deny all')},
	],
];

type RuleStep = Extract<SheetStep, {kind: 'rule'}>;

/** What a rule covers, as it is answered and stored; no chosen argument means any. */
export const ruleArgs = ({args, keys}: RuleStep): 'any' | 'exact' | readonly string[] =>
	args === 'keys' ? (keys.size === 0 ? 'any' : [...keys]) : args;

function ruleLines(
	step: RuleStep,
	approval: ToolApproval,
	{locked, now, width}: FooterFacts,
): readonly Line[] {
	const {tool, profile} = approval;
	const args = ruleArgs(step);
	const rule: ApprovalRule = {
		id: 0,
		profile,
		server: tool.server,
		tool: tool.tool,
		endpoint: tool.endpoint,
		definition: tool.definition,
		scope: 'always',
		...(args !== 'any' && {args: {hash: '', ...(args !== 'exact' && {keys: args})}}),
		createdAt: now,
		createdBy: '',
		expiresAt: now + ruleLifeMs,
		uses: 0,
	};
	return [
		...wrapText(ruleText(rule), width - 4).map(row => line(safe`  ${row}`, 'strong')),
		choice(literal('1'), literal('any arguments'), args === 'any'),
		choice(literal('2'), literal('exactly these arguments'), args === 'exact'),
		choice(
			literal('3'),
			literal('equal in what is marked above: j k move, space marks'),
			Array.isArray(args),
		),
		keyRow(
			literal('A'),
			literal('store the rule and allow'),
			locked === undefined ? 'plain' : 'quiet',
		),
	];
}

const choice = (key: Safe, text: Safe, isChosen: boolean): Line => [
	{text: isChosen ? literal('  > ') : literal('    '), tone: 'accent'},
	{text: safe`${key}  `, tone: 'accent'},
	{text, tone: isChosen ? 'selected' : 'plain'},
];
