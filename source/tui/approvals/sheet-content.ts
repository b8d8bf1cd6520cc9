import type {Approval, ShownTool, FormApproval, ToolApproval} from '../../core/approval.ts';
import type {FromEvent} from '../../core/approvals/from-event.ts';
import {derive} from '../../core/derive.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {quotedName} from '../../core/names.ts';
import type {GatewayState} from '../../core/state.ts';
import {toolFrom, whereWords} from '../../core/tool.ts';
import {type Safe, escapeBlock, escapeLine} from '../../core/untrusted.ts';
import {outcomeWords} from '../../nouns/approval/approval-words.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clockTime} from '../../terminal/text/time.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import {formLines, messageLines} from '../forms/form-lines.ts';
import {leaveEditing} from '../forms/form.ts';
import {blankLine, line, wrapText, type Line, told} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import {argumentRows, type ArgumentRows} from './argument-rows.ts';
import {previewRows} from './preview-rows.ts';
import {type KeyChoice, ruleKeys} from './rule-step.ts';
import type {RowRange} from './seen-rows.ts';
import {callLines, formHead} from './sheet-lines.ts';
import type {Sheet, SheetStep} from './sheet.ts';

/** The scrolling part of the sheet. */
export type SheetContent = {
	/** The part of the request that is shown. */
	readonly part: 'call' | 'rule' | 'form';
	readonly lines: readonly Line[];
	/** The same rows without cursors. */
	readonly plain: readonly Line[];
	/** The rows that keys act on. */
	readonly cursor: RowRange | undefined;
	/** The cursor's rows are always kept on the screen. */
	readonly isHeld: boolean;
	/** Everything that is asked is in these rows, visible or by scrolling. */
	readonly isWhole: boolean;
};

type Looks = {
	readonly state: Pick<GatewayState, 'deliveries' | 'gateway' | 'approvalRules' | 'servers'>;
	readonly width: number;
	/** Arguments that also occur in the event. */
	readonly fromEvent: readonly FromEvent[];
};

/** The arguments of a call at a width; memoised. */
export const argumentsOf = derive(
	(
		{args, lastArgs, preview}: ToolApproval,
		width: number,
		fromEvent: Looks['fromEvent'],
	): ArgumentRows =>
		preview
			? previewRows(preview, args, {width, fromEvent})
			: argumentRows(args, {last: lastArgs, width, fromEvent}),
);

/** A form with what is filled in so far. */
export function formContent(
	approval: FormApproval,
	step: SheetStep,
	{state, width}: Omit<Looks, 'fromEvent'>,
): SheetContent {
	const head = [...formHead(approval, {state, width}), ...messageLines(approval.message, width)];
	const filled = step.kind === 'form' || step.kind === 'deny-all' ? step.form : undefined;
	const form = filled && formLines(filled, width);
	const plain = filled && formLines({...leaveEditing(filled), index: -1, option: -1}, width);
	return {
		part: 'form',
		lines: [...head, ...(form?.rows ?? [])],
		plain: [...head, ...(plain?.rows ?? [])],
		cursor: form && {first: head.length + form.cursor.first, last: head.length + form.cursor.last},
		// A form's pages can be turned, but the field being typed in stays on the screen.
		isHeld: step.kind === 'form' && step.form.editing !== undefined,
		isWhole: true,
	};
}

/** Who asks for a call, and with what. */
export function callContent(
	approval: ToolApproval,
	{state, width, fromEvent}: Looks,
): SheetContent {
	const args = argumentsOf(approval, width, fromEvent);
	const lines = callLines(approval, {state, args, width});
	return {
		part: 'call',
		lines,
		plain: lines,
		cursor: undefined,
		isHeld: false,
		isWhole: args.isWhole,
	};
}

type RuleStep = Extract<Sheet['step'], {kind: 'rule'}>;

const mark = 4;
const box = 4;
const maxKeyRows = 30;
const shortValue = 200;

const boxOf = (choice: KeyChoice | undefined): Safe =>
	choice === undefined ? literal('[ ] ') : choice === 'equal' ? literal('[x] ') : literal('[/] ');

const valueText = (value: JsonValue | undefined, choice: KeyChoice | undefined): Safe =>
	typeof choice === 'object'
		? safe`below ${escapeLine(choice.below, shortValue)}`
		: escapeLine(value === undefined ? '' : JSON.stringify(value), shortValue);

