import type {Approval, ApprovalRule, ApprovalScope, ToolApproval} from '../../core/approval.ts';
import {quotedName} from '../../core/quoted-name.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {shownLine} from '../../terminal/text/line-editor.ts';
import {own, ui} from '../../terminal/text/safe.ts';
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
	{text: ui`    ${key}  `, tone: tone === 'quiet' ? 'quiet' : 'accent'},
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
							ui`    ${scopeText({...approval, mustTypeName: false}, step.scope, facts.width)}`,
							'strong',
						),
						line(
							ui`    type the tool's name, then enter · ${facts.locked ?? own('Esc goes back')}`,
						),
						typed(shownLine(step.text, {width: facts.width - 12})),
					]
				: [];
		case 'reason':
			return [
				line(own('    deny, and tell the agent why; then enter')),
				typed(shownLine(step.text, {width: facts.width - 12})),
				line(own('    Esc goes back'), 'quiet'),
			];
		case 'deny-all':
			return [
				line(
					facts.waiting === 1
						? own('    D again denies what waits')
						: ui`    D again denies all ${facts.waiting} that wait`,
					'warn',
				),
				line(own('    Esc goes back'), 'quiet'),
			];
		case 'rule':
			return approval.kind === 'tool' ? ruleLines(step, approval, facts) : [];
	}
}

const typed = (text: Safe): Line => [{text: own('      > '), tone: 'accent'}, {text}];

const keyCells = 7;
const asksName = own(' (asks for its name)');

/** What a yes of this scope means, in words that have room in `width` cells: a long name is cut, how far the yes reaches never is. */
export function scopeText(
	{tool, run, mustTypeName}: ToolApproval,
	scope: ApprovalScope,
	width: number,
): Safe {
	const asks = mustTypeName && scope !== 'always' ? asksName : own('');
	const what = (reach: Safe): Safe => {
		const room = width - keyCells - widthOf(ui`allow ${reach}${asks}`) - 1;
		const names = ui`${clean(quotedName(tool.tool))} on ${clean(tool.server)}`;
		return ui`allow ${clip(names, Math.max(8, room))} ${reach}${asks}`;
	};
	switch (scope) {
		case 'once':
			return ui`allow this one call${asks}`;
		case 'run':
			return what(run === undefined ? own('until its run ends') : ui`until run #${run} ends`);
		case 'process':
			return what(own('until svc stops'));
		case 'always':
			return own('always allow … (shows the rule, needs a second key)');
	}
}

/** The keys of the scopes, in the order of the sheet. */
const scopeKeys: ReadonlyArray<readonly [ApprovalScope, Safe]> = [
	['once', own('a')],
	['run', own('r')],
	['process', own('s')],
	['always', own('v')],
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
		{text: own('    d  '), tone: 'accent'},
		{text: own('deny    ')},
		{text: own('m  '), tone: 'accent'},
		{text: own('deny, say why    ')},
		{text: own('w  '), tone: 'accent'},
		{text: own('wait 5 min    ')},
		{text: own('D  '), tone: 'accent'},
		{text: own('deny all')},
	],
];

const formChoices = ({locked}: FooterFacts): readonly Line[] => [
	keyRow(
		own('a'),
		own('send these values to the server'),
		locked === undefined ? 'plain' : 'quiet',
	),
	[
		{text: own('    d  '), tone: 'accent'},
		{text: own('decline    ')},
		{text: own('w  '), tone: 'accent'},
		{text: own('wait 5 min    ')},
		{text: own('D  '), tone: 'accent'},
		{text: own('deny all')},
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
		...wrapText(ruleText(rule), width - 4).map(row => line(ui`  ${row}`, 'strong')),
		choice(own('1'), own('any arguments'), args === 'any'),
		choice(own('2'), own('exactly these arguments'), args === 'exact'),
		choice(
			own('3'),
			own('equal in what is marked above: j k move, space marks'),
			Array.isArray(args),
		),
		keyRow(own('A'), own('store the rule and allow'), locked === undefined ? 'plain' : 'quiet'),
	];
}

const choice = (key: Safe, text: Safe, isChosen: boolean): Line => [
	{text: isChosen ? own('  > ') : own('    '), tone: 'accent'},
	{text: ui`${key}  `, tone: 'accent'},
	{text, tone: isChosen ? 'selected' : 'plain'},
];
