import {findSkill} from '../../agent/skills.ts';
import {namesServer, selectTools} from '../../agent/toolsets.ts';
import type {Logger} from '../../core/log.ts';
import {originOf} from '../../core/origin.ts';
import type {StoredRun} from '../../core/run.ts';
import type {ServerStatus, ServerView} from '../../core/tool-server.ts';
import {needsServer} from '../../core/toolset-names.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import type {ServerWait} from '../servers/wait-for-servers.ts';
import type {Equipment} from './work-run.ts';

/**
 * The skill and the tools of a run; `skillsDir` is that of its profile. Only the first skill that is found counts. The run keeps the tools that it starts with,
 * whatever becomes of their servers. Waits for the servers of its toolsets alone, and tells `note` of a wait that a person would notice. Rejects with the reason of
 * `signal`, while tool servers still connect.
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
		note,
	}: {
		readonly skillsDir: string;
		readonly servers: Pick<LiveServers, 'toolsOf' | 'views'>;
		readonly log: Logger;
		readonly signal: AbortSignal;
		/** Shows a sentence in the run at once; must not throw. */
		readonly note: (text: string) => void;
	},
): Promise<Equipment> {
	const {skills} = run.plan;
	const skill = await findSkill(skills, {skillsDir, log});
	if (skills.length > 0 && !skill) {
		log.warn(`None of the skills of the ${skillsFrom(run)} was found`, {
			run: run.id,
			skills: skills.join(', '),
		});
	}

	const {tools, warnings, notes, logins} = await toolsFor(run, {servers, signal, note});
	for (const warning of warnings) {
		log.warn(warning, {run: run.id, route: run.route, job: run.job?.name});
	}

	return {tools, notes: [...warnings, ...notes], logins, ...(skill && {skill})};
}

/** What names the skills of a run. */
function skillsFrom(run: StoredRun): string {
	const origin = originOf(run);
	switch (origin.kind) {
		case 'delivery':
			return origin.job ? 'job' : 'route';

		case 'job':
			return 'job';

		case 'key':
		case 'person':
			return 'model of the chat';

		case 'chat':
			return 'platform';
	}
}

/** Servers that stand like this have no tools to give, and a person should know why. */
const away: ReadonlySet<ServerStatus> = new Set(['connecting', 'needs login', 'failed', 'parked']);

async function toolsFor(
	{plan: {toolsets}, profile}: StoredRun,
	{
		servers,
		signal,
		note,
	}: {
		readonly servers: Pick<LiveServers, 'toolsOf' | 'views'>;
		readonly signal: AbortSignal;
		readonly note: (text: string) => void;
	},
) {
	if (toolsets?.length === 0) {
		return {tools: [], warnings: [], notes: [], logins: []};
	}

	const isNeeded = (server: string) => needsServer(toolsets, server);
	const configured = await servers.toolsOf(profile, signal, {
		isNeeded,
		onWait(wait) {
			note(waitNote(wait));
		},
	});
	// A server of which nothing is left has no toolset.
	const available = new Map([...configured].filter(([, tools]) => tools.length > 0));
	const views = servers.views().filter(view => view.profile === profile && isNeeded(view.name));
	const missing = views.filter(({name, status}) => away.has(status) && !available.has(name));
	// Its tools may be known from before: no call of them would succeed.
	const logins = views
		.filter(({name, status}) => status === 'needs login' && namesServer(toolsets, name))
		.map(({name}) => name);
	// Their toolsets exist, with nothing in them for now.
	const known = new Map([...available, ...missing.map(({name}) => [name, []] as const)]);
	return {...selectTools(toolsets, known), notes: missing.map(noteOf), logins};
}

const noteOf = ({name, status, reason}: ServerView): string =>
	`Tool server "${name}" gives no tools: ${status}${reason === undefined ? '' : ` (${reason})`}`;

/** Names that are told of; a person looks the others up. */
const maxNames = 5;

function waitNote({servers, mostMs}: Parameters<NonNullable<ServerWait['onWait']>>[0]): string {
	const names = servers.slice(0, maxNames).map(name => `"${name}"`);
	const more = servers.length - names.length;
	const list = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
	return `Waits for tool server${servers.length === 1 ? '' : 's'} ${list} to connect, ${mostMs / 1000} s at most: svc mcp list`;
}