/** The arguments that a rule can restrict. Names are shown whole, values cut to fit: the call's sheet already showed them. */
export function ruleContent(
	approval: ToolApproval,
	{keys, cursor}: RuleStep,
	{state, width, fromEvent}: Looks,
): SheetContent {
	const {args, tool} = approval;
	const head = [
		...told(
			safe`always allow ${escapeLine(quotedName(tool.tool))} ${escapeLine(whereWords(toolFrom(tool)))}${approval.lasting ? safe`, for runs of ${escapeLine(approval.lasting.owner.kind)} ${escapeLine(quotedName(approval.lasting.owner.name))} alone` : literal('')}`,
			width + 2,
			'strong',
		),
		...told(
			safe`the hash covers name, description, schema and annotations: a tool that changes asks again. Kept in ${escapeLine(state.gateway.home)}/state.db; 6 shows and revokes it.`,
			width,
			'quiet',
		),
		blankLine,
	];
	const fields = ruleKeys(approval).map(key => ({
		box: boxOf(keys.get(key)),
		names: hardWrap(escapeLine(quotedName(key)), width - mark - box, maxKeyRows).rows,
		value: valueText(isJsonObject(args) ? args[key] : undefined, keys.get(key)),
	}));
	const rowsOf = (at: number | undefined): readonly Line[] =>
		fields.flatMap(({box: marked, names, value}, index) =>
			names.map((name, row): Line => [
				{text: index === at && row === 0 ? literal('  > ') : literal('    '), tone: 'accent'},
				{text: safe`${row > 0 ? literal('┊   ') : marked}${name}`},
				...(row === names.length - 1 ? [{text: safe`  ${value}`, tone: 'quiet'} as const] : []),
			]),
		);
	const before = fields.slice(0, cursor).reduce((sum, {names}) => sum + names.length, 0);
	const first = head.length + before;
	return {
		part: 'rule',
		lines: [...head, ...rowsOf(cursor)],
		plain: [...head, ...rowsOf(undefined)],
		cursor: {
			// Scrolling to the first one also shows everything above it.
			first: cursor === 0 ? 0 : first,
			last: first + (fields[cursor]?.names.length ?? 1) - 1,
		},
		isHeld: true,
		isWhole: argumentsOf(approval, width, fromEvent).isWhole,
	};
}

const sideLimits = {descriptionRows: 14, schemaRows: 40, calls: 5, args: 200} as const;

/** Longer schemas are cut. */
const maxSchemaLength = 8000;

/** The server's description of a tool, marked as such, and the tool's last calls. Memoised, because the sheet redraws ten times a second while it counts. */
export const sideLines = derive(
	(tool: ShownTool, calls: readonly Approval[], width: number): readonly Line[] => {
		const isOfServer = toolFrom(tool).kind === 'server';
		return [
			line(
				isOfServer ? literal('text by the server, not verified') : literal('text by svc'),
				'title',
			),
			...bounded(
				wrapText(escapeBlock(tool.description, {maxLength: 4000, maxLines: 100}), width - 2),
				sideLimits.descriptionRows,
				'plain',
			),
			blankLine,
			line(literal('last calls'), 'title'),
			...callRows(tool, calls, width),
			blankLine,
			line(isOfServer ? literal('its schema, by the server') : literal('its schema'), 'title'),
			...(tool.inputSchema === null
				? [line(literal('  too large to show'), 'quiet')]
				: bounded(
						wrapText(
							escapeBlock(JSON.stringify(tool.inputSchema, undefined, 2), {
								maxLength: maxSchemaLength,
								maxLines: sideLimits.schemaRows + 1,
							}),
							width - 2,
						),
						sideLimits.schemaRows,
						'quiet',
					)),
		];
	},
);

const bounded = (rows: readonly Safe[], bound: number, tone: Tone): readonly Line[] => [
	...rows.slice(0, bound).map(row => line(safe`  ${row}`, tone)),
	...(rows.length > bound ? [line(safe`  … ${rows.length - bound} rows more`, 'quiet')] : []),
];

function callRows(tool: ShownTool, calls: readonly Approval[], width: number): readonly Line[] {
	const same = calls.filter(
		call =>
			call.kind === 'tool' &&
			call.tool.profile === tool.profile &&
			call.tool.server === tool.server &&
			call.tool.tool === tool.tool,
	);
	const rows = same
		.slice(-sideLimits.calls)
		.toReversed()
		.flatMap((call): readonly Line[] => {
			const outcome = call.decision && outcomeWords[call.decision.outcome];
			const args =
				call.kind === 'tool' ? escapeLine(JSON.stringify(call.args), sideLimits.args) : literal('');
			return [
				[
					{text: safe`  ${clockTime(call.decision?.at ?? call.requestedAt)} `, tone: 'quiet'},
					{text: outcome?.text ?? literal('-'), tone: outcome?.tone ?? 'quiet'},
				],
				...wrapText(args, width - 4)
					.slice(0, 2)
					.map(row => line(safe`    ${row}`, 'quiet')),
			];
		});
	return rows.length === 0 ? [line(literal('  none so far'), 'quiet')] : rows;
}
