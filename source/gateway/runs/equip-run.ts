import type {AgentRequest} from '../../agent/runner.ts';
import {activateSkillTool, findSkills, offerOf} from '../../agent/skills.ts';
import type {Config} from '../../config/config.ts';
import type {Environment} from '../../config/environment.ts';
import {isUnsignedRoute} from '../../config/route-refusals.ts';
import type {Route} from '../../config/route.ts';
import type {ToolsetsConfig} from '../../config/toolset-settings.ts';
import {sandboxPlaces} from '../../config/working-folders.ts';
import {isTurn, originOf} from '../../core/origin.ts';
import type {StoredRun} from '../../core/run.ts';
import type {ServerStatus, ServerView} from '../../core/tool-server.ts';
import type {Tool} from '../../core/tool.ts';
import {namesServer, needsServer, selectTools, serverToolset} from '../../core/toolsets.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {ToolsRun, ToolsWorld, ToolsPlace} from '../../tools/toolset.ts';
import {openBuiltIn, triedSettings} from '../../tools/toolsets.ts';
import type {LiveServers, ToolsByServer} from '../servers/live-servers.ts';
import type {ServerWait} from '../servers/wait-for-servers.ts';
import type {CheckoutPlace} from './get-checkout.ts';
import {forgeOfRun, placeCheckout} from './place-checkout.ts';

/** What a run needs besides its plan, looked up when it starts. */
export type Equipment = Pick<AgentRequest, 'skill' | 'offered' | 'tools' | 'maxSchemaTokens'> & {
	/** Clean sentences for a person who reads the run. */
	readonly notes: readonly string[];
	/** Servers named by the run's toolsets that need a login, for which the run may wait. */
	readonly logins: readonly string[];
	/** The empty folder for the run's checkout, or why there is none; absent when the run wants none. */
	readonly checkout?: CheckoutPlace;
};

/** The sources of a run's equipment. */
export type EquipWorld = Omit<ToolsWorld, 'settings' | 'sandbox'> & {
	readonly config: () => Pick<Config, 'profiles' | 'toolsets' | 'tools' | 'sandbox' | 'forge'>;
	/** The process's own environment. */
	readonly environment: Environment;
	/** Whether the route accepts unsigned events. */
	readonly isUnsigned: (profile: string, route: string) => boolean;
	readonly servers: Pick<LiveServers, 'toolsOf' | 'views'>;
};

/** Options for equipping one run. */
export type EquipOptions = {
	readonly signal: AbortSignal;
	/** Adds a sentence to the run's transcript at once; must not throw. */
	readonly note: (text: string) => void;
	/** Disposed of when the run ends, together with its tools. */
	readonly stack: AsyncDisposableStack;
};

/**
 * Finds the skills and tools of a run. The first skill found is loaded; the others are only offered in a chat with tools, whose model may activate them. The run keeps the
 * tools it starts with, whatever happens to their servers. Waits only for servers of its toolsets, and tells `note` of a wait that a person would notice. Rejects with the
 * reason of `signal` if that aborts while servers are connecting.
 *
 * @see manual/routes.md#keys
 */
export async function equipRun(
	run: StoredRun,
	world: EquipWorld,
	options: EquipOptions,
): Promise<Equipment> {
	const {
		skills: [skill, ...offered],
		problems,
		none,
		skillsDir,
	} = skillsFor(run, world);
	const {tools, warnings, notes, logins, checkout} = await toolsFor(run, world, {
		...options,
		always:
			offered.length === 0
				? []
				: [
						activateSkillTool(
							offered.map(({name}) => name),
							skillsDir,
						),
					],
	});
	const told = [...none, ...warnings];
	for (const warning of [...problems, ...told]) {
		world.log.warn(warning, {run: run.id, route: run.route, job: run.job?.name});
	}

	return {
		tools,
		maxSchemaTokens: world.config().tools.maxSchemaTokens,
		notes: [...told, ...notes],
		logins,
		...(checkout && {checkout}),
		...(skill && {skill}),
		...(offered.length > 0 && {offered: offered.map(offerOf)}),
	};
}

/** Maximum number of skills described in one request to a model. */
const maxOffered = 50;

/** `none`: sentences that say that no skill was found. */
function skillsFor(run: StoredRun, {config}: Pick<EquipWorld, 'config'>) {
	const {skills: names, toolsets} = run.plan;
	if (names.length === 0) {
		return {skills: [], problems: [], none: [], skillsDir: ''};
	}

	const skillsDir = config().profiles.of(run.profile).paths.skills;
	const mayActivate = isTurn(originOf(run)) && toolsets?.length !== 0;
	const found = findSkills(names, {skillsDir, most: mayActivate ? 1 + maxOffered : 1});
	return {
		...found,
		skillsDir,
		none:
			found.skills.length === 0
				? [
						`None of the skills of the ${ownerOf(run)} was found: ${listed(names)} (svc skills list)`,
					]
				: [],
	};
}

