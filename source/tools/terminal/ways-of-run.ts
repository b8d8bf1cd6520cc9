import {messageOf} from '../../core/errors.ts';
import {cell} from '../../core/untrusted.ts';
import type {SandboxPlan} from '../sandbox/plan.ts';
import {openHosts, type WayOut, withWaysOut} from '../sandbox/ways-out.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';
import {openForge, withForgePrograms} from './open-forge.ts';

/** The plan of a call with the ways out that the settings have now, or why one of them cannot be opened; that follows a colon. Rejects with the reason of the run's signal. */
export type WaysOfRun = (plan: SandboxPlan) => Promise<SandboxPlan | string>;

/** The ways out of the sandboxes of one run. Each is opened by the first call that has it, and ends with `stack`. */
export function createWaysOfRun(
	run: ToolsRun,
	world: ToolsWorld,
	stack: AsyncDisposableStack,
): WaysOfRun {
	const {signal, note} = run;
	const opened = new Map<string, Promise<WayOut>>();
	const told = new Set<string>();

	/** `open`, once for each key; what failed is tried again. */
	const once = async (key: string, open: () => Promise<WayOut>): Promise<WayOut> => {
		const way = opened.get(key) ?? open();
		opened.set(key, way);
		try {
			return await way;
		} catch (error) {
			opened.delete(key);
			throw error;
		}
	};

	const toHosts = async (): Promise<WayOut | undefined> => {
		const {hosts} = world.sandbox();
		return hosts.length === 0
			? undefined
			: once(`hosts ${JSON.stringify(hosts)}`, async () =>
					openHosts({hosts, setting: 'sandbox.hosts', note, signal}, world, stack),
				);
	};

	/** Commands that need no code host go on without it; the person is told. */
	const toForge = async (): Promise<WayOut | undefined> => {
		if (world.settings().terminal.forge === 'none') {
			return undefined;
		}

		try {
			return await once('forge', async () => openForge(run, world, stack));
		} catch (error) {
			signal.throwIfAborted();
			const {text} = cell(
				`The code host cannot be read from the sandbox: ${world.redact(messageOf(error))}`,
				maxNoteLength,
			);
			if (!told.has(text)) {
				told.add(text);
				note(text);
			}

			return undefined;
		}
	};

	return async plan => {
		try {
			const [hosts, forge] = await Promise.all([toHosts(), toForge()]);
			return withWaysOut(
				forge ? withForgePrograms(plan, run) : plan,
				[hosts, forge].filter(way => way !== undefined),
			);
		} catch (error) {
			signal.throwIfAborted();
			return `the way out of its sandbox cannot be opened: ${messageOf(error)}`;
		}
	};
}

const maxNoteLength = 500;
