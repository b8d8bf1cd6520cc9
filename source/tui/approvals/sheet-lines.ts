import type {Approval, FormApproval, ToolApproval} from '../../core/approval.ts';
import type {Delivery} from '../../core/delivery.ts';
import {derive} from '../../core/derive.ts';
import type {GatewayState} from '../../core/state.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {askerFacts, requestHead, sinceFacts, toolFacts} from '../../nouns/approval/request.ts';
import type {Fact} from '../../nouns/noun.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {bytes} from '../../terminal/text/time.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import {line, wrapText, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import type {ArgumentRows} from './argument-rows.ts';

const nameCells = 15;
const indent = 2;

const roomOf = (width: number): number => width - indent - nameCells;

/** Facts as rows; wrapped rows have a mark before them. */
const factRows = (facts: readonly Fact[], width: number): readonly Line[] =>
	facts.flatMap(fact => ('name' in fact ? factLines(fact, width) : []));

function factLines(
	{name, value, tone = 'plain', most}: Extract<Fact, {readonly name: string}>,
	width: number,
): readonly Line[] {
	const room = roomOf(width);
	const rows = wrapText(most === undefined ? escapeLine(value, Infinity) : escapeLine(value), room);
	const [last, next] = most === undefined ? [] : rows.slice(most - 1);
	const shown =
		last !== undefined && next !== undefined
			? [...rows.slice(0, (most ?? 0) - 1), fit(safe`${last} ${next}`, room)]
			: rows;
	return shown.map((row, index): Line => [
		{
			text: safe`${lead(index)}${fit(index === 0 ? escapeLine(name) : empty, nameCells)}`,
			tone: 'quiet',
		},
		{text: row, tone},
	]);
}

/** The first two columns of a row: a mark if it continues the row above, since its text could look like anything. */
const lead = (index: number): Safe => (index === 0 ? literal('  ') : safe`${gutter.goesOn} `);

type CallLook = {
	state: Pick<GatewayState, 'deliveries' | 'approvalRules' | 'servers'>;
	args: ArgumentRows;
	width: number;
};

/** The tool, who asks, and the arguments: everything that must be seen before the call is allowed. */
export function callLines(approval: ToolApproval, {state, args, width}: CallLook): readonly Line[] {
	const delivery = deliveryOf(approval, state);
	return [
		...headRows(approval, width),
		...factRows(toolFacts(approval, state.servers), width),
		...changeRows(approval.tool, width),
		...factRows(askerFacts(approval, delivery), width),
		...factRows(whyAskedRows(approval, state.approvalRules), width),
		...factRows(approval.preview?.facts ?? [], width),
		...argumentHead(approval, {args, width}),
		...args.rows,
	];
}

/** Why rules ask for this call. Memoised per rules, because the sheet redraws ten times a second while it counts. */
const whyAskedRows = derive(sinceFacts);

const deliveryOf = (
	approval: Approval,
	{deliveries}: Pick<GatewayState, 'deliveries'>,
): Delivery | undefined =>
	deliveries.find(({delivery}) => delivery.id === approval.delivery)?.delivery;

/** What is asked, and where it goes; only a place longer than 4,000 characters is cut. */
function headRows(approval: Approval, width: number): readonly Line[] {
	const [what, where] = requestHead(approval);
	const text =
		where === undefined
			? escapeLine(what)
			: safe`${escapeLine(what)}  ${escapeLine(where, maxWhere)}`;
	return wrapText(text, width - indent).map((row, index) =>
		line(safe`${lead(index)}${row}`, index === 0 || where === undefined ? 'strong' : 'plain'),
	);
}

const maxWhere = 4000;

/** The number of arguments and what they are compared with; in a second row if it does not fit in one. */
function argumentHead(
	approval: ToolApproval,
	{args, width}: {readonly args: ArgumentRows; readonly width: number},
): readonly Line[] {
	const note = noteOf(approval);
	const facts: Line = [
		{
			text: safe`  ${fit(escapeLine(linesOf(approval)?.title ?? 'arguments'), nameCells)}`,
			tone: 'quiet',
		},
		{text: argumentFacts(approval, args)},
		...(args.flags > 0 ? [{text: safe`  ⚑ ${args.flags} control`, tone: 'warn'} as const] : []),
	];
	if (note === undefined) {
		return [facts];
	}

	const used = facts.reduce((sum, {text}) => sum + widthOf(text), 0);
	return used + 2 + widthOf(note) <= width
		? [[...facts, {text: safe`  ${note}`, tone: 'quiet'}]]
		: [
				facts,
				[{text: safe`${gutter.remark} ${fit(literal(''), nameCells)}${note}`, tone: 'quiet'}],
			];
}

/** Says that there is nothing to compare with. Decided requests are stored without the earlier call. */
const noteOf = ({decision, lastArgs, preview}: ToolApproval): Safe | undefined => {
	if (preview) {
		return undefined;
	}

	if (lastArgs !== undefined) {
		return literal('[diff when asked]');
	}

	return decision ? undefined : literal('[no call before]');
};

const changeTones: Readonly<Record<string, Tone>> = {'+': 'good', '-': 'bad'};

const maxChangeRows = 40;

/** The changes in a changed tool's description, which must be seen like the arguments. */
function changeRows({changed, changes}: ToolApproval['tool'], width: number): readonly Line[] {
	if (!changed) {
		return [];
	}

	return changes
		? changes.flatMap(change =>
				hardWrap(escapeLine(change, Infinity), width - indent, maxChangeRows).rows.map(
					(row, index): Line => [
						{text: safe`${index === 0 ? gutter.line : gutter.goesOn} `, tone: 'warn'},
						{text: row, tone: changeTones[change[0] ?? ''] ?? 'quiet'},
					],
				),
			)
		: factRows(
				[{name: '', value: 'what changed was not kept, or is above 16 KiB', tone: 'quiet'}],
				width,
			);
}

/** The preview, if its lines replace the arguments. */
const linesOf = ({preview}: ToolApproval) => (preview?.lines ? preview : undefined);

function argumentFacts(approval: ToolApproval, {count, isWhole}: ArgumentRows): Safe {
	const {argsBytes} = approval;
	if (linesOf(approval)) {
		return safe`${count ?? 0} ${count === 1 ? literal('line') : literal('lines')}, ${isWhole ? literal('all shown') : literal('not all shown')}`;
	}

	const fields =
		count === undefined
			? literal('no object')
			: safe`${count} ${count === 1 ? literal('field') : literal('fields')}`;
	return safe`${fields}, ${bytes(argsBytes)}, ${isWhole ? literal('all shown') : literal('not all shown')}`;
}

/** Who wants a form filled in, and what for. */
export const formHead = (
	approval: FormApproval,
	{state, width}: {readonly state: Pick<GatewayState, 'deliveries'>; readonly width: number},
): readonly Line[] => [
	...headRows(approval, width),
	...factRows(askerFacts(approval, deliveryOf(approval, state)), width),
];
