import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {openHosts, type Egress, withEgress} from '../sandbox/egress.ts';
import type {SandboxPlan} from '../sandbox/plan.ts';
import type {ToolsRun, ToolsWorld} from '../toolset.ts';
import {openForge, withForgePrograms} from './open-forge.ts';

/** Adds the currently configured network access to a call's plan, or returns why it cannot be opened; that follows a colon. Rejects with the reason of the run's signal. */
type RunEgress = (plan: SandboxPlan) => Promise<SandboxPlan | string>;

/** The network access of one run's sandboxes. Each part is opened by the first call that has it, and closed with `stack`. */
export function createRunEgress(
	run: ToolsRun,
	world: ToolsWorld,
	stack: AsyncDisposableStack,
): RunEgress {
	const {signal, note, profile} = run;
	const {clock} = world;
	const opened = new Map<string, {readonly way: Promise<Egress>; failedAt?: number}>();
	const told = new Set<string>();

	/** Calls `open` once per key; retries a failure after `patienceMs`. */
	const once = async (
		key: string,
		open: () => Promise<Egress>,
		patienceMs = 0,
	): Promise<Egress> => {
		let entry = opened.get(key);
		if (!entry || clock.monotonic() >= (entry.failedAt ?? Infinity) + patienceMs) {
			entry = {way: open()};
			opened.set(key, entry);
		}

		try {
			return await entry.way;
		} catch (error) {
			entry.failedAt ??= clock.monotonic();
			throw error;
		}
	};

	const toHosts = async (): Promise<Egress | undefined> => {
		const {hosts} = world.sandbox();
		return hosts.length === 0
			? undefined
			: once(`hosts ${JSON.stringify(hosts)}`, async () =>
					openHosts(
						{hosts, setting: 'sandbox.hosts', note, signal, svcHome: profile.svcHome},
						world,
						stack,
					),
				);
	};

	/** Without the code host, commands continue without it, and the person is told. */
	const toForge = async (): Promise<Egress | undefined> => {
		if (world.settings().terminal.forge === 'none') {
			return undefined;
		}

		try {
			return await once('forge', async () => openForge(run, world, stack), forgePatienceMs);
		} catch (error) {
			signal.throwIfAborted();
			const text = escapeLine(
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
			return withEgress(
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

/** How long a client that gave no token is not asked again: otherwise each command would wait for it. */
const forgePatienceMs = 60_000;
