import {isDeepStrictEqual} from 'node:util';
import {prefetchedBy} from '../../config/code-host-events.ts';
import {viewOfRoute} from '../../config/route-view.ts';
import type {Route} from '../../config/route.ts';
import {sandboxedToolsets, toolsetsWithout} from '../../config/toolset-settings.ts';
import {countOf} from '../../core/names.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {toolsOf} from '../../gateway/receiver/route-facts.ts';
import {settingsOfRuns} from '../../gateway/runs/equip-run.ts';
import {placeOf} from '../../platforms/platforms.ts';
import type {JobDefinition} from '../../schedule/job.ts';
import type {Context} from '../console/context.ts';
import {readConfig} from '../home/receiver-facts.ts';
import {serversInFileOrder, serversOf} from '../mcp/find-servers.ts';

type Capability = Awaited<ReturnType<typeof capabilityOf>>;

type RunTools = {
	readonly profile: string;
	readonly toolsets: readonly string[] | undefined;
	/** The route, for which a sandbox is tried if its toolsets need one. */
	readonly route?: Route;
};

/** The tools that a profile's runs would have for these toolsets, as far as known without connecting to servers. */
export async function toolsOfRuns(context: Context, {profile, toolsets, route}: RunTools) {
	const all = serversInFileOrder(context, await serversOf(context, profile));
	const servers = all.filter(({status}) => status !== 'skipped');
	const config = readConfig(context);
	const settings = route ? await settingsOfRuns(route, toolsets, config) : config.toolsets;
	return {
		...toolsOf(toolsets, {servers, settings, maxSchemaTokens: config.tools.maxSchemaTokens}),
		hasServers: servers.length > 0,
		/** Including the reasons why toolsets are dropped. */
		settings,
		unnamed: sandboxedToolsets.filter(
			name =>
				toolsets?.includes(name) !== true &&
				!isDeepStrictEqual(config.toolsets[name], toolsetsWithout()[name]),
		),
	};
}

/** What an event starts: a run, a run shared with others of its key, a job, or no agent. */
const starts = {
	agent: 'agent',
	coalesce: 'group',
	cron_job: 'job',
	deliver_only: 'message',
} as const;

const noTools = {tools: [], unknownServers: [], notes: []};

/** What an event with a route's secret can cause; `job`: the job that it fires. Texts are escaped. */
export async function capabilityOf(context: Context, route: Route, job: JobDefinition | undefined) {
	const {mode} = viewOfRoute(route);
	const {profile, deliver, deliverExtra} = route;
	const {toolsets} = job ?? route;
	const found = await toolsOfRuns(context, {profile, toolsets, route});
	const {tools, unknownServers, notes} = mode === 'deliver_only' ? noTools : found;
	const worksInFiles = sandboxedToolsets.some(
		name => toolsets?.includes(name) && found.settings[name].broken === undefined,
	);
	const prefetch = prefetchedBy(route).filter(what => what !== 'checkout' || worksInFiles);
	return {
		starts: starts[mode],
		...(job && {job: escapeLine(job.name, 100)}),
		tools: tools.map(({name}) => name),
		/** The tools that may change something. */
		changes: tools.filter(({changes}) => changes).map(({name}) => name),
		/** The tools that need approval for each call. */
		asks: tools.filter(({asks}) => asks).map(({name}) => name),
		/** Servers whose tools are still unknown, and will be added. */
		unknownServers,
		hasServers: found.hasServers,
		/** Built-in toolsets that are configured, but not named. */
		...(found.unnamed.length > 0 && {unnamed: found.unnamed}),
		/** Whether runs start without asking a person. */
		unattended: mode !== 'deliver_only',
		target: placeOf(job?.target ?? {kind: deliver, extra: deliverExtra}),
		/** What the gateway fetches before each run about the event's pull request. */
		...(prefetch.length > 0 && {prefetch}),
		/** Toolsets that provide nothing, with reasons; and whether tools are deferred. */
		notes,
	};
}

/** A capability as one line. */
export function capabilityLine(capability: Capability): string {
	const {job = '?', target, prefetch} = capability;
	const got = prefetch
		? `, with the ${prefetch.join(' and the ')} of the event's pull request`
		: '';
	const what = {
		agent: 'each event starts an agent run',
		group: 'the events of one key start an agent run',
		job: `each event fires the job "${job}"`,
		message: '',
	}[capability.starts];
	return what === ''
		? `no agent runs: each event sends its rendered prompt to ${target}`
		: `${what} unattended${got}, ${toolsText(capability)}; the answer goes to ${target}`;
}

function toolsText({
	tools,
	changes,
	asks,
	unknownServers,
	hasServers,
	unnamed = [],
}: Capability): string {
	const unknown =
		unknownServers.length === 0
			? ''
			: `the tools of ${listOf(unknownServers)}, which are not known before ${unknownServers.length === 1 ? 'it is' : 'they are'} connected`;
	if (tools.length === 0) {
		const why = [
			...(hasServers ? [] : ['no tool server is configured']),
			...(unnamed.length === 0
				? []
				: [`name ${unnamed.join(' or ')} in its toolsets: svc help routes`]),
		];
		return unknown === ''
			? `without tools${why.length === 0 ? '' : ` (${why.join('; ')})`}`
			: `with ${unknown}`;
	}

	const asking =
		asks.length === 0
			? 'none of which asks a person'
			: `of which ${listOf(asks)} ${asks.length === 1 ? 'asks' : 'ask'} a person first`;
	// Lists the changing tools by name, however many: none may be hidden behind a number.
	const named =
		tools.length <= shownTools || changes.length === 0
			? listOf(tools)
			: `of which ${changes.length} may change things: ${changes.join(', ')}`;
	return `with ${countOf(tools.length, 'tool')} (${named}), ${asking}${unknown === '' ? '' : `, and ${unknown}`}`;
}

const shownTools = 5;

const listOf = (names: readonly string[]): string =>
	names.length <= shownTools
		? names.join(', ')
		: `${names.slice(0, shownTools).join(', ')} and ${names.length - shownTools} more`;
