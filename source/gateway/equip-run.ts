import {findSkill} from '../agent/skills.ts';
import {selectTools} from '../agent/toolsets.ts';
import type {Logger} from '../core/log.ts';
import type {StoredRun} from '../core/run.ts';
import type {ServerStatus, ServerView} from '../core/tool-server.ts';
import type {LiveServers} from './live-servers.ts';
import type {Equipment} from './work-run.ts';

/**
 * The skill and the tools of a run; `skillsDir` is that of its profile. Only the first skill that is found counts. The run keeps the tools that it starts with,
 * whatever becomes of their servers. Rejects with the reason of `signal`, while tool servers still connect.
 *
 * @see manual/routes.md#keys
 */
export async function equipRun(
	run: StoredRun,
	{
		skillsDir,
		servers,
		log,
		signal,
	}: {
		readonly skillsDir: string;
		readonly servers: Pick<LiveServers, 'toolsOf' | 'views'>;
		readonly log: Logger;
		readonly signal: AbortSignal;
	},
): Promise<Equipment> {
	const {skills} = run.plan;
	const skill = await findSkill(skills, {skillsDir, log});
	if (skills.length > 0 && !skill) {
		log.warn(`None of the skills of the ${run.job ? 'job' : 'route'} was found`, {
			run: run.id,
			skills: skills.join(', '),
		});
	}

	const {tools, warnings, notes} = await toolsFor(run, {servers, signal});
	for (const warning of warnings) {
		log.warn(warning, {run: run.id, route: run.route, job: run.job?.name});
	}

	return {tools, notes: [...warnings, ...notes], ...(skill && {skill})};
}

/** Servers that stand like this have no tools to give, and a person should know why. */
const away: ReadonlySet<ServerStatus> = new Set(['connecting', 'needs login', 'failed', 'parked']);

async function toolsFor(
	{plan: {toolsets}, profile}: StoredRun,
	{
		servers,
		signal,
	}: {readonly servers: Pick<LiveServers, 'toolsOf' | 'views'>; readonly signal: AbortSignal},
) {
	if (toolsets?.length === 0) {
		return {tools: [], warnings: [], notes: []};
	}

	const configured = await servers.toolsOf(profile, signal);
	// A server of which nothing is left has no toolset.
	const available = new Map([...configured].filter(([, tools]) => tools.length > 0));
	const missing = servers
		.views()
		.filter(view => view.profile === profile && away.has(view.status) && !available.has(view.name));
	// Their toolsets exist, with nothing in them for now.
	const known = new Map([...available, ...missing.map(({name}) => [name, []] as const)]);
	return {...selectTools(toolsets, known), notes: missing.map(noteOf)};
}

const noteOf = ({name, status, reason}: ServerView): string =>
	`Tool server "${name}" gives no tools: ${status}${reason === undefined ? '' : ` (${reason})`}`;
