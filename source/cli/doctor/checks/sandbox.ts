import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Config} from '../../../config/config.ts';
import {isUnsignedRoute} from '../../../config/route-refusals.ts';
import type {ToolsetsConfig} from '../../../config/toolset-settings.ts';
import {workdirOf} from '../../../config/working-folders.ts';
import {quotedName} from '../../../core/names.ts';
import {placesOf} from '../../../gateway/runs/equip-run.ts';
import {whyNoControlGroups} from '../../../tools/sandbox/control-group.ts';
import {probeSandbox} from '../../../tools/sandbox/probe-sandbox.ts';
import {triedSettings} from '../../../tools/toolsets.ts';
import type {Context} from '../../console/context.ts';
import {type Check, failed, type CheckResult, ok, unread, warning} from './check.ts';
import {jobsOf, routesOf} from './users.ts';

/** Whether a sandbox works for agents' commands, and which routes and jobs would lose tools. Without one, only features that use it are missing. */
export const sandbox: Check = {
	subject: 'sandbox',
	asks: true,
	async look({context, config}) {
		if (!config) {
			return unread;
		}

		const {required, broken} = config.sandbox;
		if (broken !== undefined) {
			return failed(broken, 'svc config check');
		}

		const probe = await probeSandbox(context.environment);
		const lost = await lostTools(context, config);
		if (probe.works) {
			return [
				ok(
					`${probe.name}, ${probe.program}; processes and memory of a call are ${howCounted(process)}`,
				),
				...lost,
			];
		}

		return lost.length > 0
			? lost
			: warning(
					`no sandbox works here: ${probe.reason}; ${required ? 'the toolsets terminal and file are not offered' : 'each call of terminal and file asks (sandbox.required: false)'}`,
					'svc help sandbox',
				);
	},
};

/** How limits are counted. The doctor is in another control group than the gateway, so can only tell what the machine supports. */
function howCounted({platform}: Pick<NodeJS.Process, 'platform'>): string {
	if (platform !== 'linux') {
		return 'not counted';
	}

	const reason = whyNoControlGroups();
	return reason === undefined
		? 'counted in a control group where the gateway may make some, else by looking every 25 ms: it finds out with its first call'
		: `counted by looking every 25 ms (no control group: ${reason})`;
}

const inSandbox = ['terminal', 'file'] as const;

/** The routes and jobs that name the toolsets, by profile. Routes without signatures never get them. */
function usersOf(context: Context, config: Config) {
	const routes = routesOf(context, config)
		.filter(route => !route.deliverOnly && route.cronJob === undefined && !isUnsignedRoute(route))
		.map(({name, profile, toolsets}) => ({who: quotedName(name), profile, toolsets}));
	const jobs = jobsOf(context, config).map(({job: {name, toolsets}, profile}) => ({
		who: `the job ${quotedName(name)}`,
		profile,
		toolsets,
	}));
	return Map.groupBy([...routes, ...jobs], ({profile}) => profile);
}

/** The toolsets that routes or jobs name but runs do not get, as found by a trial; each reason once per profile. */
async function lostTools(context: Context, config: Config): Promise<readonly CheckResult[]> {
	const found: CheckResult[] = [];
	for (const [name, users] of usersOf(context, config)) {
		const named = inSandbox.filter(toolset =>
			users.some(({toolsets}) => toolsets?.includes(toolset)),
		);
		const profile = placesOf(name, config);
		// oxlint-disable-next-line no-await-in-loop -- profiles are few, and each tries the same sandbox
		await using places = await withFolders(config.toolsets, profile);
		// oxlint-disable-next-line no-await-in-loop -- as above
		const tried = await triedSettings(
			named,
			{profile, isUnsigned: false},
			{settings: () => places.settings, sandbox: () => config.sandbox},
		);
		const dropped = named.filter(
			toolset =>
				tried[toolset].broken !== undefined && config.toolsets[toolset].broken === undefined,
		);
		for (const [reason = '', toolsets] of Map.groupBy(dropped, one => tried[one].broken)) {
			const losing = users.filter(user => toolsets.some(one => user.toolsets?.includes(one)));
			found.push(
				failed(
					`${toolsets.join(' and ')}: not offered to ${losing.map(({who}) => who).join(', ')}: ${reason}`,
					'svc help sandbox',
					name === 'default' ? undefined : `of ${name}`,
				),
			);
		}
	}

	return found;
}

/** The settings with temporary folders in place of working folders that the first run would create: the doctor creates nothing in the home. */
async function withFolders(
	toolsets: ToolsetsConfig,
	profile: ReturnType<typeof placesOf>,
): Promise<AsyncDisposable & {readonly settings: ToolsetsConfig}> {
	const missing = inSandbox.filter(name => !existsSync(workdirOf(toolsets[name].workdir, profile)));
	if (missing.length === 0) {
		return {settings: toolsets, async [Symbol.asyncDispose]() {}};
	}

	const folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
	await Promise.all(missing.map(async name => mkdir(join(folder, name))));
	return {
		settings: {
			...toolsets,
			...Object.fromEntries(
				missing.map(name => [name, {...toolsets[name], workdir: join(folder, name)}]),
			),
		},
		async [Symbol.asyncDispose]() {
			await rm(folder, {recursive: true, force: true});
		},
	};
}
