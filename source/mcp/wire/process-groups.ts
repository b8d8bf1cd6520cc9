import type {Environment} from '../../config/environment.ts';
import type {World} from '../../core/world.ts';
import {createGroupSupervisor} from './group-supervisor.ts';
import {createProcessLedger} from './process-ledger.ts';

export type ProcessGroups = ReturnType<typeof createProcessGroups>;

/** No process of a tool server survives this one: a supervisor ends them when we are killed, a ledger at the next start when both were. */
export function createProcessGroups(
	world: Pick<World, 'clock' | 'log'> & {
		readonly ledgerPath: string;
		readonly environment: Environment;
	},
) {
	const {clock, log, ledgerPath, environment} = world;
	const ledger = createProcessLedger({path: ledgerPath, clock, log});
	const supervisor = createGroupSupervisor({clock, environment});
	const writing = new Set<Promise<void>>();
	let swept: Promise<void> | undefined;

	const write = (task: Promise<void>) => {
		writing.add(task);
		void task.finally(() => writing.delete(task));
	};

	const sweep = async () => {
		const count = await ledger.sweep();
		if (count > 0) {
			log.warn('Ended processes of tool servers that an earlier start has left', {groups: count});
		}
	};

	return {
		/** Resolves when what an earlier process left has been ended. To be awaited before a server is started. */
		async ready(): Promise<void> {
			swept ??= sweep();
			await swept;
		},
		/** Call it in the turn that started the group's leader: from then on no end of this process leaves the group behind. */
		add(pgid: number): void {
			supervisor.add(pgid);
			write(ledger.add(pgid));
		},
		/** The group has ended. */
		remove(pgid: number): void {
			supervisor.remove(pgid);
			write(ledger.remove(pgid));
		},
		async [Symbol.asyncDispose]() {
			await supervisor[Symbol.asyncDispose]();
			await Promise.all(writing);
		},
	};
}
