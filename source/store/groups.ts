import {dueOf, type Group, stepGroup, type GroupReason, type GroupWindow} from '../core/group.ts';
import {pageOf} from './columns.ts';
import type {Engine} from './engine.ts';
import type {Groups} from './group-port.ts';
import {
	groupColumns,
	groupOfRow,
	groupTables,
	maxListed,
	maxMembers,
	groupMemberOf,
	runOfGroup,
	groupOf,
} from './group-rows.ts';
import type {StoreParts} from './parts.ts';
import type {GroupKey, PendingGroup} from './pending-groups.ts';

/** Maximum number of groups dispatched by one transaction, so that it does not hold up the event loop for long. */
export const groupSlice = 100;

/** Dispatches groups in slices, with other writes in between; rejects only when none could be dispatched. */
export async function dispatchSlices(
	ids: readonly number[],
	dispatch: (ids: readonly number[]) => Promise<readonly Group[]>,
): Promise<readonly Group[]> {
	const dispatched: Group[] = [];
	for (let from = 0; from < ids.length; from += groupSlice) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- slices are sequential
			dispatched.push(...(await dispatch(ids.slice(from, from + groupSlice))));
		} catch (error) {
			if (dispatched.length === 0) {
				throw error;
			}

			break;
		}
	}

	return dispatched;
}

/** `Groups` on SQLite. */
export function createGroups({
	commit,
	engine,
	pending,
	groupSteps: steps,
	steady,
}: StoreParts): Groups {
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
				for (let group = firstDue(); group && dispatched.length < groupSlice; group = firstDue()) {
					dispatched.push(steps.dispatch(group, dueOf(group).reason));
				}

				return dispatched;
			});
		},
		dispatch: async (which, reason) =>
			dispatchSlices(which === 'all' ? pending.ids() : [which.id], async ids =>
				commit.write(() => dispatchSome(ids, reason)),
			),
		...createGroupReader(engine),
		pending: async () => pending.count(),
	};
}

/** Reads groups; needs no write access. */
export function createGroupReader({prepare, least, subject}: Engine): Pick<Groups, 'get' | 'list'> {
	const select = (rest: string) =>
		prepare(`select ${groupColumns} from ${groupTables} where ${rest}`);
	const listing = (rest: string) =>
		select(`(cast($1 as text) is null or coalesce_group.profile = $1) and ${rest} limit $2`);
	const one = select('coalesce_group.id = $1');
	const members = prepare(
		`select id, delivery_id, event, ${subject} as subject, received_at from delivery where run = $1 and run < 0 order by id desc limit ${maxMembers}`,
	);
	const pending = listing(
		`coalesce_group.run is null order by ${least}(quiet_at, cap_at), coalesce_group.id`,
	);
	const dispatched = listing('coalesce_group.run is not null order by coalesce_group.run desc');

	return {
		async get(id) {
			const [row] = await one(id);
			return (
				row && {...groupOfRow(row), members: (await members(-id)).toReversed().map(groupMemberOf)}
			);
		},
		async list({state, profile = null, limit}) {
			const most = pageOf(limit, maxListed);
			const waiting = state === 'dispatched' ? [] : await pending(profile, most);
			const room = most - waiting.length;
			const over = state === 'pending' || room === 0 ? [] : await dispatched(profile, room);
			return [...waiting, ...over].map(groupOfRow);
		},
	};
}

/** An event to be added to the group of its key. */
type GroupedEvent = GroupKey &
	Pick<PendingGroup, 'event' | 'latest' | 'target'> & {readonly window: GroupWindow};

/** The group that an event joined, and the group that was over and has been dispatched before it. */
type Joined = {readonly group: Group; readonly dispatched?: Group};

export type GroupSteps = ReturnType<typeof createGroupSteps>;

/** The steps of groups, on disk and in memory. Queued runs use the wall clock `clock`, as all runs do. */
export function createGroupSteps({
	database,
	pending,
	enqueue,
	steady,
	clock,
}: Pick<StoreParts, 'clock' | 'database' | 'enqueue' | 'pending' | 'steady'>) {
	const insert = database.prepare(
		`insert into coalesce_group (profile, route, key, first_at, last_at, quiet_at, cap_at, count, latest, target)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	);
	const update = database.prepare(
		'update coalesce_group set last_at = ?, quiet_at = ?, cap_at = ?, count = ?, latest = ?, target = ? where id = ?',
	);
	const end = database.prepare(
		'update coalesce_group set dispatched_at = ?, reason = ?, run = ? where id = ?',
	);

	const dispatch = (group: PendingGroup, reason: GroupReason): Group => {
		const {id} = group;
		const runId = enqueue(runOfGroup(group, clock.now()));
		const dispatchedAt = steady.time(group.offset);
		end.run(dispatchedAt, reason, runId, id);
		pending.remove(group);
		return groupOf(group, {dispatchedAt, reason, runId});
	};

	const rewrite = (group: PendingGroup) => {
		const {id, lastAt, quietAt, capAt, count, latest, target} = group;
		update.run(lastAt, quietAt, capAt, count, latest, target, id);
		pending.put(group);
		return group;
	};

	const open = (group: Omit<PendingGroup, 'id'>) => {
		const {profile, route, key, firstAt, lastAt, quietAt, capAt, count, latest, target} = group;
		const times = [firstAt, lastAt, quietAt, capAt, count];
		const {lastInsertRowid} = insert.run(profile, route, key, ...times, latest, target);
		const opened = {...group, id: Number(lastInsertRowid)};
		pending.put(opened);
		return opened;
	};

	return {
		/** Plans what an event does now, inside the transaction that performs it. `opens`: it opens a group; `takesPlace`: no other group is dispatched to make room for that. */
		join({window, ...event}: GroupedEvent) {
			const known = pending.ofKey(event);
			const windows = wholeOf(window);
			const step = known && stepGroup(known, windows, steady.time(known.offset));
			if (known && step?.kind === 'join') {
				const joined = {...known, ...event, ...step.next};
				return {
					opens: false,
					takesPlace: false,
					perform: (): Joined => ({group: groupOf(rewrite(joined))}),
				};
			}

			const ended = step?.kind === 'open' ? step.ended : undefined;
			const offset = steady.offset();
			const {next} = stepGroup(undefined, windows, steady.time(offset));
			return {
				opens: true,
				takesPlace: ended === undefined,
				perform(): Joined {
					const dispatched = known && ended && dispatch(known, ended);
					const group = groupOf(open({...event, ...next, offset}));
					return {group, ...(dispatched && {dispatched})};
				},
			};
		},
		dispatch,
	};
}

/** Fractions of a millisecond are rounded up. */
export const wholeOf = ({windowMs, maxWaitMs}: GroupWindow): GroupWindow => ({
	windowMs: Math.ceil(windowMs),
	maxWaitMs: Math.ceil(maxWaitMs),
});
