import type {ToolSelection} from '../../agent/toolsets.ts';
import type {Route} from '../../config/route.ts';
import type {JsonObject} from '../../core/json.ts';
import type {Target} from '../../core/run.ts';
import {cell} from '../../core/untrusted.ts';

/** What whoever holds the secret of a route can make happen. Texts are clean. */
export type Capability = {
	/** `agent`: each event starts a run. `group`: the events of one key do. `job`: each event fires a job. `message`: no agent. */
	readonly starts: 'agent' | 'group' | 'job' | 'message';
	/** Name of the job. */
	readonly job?: string;
	/** Tools that the runs have. */
	readonly tools: readonly string[];
	/** Those of them that ask a person before each call. */
	readonly asks: readonly string[];
	/** Whether runs start without anybody being asked. */
	readonly unattended: boolean;
	/** Where the answer, or the message, goes. */
	readonly target: string;
	/** Toolsets that give nothing, and why. */
	readonly notes: readonly string[];
};

/** What a job brings along, for a route that fires one. */
export type JobPart = {readonly name: string; readonly target: Target};

/** What a route can make happen. `selection`: the tools for the toolsets of the route, or of its job. Pure. */
export function capabilityOf(
	route: Route,
	{selection, job}: {readonly selection: ToolSelection; readonly job?: JobPart | undefined},
): Capability {
	const starts = startsOf(route);
	const tools = starts === 'message' ? [] : selection.tools;
	const names = (chosen: typeof tools) => chosen.map(({name}) => cell(name, 64).text);
	return {
		starts,
		...(job && {job: cell(job.name, 100).text}),
		tools: names(tools),
		asks: names(tools.filter(({needsApproval}) => needsApproval)),
		unattended: starts !== 'message',
		target: job
			? targetText(job.target)
			: targetText({kind: route.deliver, extra: route.deliverExtra}),
		notes: starts === 'message' ? [] : selection.warnings,
	};
}

function startsOf({deliverOnly, cronJob, coalesce}: Route): Capability['starts'] {
	if (deliverOnly) {
		return 'message';
	}

	if (cronJob !== undefined) {
		return 'job';
	}

	return coalesce ? 'group' : 'agent';
}

const shownTools = 5;

/** A capability as one line. */
export function capabilityLine({starts, job, tools, asks, target}: Capability): string {
	if (starts === 'message') {
		return `no agent runs: each event sends its rendered prompt to ${target}`;
	}

	const what = {
		agent: 'each event starts an agent run',
		group: 'the events of one key start an agent run',
		job: `each event fires the job "${job ?? '?'}"`,
	}[starts];
	return `${what} unattended, ${toolsText(tools, asks)}; the answer goes to ${target}`;
}

function toolsText(tools: readonly string[], asks: readonly string[]): string {
	if (tools.length === 0) {
		return 'without tools (no tool server is configured)';
	}

	const which = `with ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} (${listOf(tools)})`;
	return asks.length === 0
		? `${which}, none of which asks a person`
		: `${which}, of which ${listOf(asks)} ${asks.length === 1 ? 'asks' : 'ask'} a person first`;
}

const listOf = (names: readonly string[]): string =>
	names.length <= shownTools
		? names.join(', ')
		: `${names.slice(0, shownTools).join(', ')} and ${names.length - shownTools} more`;

function targetText({kind, extra}: Target): string {
	switch (kind) {
		case 'log':
			return 'the log';
		case 'forge_comment':
			return `a comment on ${textAt(extra, 'repo')}#${textAt(extra, 'pr_number')}`;
		default:
			return `${kind} ${'chat_id' in extra ? textAt(extra, 'chat_id') : '(home channel)'}`;
	}
}

function textAt(extra: JsonObject, key: string): string {
	const value = Object.hasOwn(extra, key) ? extra[key] : undefined;
	return typeof value === 'string' || typeof value === 'number'
		? cell(String(value), 100).text
		: '?';
}
