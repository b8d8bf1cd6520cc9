import {escapeLine} from '../../core/untrusted.ts';
import {faceName} from '../approvals/approval-log.ts';
import type {approvals} from '../contract/approvals.ts';
import type {deliveries} from '../contract/deliveries.ts';
import type {groups} from '../contract/groups.ts';
import type {jobs} from '../contract/jobs.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {runs} from '../contract/runs.ts';
import type {Rooms} from '../rooms.ts';
import type {ReadCommands} from './read-commands.ts';

type WorkCommands = Omit<
	CommandsOf<typeof approvals & typeof deliveries & typeof groups & typeof jobs & typeof runs>,
	keyof ReadCommands
>;

/** Maximum number of characters of the reason for dropping a run. */
const maxReason = 500;

/** The commands of a gateway in this process that change deliveries, runs, groups, jobs and approvals. */
export function createWorkCommands(rooms: Rooms): WorkCommands {
	/** A person decides about run `id`: an interrupted one releases its route and subject from the hold of the loop breaker. */
	const decided = async (id: number) => {
		const run = await rooms.store.runs.get(id);
		if (run?.state === 'interrupted') {
			await rooms.loops.release(run);
		}
	};

	return {
		async importDeliveries({deliveries: given}) {
			const {importDeliveries} = await import('../deliveries/import-deliveries.ts');
			return importDeliveries(given, rooms);
		},
		planReplay: async (id, options) => rooms.replays.plan(id, options),
		replay: async (id, options) => rooms.replays.replay(id, options),
		async cancelRun(id) {
			const {dispatcher, store, announce} = rooms;
			const cancelled = dispatcher.abort(id) || (await store.runs.cancel(id));
			if (cancelled) {
				await announce.changed(id);
			}

			return cancelled;
		},
		async dropRun(id, {reason} = {}) {
			await decided(id);
			const shown = reason === undefined ? undefined : escapeLine(rooms.redact(reason), maxReason);
			const dropped = await rooms.store.runs.drop(id, shown);
			if (dropped) {
				await rooms.announce.changed(id);
			}

			return dropped;
		},
		async deliverRun(id, where) {
			const {handOverAgain} = await import('../deliveries/hand-over-again.ts');
			return handOverAgain(rooms, id, where);
		},
		async retryRun(id) {
			// Before the run can start: otherwise it would be held again.
			await decided(id);
			const queued = await rooms.store.runs.retry(id);
			if (queued) {
				await rooms.announce.queued(id);
			}

			return queued;
		},
		dispatchGroup: async id => rooms.groups.dispatch(id),
		listJobs: async () => rooms.jobs.views(),
		runJob: async (job, options) => rooms.jobs.runNow(job, options),
		setJobPaused: async (job, options) => rooms.jobs.setPaused(job, options),
		settleApproval: async (id, {answer, by}) => rooms.approvals.settle(id, answer, faceName(by)),
		extendApproval: async id => rooms.approvals.extend(id),
		acceptApprovalRule: async (id, {definition}) => rooms.approvals.acceptRule(id, definition),
		revokeApprovalRule: async id => rooms.approvals.revoke(id),
	};
}
