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

/** Where a run's tools work: in a sandbox; without one, if allowed, giving `why` on each call; or not at all. */
type ToolsSandbox =
	/** `workdir` is the configured folder, even if a checkout replaces it. */
	| (Pick<SandboxJob, 'launch' | 'plan'> & {readonly kind: 'sandbox'; readonly workdir: string})
	| {
			readonly kind: 'open';
			readonly why: string;
			readonly cwd: string;
			readonly workdir: string;
	  }
	/** `reason` follows a colon. */
	| {readonly kind: 'none'; readonly reason: string};

/** The folder in which tools start; empty if none work. */
export const cwdOf = (found: ToolsSandbox): string =>
	found.kind === 'sandbox' ? found.plan.cwd : found.kind === 'open' ? found.cwd : '';

/** Describes a working folder that is a checkout to a model. */
const checkoutDescription = "a checkout of the pull request's head commit";

/** Where a call works, or why it cannot; the reason follows a colon. */
export type PlaceOfCall = Exclude<ToolsSandbox, {readonly kind: 'none'}> | string;

/** A tool in a sandbox, without the parts that `openSandboxTools` adds. */
type OwnTool = Pick<Tool, 'name' | 'readOnly' | 'execute'> & {
	readonly preview?: NonNullable<Tool['preview']>;
	/** `where`: the folder in words. */
	readonly describe: (places: {
		readonly folder: string;
		readonly where: string;
	}) => Pick<Tool, 'description' | 'inputSchema'>;
};

/** The tools of a toolset for one run: where they work, and when they need approval. */
export async function openSandboxTools(of: SandboxedToolset, run: ToolsRun, world: ToolsSettings) {
	const before = await toolsSandbox(of, run, world);
	const folder = cwdOf(before);
	const workdir = before.kind === 'none' ? '' : before.workdir;
	/** The current settings apply, except a changed folder: the tool's description, the approval sheet and a person's rules name the original one. */
	const placeOfCall = async (): Promise<PlaceOfCall> => {
		const now = await toolsSandbox(of, run, world);
		if (now.kind === 'none') {
			return now.reason;
		}

		return now.kind === before.kind && now.workdir === workdir && cwdOf(now) === folder
			? now
			: 'its working folder, or whether a sandbox works, has changed since the tool was offered: start a new run';
	};

	/** A call needs approval, unless the tool changes nothing or the settings allow changes, and a sandbox confines it. */
	const toolOf = ({describe, ...own}: OwnTool): Tool => {
		const {name, readOnly} = own;
		const where = run.checkout ? `${folder}, ${checkoutDescription}` : folder;
		const described = describe({folder, where});
		// Rules are bound to this description, which is the same with and without a checkout.
		const {description, inputSchema} = describe({folder: workdir, where: workdir});
		return {
			...own,
			...described,
			// Read from the current settings: setting `ask` affects a run in progress.
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

	/** `folder`: where calls start. */
	return {folder, isSandbox: before.kind === 'sandbox', placeOfCall, toolOf};
}

/** Tries the sandbox for runs at `place`. */
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
 * Where a run's tools work, by the current configuration. Creates a missing working folder. Never rejects.
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
	// A failure shows below, as a missing folder.
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
			// The file tools get no folders in memory.
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
