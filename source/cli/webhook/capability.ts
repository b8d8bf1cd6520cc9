import type {Route} from '../../config/route.ts';
import type {Target} from '../../core/run.ts';
import type {Tool} from '../../core/tool.ts';
import {cell} from '../../core/untrusted.ts';
import {placeOf} from '../../platforms/platforms.ts';

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
	/** Tool servers whose tools come on top, and are not known yet. */
	readonly unknownServers: readonly string[];
	/** Whether a tool server is configured and switched on. */
	readonly hasServers: boolean;
	/** Whether runs start without anybody being asked. */
	readonly unattended: boolean;
	/** Where the answer, or the message, goes. */
	readonly target: string;
	/** Toolsets that give nothing, and why. */
	readonly notes: readonly string[];
};

/** What counts of a tool here. */
export type ToolFacts = Pick<Tool, 'name' | 'needsApproval'>;

/** The tools that runs have, as far as it is known. */
export type ToolsOfRuns = {
	readonly tools: readonly ToolFacts[];
	/** Servers that have not been connected yet as they are configured. */
	readonly unknown: readonly string[];
	/** Toolsets that give nothing, and why. */
	readonly warnings: readonly string[];
	/** Which tools are left out, where there are too many. */
	readonly tooMany?: string;
	/** Whether a tool server is configured and switched on. */
	readonly hasServers: boolean;
};

/** What a job brings along, for a route that fires one. */
export type JobPart = {readonly name: string; readonly target: Target};

/** What a route can make happen. `runTools`: for the toolsets of the route, or of its job. Pure. */
export function capabilityOf(
	route: Route,
	{runTools, job}: {readonly runTools: ToolsOfRuns; readonly job?: JobPart | undefined},
): Capability {
	const starts = startsOf(route);
	const {tools, unknown, warnings, hasServers} =
		starts === 'message' ? {...runTools, tools: [], unknown: [], warnings: []} : runTools;
	const names = (chosen: typeof tools) => chosen.map(({name}) => cell(name, 64).text);
	return {
		starts,
		...(job && {job: cell(job.name, 100).text}),
		tools: names(tools),
		asks: names(tools.filter(({needsApproval}) => needsApproval)),
		unknownServers: unknown.map(name => cell(name, 64).text),
		hasServers,
		unattended: starts !== 'message',
		target: job ? placeOf(job.target) : placeOf({kind: route.deliver, extra: route.deliverExtra}),
		notes: warnings,
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
export function capabilityLine(capability: Capability): string {
	const {starts, job, target} = capability;
	if (starts === 'message') {
		return `no agent runs: each event sends its rendered prompt to ${target}`;
	}

	const what = {
		agent: 'each event starts an agent run',
		group: 'the events of one key start an agent run',
		job: `each event fires the job "${job ?? '?'}"`,
	}[starts];
	return `${what} unattended, ${toolsText(capability)}; the answer goes to ${target}`;
}

function toolsText({tools, asks, unknownServers, hasServers}: Capability): string {
	const unknown =
		unknownServers.length === 0
			? ''
			: `the tools of ${listOf(unknownServers)}, which are not known before ${unknownServers.length === 1 ? 'it is' : 'they are'} connected`;
	if (tools.length === 0) {
		return unknown === ''
			? `without tools${hasServers ? '' : ' (no tool server is configured)'}`
			: `with ${unknown}`;
	}

	const which = `with ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} (${listOf(tools)})`;
	const asking =
		asks.length === 0
			? 'none of which asks a person'
			: `of which ${listOf(asks)} ${asks.length === 1 ? 'asks' : 'ask'} a person first`;
	return `${which}, ${asking}${unknown === '' ? '' : `, and ${unknown}`}`;
}

const listOf = (names: readonly string[]): string =>
	names.length <= shownTools
		? names.join(', ')
		: `${names.slice(0, shownTools).join(', ')} and ${names.length - shownTools} more`;
