import {messageOf} from '../../core/errors.ts';
import type {SandboxPlan} from '../sandbox/plan.ts';
import {openHosts, type WayOut, withWaysOut} from '../sandbox/ways-out.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';

/** The plan of a call with the ways out that the settings have now, or why one of them cannot be opened; that follows a colon. Rejects with the reason of the run's signal. */
export type WaysOfRun = (plan: SandboxPlan) => Promise<SandboxPlan | string>;

/** The ways out of the sandboxes of one run. Each is opened by the first call that has it, and ends with `stack`. */
export function createWaysOfRun(
	{signal, note}: ToolsRun,
	world: ToolsWorld,
	stack: AsyncDisposableStack,
): WaysOfRun {
	const opened = new Map<string, Promise<WayOut>>();

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

	return async plan => {
		const {hosts} = world.sandbox();
		try {
			return withWaysOut(
				plan,
				hosts.length === 0
					? []
					: [
							await once(`hosts ${JSON.stringify(hosts)}`, async () =>
								openHosts({hosts, setting: 'sandbox.hosts', note, signal}, world, stack),
							),
						],
			);
		} catch (error) {
			signal.throwIfAborted();
			return `the way out of its sandbox cannot be opened: ${messageOf(error)}`;
		}
	};
}
