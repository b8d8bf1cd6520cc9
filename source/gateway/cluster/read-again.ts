import {isDeepStrictEqual} from 'node:util';
import type {Clock} from '../../core/clock.ts';
import type {Broker} from '../../core/reduce.ts';
import {limits} from '../../core/state.ts';
import type {Store} from '../../store/port.ts';

/** Maximum number of rows read; older ones appear in lists when a face asks for them. */
const deliveries = 500;
const runs = 200;

/** Emits to the faces of this gateway the rows of the store that their lists lack, because notes of other gateways were missed. @throws SvcError `journal_unavailable` */
export async function readAgain({
	store,
	broker,
	clock,
}: {
	readonly store: Pick<Store, 'approvals' | 'groups' | 'journal' | 'runs'>;
	readonly broker: Pick<Broker, 'emit' | 'getState'>;
	readonly clock: Clock;
}): Promise<void> {
	const [received, changed, pending, dispatched, settled] = await Promise.all([
		store.journal.list({limit: deliveries}),
		store.runs.list({limit: runs}),
		store.groups.list({state: 'pending', limit: limits.pendingGroups}),
		store.groups.list({state: 'dispatched', limit: limits.dispatchedGroups}),
		store.approvals.settled({limit: limits.settledApprovals}),
	]);
	const at = clock.now();
	const state = broker.getState();
	const newest = state.deliveries.reduce((last, {delivery: {id}}) => (id > last ? id : last), '');
	// Only newer ones: older missing ones may already be shown in grouped rows, and showing one twice would be worse than not at all.
	for (const delivery of received.filter(({id}) => id > newest).toReversed()) {
		broker.emit({type: 'delivery-received', at, delivery});
	}

	const knownRuns = new Map(state.runs.map(run => [run.id, run]));
	for (const run of changed.toReversed()) {
		const {node, ...known} = knownRuns.get(run.id) ?? {};
		if (!isDeepStrictEqual(known, run)) {
			broker.emit({
				type: 'run-changed',
				at,
				run: {...run, ...(node !== undefined && run.state !== 'queued' && {node})},
			});
		}
	}

	const knownGroups = new Map(state.groups.map(group => [group.id, group]));
	for (const group of [...pending, ...dispatched].toReversed()) {
		if (!isDeepStrictEqual(knownGroups.get(group.id), group)) {
			broker.emit({type: 'group-changed', at, group});
		}
	}

	const waiting = new Set(state.approvals.map(({id}) => id));
	for (const approval of settled.filter(({id}) => waiting.has(id))) {
		broker.emit({type: 'approval-settled', at, approval});
	}
}
