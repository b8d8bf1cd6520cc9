import {mkdirSync} from 'node:fs';
import type {SandboxConfig} from '../../config/toolset-settings.ts';
import {absoluteFolder, lieInEachOther, workdirOf} from '../../config/working-folders.ts';
import type {ToolsPlace} from '../toolset.ts';
import {type PlanWorld, type SandboxPlan, sandboxPlan} from './plan.ts';
import {probeSandbox} from './probe-sandbox.ts';
import type {LaunchInSandbox} from './run-in-sandbox.ts';
import {systemWorld} from './system-world.ts';

/** Where the tools of a run work: in a sandbox; in none, where that is allowed and `why` is told with each call; or not at all. */
export type ToolsSandbox =
	| {readonly kind: 'sandbox'; readonly launch: LaunchInSandbox; readonly plan: SandboxPlan}
	| {readonly kind: 'open'; readonly why: string; readonly cwd: string}
	/** `reason` follows a colon. */
	| {readonly kind: 'none'; readonly reason: string};

const realOf = (path: string, {find}: Pick<PlanWorld, 'find'>): string => find(path)?.real ?? path;

/**
 * What the tools of a run work in, as it is configured. The working folder is made when it is missing. Never rejects.
 *
 * @see manual/sandbox.md
 */
export async function toolsSandbox(
	{profile, isUnsigned}: ToolsPlace,
	{
		sandbox,
		workdir: written,
		memoryBytes,
		others,
	}: {
		readonly sandbox: SandboxConfig;
		readonly workdir: string | undefined;
		readonly memoryBytes: number;
		/** Working folders of other toolsets, as they are written. */
		readonly others: ReadonlyArray<string | undefined>;
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

	const workdir = workdirOf(written, profile);
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
	const other = others
		.map(path => workdirOf(path, profile))
		.find(path => lieInEachOther(realOf(workdir, world), realOf(path, world)));
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

	const probe = await probeSandbox(profile.environment);
	if (probe.works) {
		return {kind: 'sandbox', launch: probe.launch, plan: planned.plan};
	}

	const why = `no sandbox works here: ${probe.reason}`;
	return sandbox.required
		? {kind: 'none', reason: why}
		: {kind: 'open', why, cwd: planned.plan.cwd};
}
