import {mkdirSync} from 'node:fs';
import {type SandboxedToolset, sandboxedToolsets} from '../../config/toolset-settings.ts';
import {absoluteFolder, lieInEachOther, workdirOf} from '../../config/working-folders.ts';
import {jsonHash} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';
import type {Tool} from '../../core/tool.ts';
import type {ToolsPlace, ToolsRun, ToolsSettings, Tried} from '../toolset.ts';
import {type PlanWorld, sandboxPlan, withCheckout} from './plan.ts';
import {probeSandbox} from './probe-sandbox.ts';
import type {SandboxJob} from './run-in-sandbox.ts';
import {systemWorld} from './system-world.ts';

/** Where the tools of a run work: in a sandbox; in none, where that is allowed and `why` is told with each call; or not at all. */
type ToolsSandbox =
	/** `workdir` is the configured folder, also where a checkout stands in for it. */
	| (Pick<SandboxJob, 'launch' | 'plan'> & {readonly kind: 'sandbox'; readonly workdir: string})
	| {
			readonly kind: 'open';
			readonly why: string;
			readonly cwd: string;
			readonly workdir: string;
	  }
	/** `reason` follows a colon. */
	| {readonly kind: 'none'; readonly reason: string};

/** The folder that tools start in; empty where no tools work. */
export const cwdOf = (found: ToolsSandbox): string =>
	found.kind === 'sandbox' ? found.plan.cwd : found.kind === 'open' ? found.cwd : '';

/** Describes a working folder that is a checkout, to a model. */
const checkoutDescription = "a checkout of the pull request's head commit";

/** Where a call works, or why it does not, which follows a colon. */
export type PlaceOfCall = Exclude<ToolsSandbox, {readonly kind: 'none'}> | string;

/** A tool in a sandbox, without the parts that `openSandboxTools` adds to all of them. */
type OwnTool = Pick<Tool, 'name' | 'readOnly' | 'execute'> & {
	readonly preview?: NonNullable<Tool['preview']>;
	/** `where`: the folder in words. */
	readonly describe: (places: {
		readonly folder: string;
		readonly where: string;
	}) => Pick<Tool, 'description' | 'inputSchema'>;
};

/** The tools of a toolset in one run: where they work, and when they ask a person. */
export async function openSandboxTools(of: SandboxedToolset, run: ToolsRun, world: ToolsSettings) {
	const before = await toolsSandbox(of, run, world);
	const folder = cwdOf(before);
	const workdir = before.kind === 'none' ? '' : before.workdir;
	/** Settings count as they are now, but not another folder: the description, the sheet and the rules that a person made name the one of the offer. */
	const placeOfCall = async (): Promise<PlaceOfCall> => {
		const now = await toolsSandbox(of, run, world);
		if (now.kind === 'none') {
			return now.reason;
		}

		return now.kind === before.kind && now.workdir === workdir && cwdOf(now) === folder
			? now
			: 'its working folder, or whether a sandbox works, has changed since the tool was offered: start a new run';
	};

	/** Asks a person unless it changes nothing, or the settings allow changes, and a sandbox keeps it in. */
	const toolOf = ({describe, ...own}: OwnTool): Tool => {
		const {name, readOnly} = own;
		const where = run.checkout ? `${folder}, ${checkoutDescription}` : folder;
		const described = describe({folder, where});
		// A rule is bound to it, and the tool is the same with a checkout and without.
		const {description, inputSchema} = describe({folder: workdir, where: workdir});
		return {
			...own,
			...described,
			// Settings count as they are now: `ask` stops a run that is under way.
			get needsApproval() {
				return before.kind !== 'sandbox' || (!readOnly && world.settings()[of].approval === 'ask');
			},
			asked: {
				from: {kind: 'built-in'},
				profile: run.profile.name,
				tool: name,
				name,
				claims: readOnly ? {readOnly} : {},
				...described,
				definition: jsonHash([name, description, inputSchema]),
				changed: false,
				...(before.kind === 'open' && {why: before.why}),
			},
		};
	};

	/** `folder`: calls start in it. */
	return {folder, isSandbox: before.kind === 'sandbox', placeOfCall, toolOf};
}

/** Tries the sandbox as runs at `place` will find it. */
export async function tryTools(
	of: SandboxedToolset,
	place: ToolsPlace,
	world: ToolsSettings,
): Promise<Tried> {
	const found = await toolsSandbox(of, place, world);
	switch (found.kind) {
		case 'none':
			return {broken: found.reason};

		case 'open':
			return {open: found.why};

		case 'sandbox':
			return {};
	}
}

const realOf = (path: string, {find}: Pick<PlanWorld, 'find'>): string => find(path)?.real ?? path;

const none = (reason: string): ToolsSandbox => ({kind: 'none', reason});

/**
 * The place where the tools of a run work, by the present configuration. A missing working folder is made. Never rejects.
 *
 * @param of whose working folder it is, unless there is a checkout
 * @see manual/sandbox.md
 */
export async function toolsSandbox(
	of: SandboxedToolset,
	{profile, isUnsigned, checkout}: ToolsPlace,
	{settings, sandbox: sandboxNow}: ToolsSettings,
): Promise<ToolsSandbox> {
	const toolsets = settings();
	const sandbox = sandboxNow();
	if (isUnsigned) {
		return none('what touches this machine is not for routes with INSECURE_NO_AUTH');
	}

	if (sandbox.broken !== undefined) {
		return none(sandbox.broken);
	}

	const own = checkout?.of ?? of;
	const workdir = workdirOf(toolsets[own].workdir, profile);
	// A failure shows below: it is not there.
	orElse(() => mkdirSync(workdir, {recursive: true, mode: 0o700}), undefined);
	const list = (paths: readonly string[]) => paths.map(path => absoluteFolder(path, profile));
	const world = systemWorld({...profile, profileHome: profile.home});
	const other = sandboxedToolsets
		.map(name => workdirOf(toolsets[name].workdir, profile))
		.find(folder => lieInEachOther(realOf(workdir, world), realOf(folder, world)));
	if (other !== undefined) {
		return none(
			`workdir: "${workdir}" and "${other}", the working folder of another toolset, lie in each other: a sandbox may put something else in the place of the inner one`,
		);
	}

	const planned = sandboxPlan(
		{
			workdir,
			read: list(sandbox.read),
			write: list(sandbox.write),
			// For files no folder is made in memory.
			memoryBytes: of === 'terminal' ? toolsets.terminal.maxMemoryMb * 2 ** 20 : 0,
		},
		world,
	);
	if (planned.kind === 'problem') {
		const {list: name, path, problem} = planned.problem;
		return none(`${name === 'workdir' ? name : `sandbox.${name}`}: "${path}" ${problem}`);
	}

	const {cwd} = planned.plan;
	const probe = await probeSandbox(profile.environment);
	if (probe.works) {
		const plan = checkout ? withCheckout(planned.plan, checkout.folder) : planned.plan;
		return {kind: 'sandbox', launch: probe.launch, plan, workdir: cwd};
	}

	const why = `no sandbox works here: ${probe.reason}`;
	return sandbox.required
		? none(why)
		: {
				kind: 'open',
				why: `${why}; it runs with all rights of the gateway`,
				cwd: checkout?.folder ?? cwd,
				workdir: cwd,
			};
}
