import {dueOf, type Group} from '../core/group.ts';
import type {GroupCommit} from './group-commit-port.ts';
import type {GroupSteps} from './group-steps.ts';
import type {PendingGroups} from './pending-groups.ts';
import type {Groups} from './port.ts';
import type {SteadyClock} from './steady-clock.ts';

/** Groups that one transaction dispatches, so that it never holds the event loop for long. */
const slice = 100;

/** `Groups` on SQLite. */
export function createGroups({
	commit,
	pending,
	steps,
	reader,
	steady,
}: {
	readonly commit: GroupCommit;
	readonly pending: PendingGroups;
	readonly steps: GroupSteps;
	readonly reader: Pick<Groups, 'get' | 'list'>;
	readonly steady: SteadyClock;
}): Groups {
	const nextDueMs = () => {
		const first = pending.first();
		return first && Math.max(0, dueOf(first).at - steady.time(first.offset));
	};

	const firstDue = () => (nextDueMs() === 0 ? pending.first() : undefined);

	const dispatchSome = (ids: readonly number[], reason: Parameters<GroupSteps['dispatch']>[1]) =>
		ids.flatMap(id => {
			const group = pending.get(id);
			return group ? [steps.dispatch(group, reason)] : [];
		});

	return {
		nextDueMs: async () => nextDueMs(),
		async dispatchDue() {
			if (!firstDue()) {
				return [];
			}

			return commit.write(() => {
				const dispatched: Group[] = [];
				for (let group = firstDue(); group && dispatched.length < slice; group = firstDue()) {
					dispatched.push(steps.dispatch(group, dueOf(group).reason));
				}

				return dispatched;
			});
		},
		async dispatch(which, reason) {
			const ids = which === 'all' ? pending.ids() : [which.id];
			const dispatched: Group[] = [];
			for (let from = 0; from < ids.length; from += slice) {
				const some = ids.slice(from, from + slice);
				try {
					// oxlint-disable-next-line no-await-in-loop -- slices follow each other; other writes come between them
					dispatched.push(...(await commit.write(() => dispatchSome(some, reason))));
				} catch (error) {
					if (dispatched.length === 0) {
						throw error;
					}

					break;
				}
			}

			return dispatched;
		},
		get: reader.get,
		list: reader.list,
		pending: async () => pending.count(),
	};
}
