import {mkdirSync} from 'node:fs';
import {
	type SandboxConfig,
	type SandboxedToolset,
	sandboxedToolsets,
	type ToolsetsConfig,
} from '../../config/toolset-settings.ts';
import {absoluteFolder, lieInEachOther, workdirOf} from '../../config/working-folders.ts';
import type {ToolsPlace} from '../toolset.ts';
import {type PlanWorld, type SandboxPlan, sandboxPlan, withCheckout} from './plan.ts';
import {probeSandbox} from './probe-sandbox.ts';
import type {LaunchInSandbox} from './run-in-sandbox.ts';
import {systemWorld} from './system-world.ts';

/** Where the tools of a run work: in a sandbox; in none, where that is allowed and `why` is told with each call; or not at all. */
export type ToolsSandbox =
	| {
			readonly kind: 'sandbox';
			readonly launch: LaunchInSandbox;
			readonly plan: SandboxPlan;
			/** As it is configured, whatever checkout stands in its place. */
			readonly workdir: string;
	  }
	| {
			readonly kind: 'open';
			readonly why: string;
			readonly cwd: string;
			readonly workdir: string;
	  }
	/** `reason` follows a colon. */
	| {readonly kind: 'none'; readonly reason: string};

/** The folder that tools start in; empty where there are none. */
export const cwdOf = (found: ToolsSandbox): string =>
	found.kind === 'sandbox' ? found.plan.cwd : found.kind === 'open' ? found.cwd : '';

/**
 * Where a call works whose tool was offered for `before`; else why it cannot, which follows a colon. Settings count as they are now, but not another folder: the description, the sheet and the rules that a person made name the one of the offer.
 */
export function placeOfCall(
	now: ToolsSandbox,
	before: ToolsSandbox,
): Exclude<ToolsSandbox, {readonly kind: 'none'}> | string {
	if (now.kind === 'none') {
		return now.reason;
	}

	const isAsOffered =
		now.kind === before.kind && now.workdir === before.workdir && cwdOf(now) === cwdOf(before);
	return isAsOffered
		? now
		: 'its working folder, or whether a sandbox works, has changed since the tool was offered: start a new run';
}

/** How the working folder is told of to a model, where a checkout is in its place. */
export const ofCheckout = "a checkout of the pull request's head commit";

const realOf = (path: string, {find}: Pick<PlanWorld, 'find'>): string => find(path)?.real ?? path;

/**
 * What the tools of a run work in, as it is configured. The working folder is made when it is missing. Never rejects.
 *
 * @see manual/sandbox.md
 */
export async function toolsSandbox(
	{profile, isUnsigned, checkout}: ToolsPlace,
	{
		sandbox,
		toolsets,
		of,
		memoryBytes,
	}: {
		readonly sandbox: SandboxConfig;
		readonly toolsets: Pick<ToolsetsConfig, SandboxedToolset>;
		/** Whose working folder it is, unless there is a checkout. */
		readonly of: SandboxedToolset;
		readonly memoryBytes: number;
	},
): Promise<ToolsSandbox> {
	if (isUnsigned) {
		return {
			kind: 'none',
			reason: 'what touches this machine is not for routes with INSECURE_NO_AUTH',
		};
	}

	if (sandbox.broken !== undefined) {
		return {kind: 'none', reason: sandbox.broken};
	}

	const own = checkout?.of ?? of;
	const workdir = workdirOf(toolsets[own].workdir, profile);
	try {
		mkdirSync(workdir, {recursive: true, mode: 0o700});
	} catch {
		// It is said below that it is not there.
	}

	const list = (paths: readonly string[]) => paths.map(path => absoluteFolder(path, profile));
	const world = systemWorld({
		userHome: profile.userHome,
		svcHome: profile.svcHome,
		profileHome: profile.home,
		environment: profile.environment,
	});
	const other = sandboxedToolsets
		.map(name => workdirOf(toolsets[name].workdir, profile))
		.find(folder => lieInEachOther(realOf(workdir, world), realOf(folder, world)));
	if (other !== undefined) {
		return {
			kind: 'none',
			reason: `workdir: "${workdir}" and "${other}", the working folder of another toolset, lie in each other: a sandbox may put something else in the place of the inner one`,
		};
	}

	const planned = sandboxPlan(
		{workdir, read: list(sandbox.read), write: list(sandbox.write), memoryBytes},
		world,
	);
	if (planned.kind === 'problem') {
		const {list: name, path, problem} = planned.problem;
		return {
			kind: 'none',
			reason: `${name === 'workdir' ? name : `sandbox.${name}`}: "${path}" ${problem}`,
		};
	}

	const {cwd} = planned.plan;
	const probe = await probeSandbox(profile.environment);
	if (probe.works) {
		const plan = checkout ? withCheckout(planned.plan, checkout.folder) : planned.plan;
		return {kind: 'sandbox', launch: probe.launch, plan, workdir: cwd};
	}

	const why = `no sandbox works here: ${probe.reason}`;
	return sandbox.required
		? {kind: 'none', reason: why}
		: {kind: 'open', why, cwd: checkout?.folder ?? cwd, workdir: cwd};
}
