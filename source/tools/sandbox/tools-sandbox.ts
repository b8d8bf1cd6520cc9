import {mkdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {SandboxConfig} from '../../config/toolset-settings.ts';
import type {ToolsRun} from '../toolset.ts';
import {type SandboxPlan, sandboxPlan} from './plan.ts';
import {probeSandbox} from './probe-sandbox.ts';
import {systemWorld} from './system-world.ts';

/** Where the tools of a run work: in a sandbox; in none, where that is allowed and `why` is told with each call; or not at all. */
export type ToolsSandbox =
	| {readonly kind: 'sandbox'; readonly bwrap: string; readonly plan: SandboxPlan}
	| {readonly kind: 'open'; readonly why: string; readonly cwd: string}
	/** `reason` follows a colon. */
	| {readonly kind: 'none'; readonly reason: string};

/** The working folder of a toolset: `written`, or `work` in the folder of the profile. */
export const workdirOf = (
	written: string | undefined,
	{home, userHome}: Pick<ToolsRun['profile'], 'home' | 'userHome'>,
): string => (written === undefined ? join(home, 'work') : absolute(written, userHome));

const absolute = (path: string, userHome: string): string =>
	resolve(path === '~' || path.startsWith('~/') ? join(userHome, path.slice(1)) : path);

/**
 * What the tools of a run work in, as it is configured. The working folder is made when it is missing. Never rejects.
 *
 * @see manual/sandbox.md
 */
export async function toolsSandbox(
	{profile, isUnsigned}: Pick<ToolsRun, 'profile' | 'isUnsigned'>,
	{
		sandbox,
		workdir: written,
		memoryBytes,
	}: {
		readonly sandbox: SandboxConfig;
		readonly workdir: string | undefined;
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

	const workdir = workdirOf(written, profile);
	try {
		mkdirSync(workdir, {recursive: true, mode: 0o700});
	} catch {
		// It is said below that it is not there.
	}

	const list = (paths: readonly string[]) => paths.map(path => absolute(path, profile.userHome));
	const planned = sandboxPlan(
		{workdir, read: list(sandbox.read), write: list(sandbox.write), memoryBytes},
		systemWorld({
			userHome: profile.userHome,
			svcHome: profile.svcHome,
			profileHome: profile.home,
			environment: profile.environment,
		}),
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
		return {kind: 'sandbox', bwrap: probe.bwrap, plan: planned.plan};
	}

	const why = `no sandbox works here: ${probe.reason}`;
	return sandbox.required
		? {kind: 'none', reason: why}
		: {kind: 'open', why, cwd: planned.plan.cwd};
}
