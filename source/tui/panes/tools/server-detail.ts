import type {Approval} from '../../../core/approval.ts';
import type {ServerToolView, ServerView} from '../../../core/tool-server.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {serverFacts, serverName, serverNoun} from '../../../nouns/server/server.ts';
import {clip, fit, widthOf} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {blankLine, line, type Line, type Span, apart} from '../../lines/line.ts';
import {factRows} from '../../nouns/facts.ts';

/** A server with its tools in rows of `width` cells; `calls` are the decided ones. */
export function serverDetail(
	server: ServerView,
	{calls, width}: {readonly calls: readonly Approval[]; readonly width: number},
): readonly Line[] {
	return [
		apart(
			clip(escapeLine(serverName(server)), width - 12),
			{text: escapeLine(server.trust), tone: server.trust === 'untrusted' ? 'warn' : 'quiet'},
			width,
		),
		...factRows(serverFacts(server), {factCells: serverNoun.factCells, width}),
		blankLine,
		...(server.tools.length === 0
			? [line(literal('  no tools'), 'quiet')]
			: [...legend(server), ...toolRows(server, {calls, width})]),
	];
}

/** Placed above the tools, so that the detail's last row is a tool. */
const legend = ({tools}: ServerView): readonly Line[] =>
	tools.some(({claims}) => claims.readOnly === true || claims.destructive === true)
		? [line(literal('  * claimed by the server, not verified'), 'quiet')]
		: [];

const minNameCells = 12;
const claimCells = 22;

function toolRows(
	{name, profile, tools}: ServerView,
	{calls, width}: {readonly calls: readonly Approval[]; readonly width: number},
): readonly Line[] {
	const counts = callCounts(calls, {name, profile});
	const longest = Math.max(...tools.map(({tool}) => widthOf(escapeLine(tool))));
	const cells = Math.min(longest, Math.max(minNameCells, width - claimCells));
	return tools.map((tool): Line => {
		const count = counts.get(tool.tool);
		return [
			{
				text: safe`  ${tool.asks ? literal('!') : tool.claims.readOnly === true ? literal('R') : literal(' ')} `,
				tone: tool.asks ? 'warn' : 'quiet',
			},
			{text: safe`${fit(escapeLine(tool.tool), cells)}  `, tool},
			...wordSpans(tool),
			...(count === undefined ? [] : [{text: safe`  ${count}`, tone: 'quiet'} as const]),
		];
	});
}

/** Whether a call asks a person, and what the server claims about the tool. */
const wordSpans = ({claims, asks, changed}: ServerToolView): readonly Span[] => [
	{text: asks ? literal('asks') : literal('auto'), tone: asks ? 'warn' : 'plain'},
	...(claims.readOnly === true ? [{text: literal('  read-only*')}] : []),
	...(claims.destructive === true ? [{text: literal('  destructive*'), tone: 'bad'} as const] : []),
	...(changed ? [{text: literal('  changed'), tone: 'bad'} as const] : []),
];

/** `3 calls, 1 denied`, by the server's name for the tool. */
function callCounts(
	calls: readonly Approval[],
	{name, profile}: {readonly name: string; readonly profile: string},
): ReadonlyMap<string, Safe> {
	const asked = calls.flatMap(call =>
		call.kind === 'tool' && call.tool.server === name && call.tool.profile === profile
			? [{tool: call.tool.tool, isAllowed: call.decision?.outcome === 'allowed'}]
			: [],
	);
	return new Map(
		[...Map.groupBy(asked, ({tool}) => tool)].map(([tool, same]) => {
			const denied = same.filter(({isAllowed}) => !isAllowed).length;
			const total = safe`${same.length} asked`;
			return [tool, denied === 0 ? total : safe`${total}, ${denied} denied`];
		}),
	);
}

/** The tool that a detail's row shows. */
export const toolOfRow = (row: Line | undefined): ServerToolView | undefined =>
	row?.find(({tool}) => tool)?.tool;
