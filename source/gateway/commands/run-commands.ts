import type {CommandsOf} from '../contract/operation.ts';
import type {runs as table} from '../contract/runs.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for runs of a gateway in this process. */
export const createRunCommands = (
	rooms: () => Promise<Pick<Rooms, 'store' | 'dispatcher' | 'announce' | 'loops'>>,
): CommandsOf<typeof table> => {
	/** A person decides about a run that waits for one. */
	const decided = async (id: number) => {
		const {store, loops} = await rooms();
		const run = await store.runs.get(id);
		if (run?.state === 'interrupted') {
			await loops.release(run);
		}
	};

	return {
		listRuns: async filter => (await rooms()).store.runs.list(filter),
		getRun: async id => (await rooms()).store.runs.get(id),
		async cancelRun(id) {
			const {dispatcher, store, announce} = await rooms();
			await decided(id);
			const cancelled = dispatcher.abort(id) || (await store.runs.cancel(id));
			if (cancelled) {
				await announce.changed(id);
			}

			return cancelled;
		},
		async retryRun(id) {
			const {store, announce} = await rooms();
			// Before it can start: it would be held again.
			await decided(id);
			const queued = await store.runs.retry(id);
			if (queued) {
				await announce.queued(id);
			}

			return queued;
		},
	};
};