/** The owner of the run's skills and toolsets, by name: the log shows its warnings among those of other owners. */
function ownerOf(run: StoredRun): string {
	const origin = originOf(run);
	switch (origin.kind) {
		case 'delivery':
			return origin.job ? `job ${quoted(origin.job.name)}` : `route ${quoted(origin.route)}`;

		case 'job':
			return `job ${quoted(origin.job.name)}`;

		case 'key':
		case 'person':
			return 'model of the chat';

		case 'chat':
			return 'platform';
	}
}

/** States of servers that give no tools, which a person should know. */
const away: ReadonlySet<ServerStatus> = new Set(['connecting', 'needs login', 'failed', 'parked']);

async function toolsFor(
	run: StoredRun,
	world: EquipWorld,
	{signal, note, stack, always}: EquipOptions & {readonly always: readonly Tool[]},
): Promise<
	Pick<Equipment, 'checkout' | 'logins' | 'notes'> & ReturnType<typeof selectTools<Tool>>
> {
	const {plan, profile} = run;
	const {toolsets, prefetch} = plan;
	const {servers} = world;
	// A run without tools needs no server, sandbox or client.
	if (toolsets?.length === 0 && !prefetch?.what.includes('checkout')) {
		return {tools: [], warnings: [], notes: [], logins: []};
	}

	const selecting = {always, of: ` of the ${ownerOf(run)}`};
	const isNeeded = (server: string) => needsServer(toolsets, server);
	const configured: ToolsByServer =
		toolsets?.length === 0
			? new Map()
			: await servers.toolsOf(profile, signal, {
					isNeeded,
					onWait: wait => note(waitNote(wait)),
				});
	// A server whose tools are all filtered out has no toolset.
	const available = new Map([...configured].filter(([, tools]) => tools.length > 0));
	const views = servers.views().filter(view => view.profile === profile && isNeeded(view.name));
	const missing = views.filter(({name, status}) => away.has(status) && !available.has(name));
	// Known tools of such a server do not help: their calls would fail.
	const logins = views
		.filter(({name, status}) => status === 'needs login' && namesServer(toolsets, name))
		.map(({name}) => name);
	// The toolsets of missing servers exist, but are empty for now.
	const known = [...available, ...missing.map(({name}) => [name, []] as const)];
	const config = world.config();
	const places = placesOf(run.profile, config);
	const toolsRun: ToolsRun = {
		id: run.id,
		signal,
		note,
		profile: places,
		forge: forgeOfRun(run, {
			clock: world.clock,
			forge: config.forge,
			environments: {own: world.environment, profile: config.profiles.of(profile).environment},
			signal,
		}),
		isUnsigned: run.route !== undefined && world.isUnsigned(profile, run.route),
	};
	const toolsWorld: ToolsWorld = {
		...world,
		settings: () => world.config().toolsets,
		sandbox: () => world.config().sandbox,
	};
	const checkout = await placeCheckout(run, {run: toolsRun, world: toolsWorld}, stack);
	const ofOurs = await openBuiltIn(
		toolsets,
		{...toolsRun, ...(checkout?.kind === 'folder' && {checkout})},
		toolsWorld,
		stack,
	);
	return {
		...selectTools(toolsets, [...known.map(serverToolset), ...ofOurs], selecting),
		notes: missing.map(noteOf),
		logins,
		...(checkout && {checkout}),
	};
}

const noteOf = ({name, status, reason}: ServerView): string =>
	`Tool server "${name}" gives no tools: ${status}${reason === undefined ? '' : ` (${reason})`}`;

const quoted = (name: string): string => `"${escapeLine(name, 64)}"`;

/** Maximum number of names listed; the others are counted. */
const maxNames = 5;

function listed(names: readonly string[]): string {
	const shown = names.slice(0, maxNames).map(quoted);
	const more = names.length - shown.length;
	return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const waitNote = ({servers, mostMs}: Parameters<NonNullable<ServerWait['onWait']>>[0]): string =>
	`Waits for tool server${servers.length === 1 ? '' : 's'} ${listed(servers)} to connect, ${mostMs / 1000} s at most: svc mcp list`;

/** Where the tools of a profile work. */
export function placesOf(
	name: string,
	{profiles}: Pick<Config, 'profiles'>,
): ToolsPlace['profile'] {
	const {paths, environment} = profiles.of(name);
	return {name, ...sandboxPlaces(paths, environment)};
}

/** The settings of toolsets as runs of a route get them, with the reason for each of `toolsets` without a working sandbox. Creates their working folders. */
export const settingsOfRuns = async (
	route: Pick<Route, 'profile' | 'secrets'>,
	toolsets: readonly string[] | undefined,
	config: Pick<Config, 'profiles' | 'toolsets' | 'sandbox'>,
): Promise<ToolsetsConfig> =>
	triedSettings(
		toolsets,
		{profile: placesOf(route.profile, config), isUnsigned: isUnsignedRoute(route)},
		{settings: () => config.toolsets, sandbox: () => config.sandbox},
	);
