import type {Approval} from '../../core/approval.ts';
import type {ShownTool} from '../../core/approval.ts';
import {derive} from '../../core/derive.ts';
import {toolFrom} from '../../core/tool.ts';
import {type Safe, escapeBlock, escapeLine} from '../../core/untrusted.ts';
import {outcomeWords} from '../../nouns/approval/approval-words.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clockTime} from '../../terminal/text/time.ts';
import {blankLine, line, wrapText, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';

const most = {descriptionRows: 14, schemaRows: 40, calls: 5, args: 200} as const;

type Look = {readonly calls: readonly Approval[]; readonly width: number};

/** What the server says of a tool, fenced as such, and the last calls of it; laid out once, for the sheet counts ten times a second. */
export const sideLines = (tool: ShownTool, {calls, width}: Look): readonly Line[] =>
	laidOut(tool, calls, width);

const laidOut = derive((tool: ShownTool, calls: Look['calls'], width: number) =>
	linesOf(tool, {calls, width}),
);

/** More of a schema is not looked at. */
const maxSchemaLength = 8000;

function linesOf(tool: ShownTool, {calls, width}: Look): readonly Line[] {
	const isOfServer = toolFrom(tool).kind === 'server';
	return [
		line(
			isOfServer ? literal('text by the server, not verified') : literal('text by svc'),
			'title',
		),
		...bounded(
			wrapText(escapeBlock(tool.description, {maxLength: 4000, maxLines: 100}), width - 2),
			most.descriptionRows,
			'plain',
		),
		blankLine,
		line(literal('last calls'), 'title'),
		...callRows(tool, {calls, width}),
		blankLine,
		line(isOfServer ? literal('its schema, by the server') : literal('its schema'), 'title'),
		...(tool.inputSchema === null
			? [line(literal('  too large to show'), 'quiet')]
			: bounded(
					wrapText(
						escapeBlock(JSON.stringify(tool.inputSchema, undefined, 2), {
							maxLength: maxSchemaLength,
							maxLines: most.schemaRows + 1,
						}),
						width - 2,
					),
					most.schemaRows,
					'quiet',
				)),
	];
}

const bounded = (rows: readonly Safe[], bound: number, tone: Tone): readonly Line[] => [
	...rows.slice(0, bound).map(row => line(safe`  ${row}`, tone)),
	...(rows.length > bound ? [line(safe`  … ${rows.length - bound} rows more`, 'quiet')] : []),
];

function callRows(tool: ShownTool, {calls, width}: Look): readonly Line[] {
	const same = calls.filter(
		call =>
			call.kind === 'tool' &&
			call.tool.profile === tool.profile &&
			call.tool.server === tool.server &&
			call.tool.tool === tool.tool,
	);
	const rows = same
		.slice(-most.calls)
		.toReversed()
		.flatMap((call): readonly Line[] => {
			const outcome = call.decision && outcomeWords[call.decision.outcome];
			const args =
				call.kind === 'tool' ? escapeLine(JSON.stringify(call.args), most.args) : literal('');
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
