import {every} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {IdShare} from '../../core/ids.ts';
import type {JsonValue} from '../../core/json.ts';
import {integerOf, jsonOf, textOf} from '../columns.ts';
import type {Cluster} from '../shared-port.ts';
import {isLeased} from './abandon.ts';
import {endRules} from './approvals.ts';
import type {Transaction} from './database.ts';
import type {PostgresParts} from './parts.ts';

const beatMs = 10_000;
/** A member that was not seen for so long is gone, milliseconds, and is listed for a while. */
export const goneMs = 60_000;
const listedMs = 3_600_000;

/** Members that share the identifiers of a millisecond. */
const slots = 32;

/** This gateway among those on the store. */
export type OwnMember = {
	readonly cluster: Cluster;
	/** Its part of the identifiers of a millisecond. */
	readonly share: () => IdShare;
	/** Gives back what it has leased, which counts as no loss, ends its rules that end with it, and takes itself off the list. Of a database that is away: nothing, its leases run out. */
	readonly close: () => Promise<void>;
};

/**
 * Joins the members, under the lock of theirs, and stays one by beats; a member that was taken off the list while it could not beat joins again. What the same place had before is off the list at once: its home lets one
 * process in at a time.
 * @throws SvcError `cluster_full`, `journal_unavailable`
 */
export async function openMember(
	{database, clock, owner, publish}: Omit<PostgresParts, 'deferred'>,
	{node, place}: {readonly node: string; readonly place: string},
): Promise<OwnMember> {
	let slot = 0;
	let since = 0;
	let told: JsonValue = {};

	const join = async () => {
		slot = await database.transact(async transaction => {
			const {now} = transaction;
			const free = await freeSlot(transaction, {owner, place});
			since ||= now;
			await transaction.finish(
				'insert into member (owner, node, place, slot, since, seen, data) values ($1, $2, $3, $4, $5, $6, $7)',
				[owner, node, place, free, since, now, JSON.stringify(told)],
			);
			return free;
		}, 'members');
	};

	const beat = async () => {
		const isListed = await database.transact(async ({query, run, now}) => {
			await run('delete from member where seen < $1 and owner <> $2', [now - listedMs, owner]);
			return (
				(await query('update member set seen = $2 where owner = $1 returning slot', [owner, now]))
					.length > 0
			);
		});
		if (!isListed) {
			await join();
		}
	};

	await join();
	// A beat that could not be told is made up for by the next.
	const stopBeating = every(clock, beatMs, async () => beat().catch(() => {}));
	return {
		share: () => ({slot, of: slots}),
		cluster: {
			async members() {
				const rows = await database.query(
					`select owner, node, since, seen, data, coalesce(leases, 0) as leases
					from member left join (select lease_owner, count(*) as leases from run where ${isLeased} group by lease_owner) as held on lease_owner = owner
					order by since, owner`,
				);
				const least = database.now() - goneMs;
				return rows.map(row => ({
					owner: textOf(row['owner']),
					node: textOf(row['node']),
					since: integerOf(row['since']),
					seen: integerOf(row['seen']),
					leases: integerOf(row['leases']),
					state: integerOf(row['seen']) < least ? 'gone' : 'live',
					data: jsonOf<JsonValue>(row['data']),
				}));
			},
			async describe(data) {
				told = data;
				await database.run('update member set data = $2 where owner = $1', [
					owner,
					JSON.stringify(data),
				]);
			},
		},
		async close() {
			stopBeating();
			if (database.failing() !== undefined) {
				return;
			}

			const {given, ended} = await database
				.transact(async transaction => {
					const rules = await endRules(transaction, 'owner = $1', [owner]);
					const released = await transaction.finish(
						`with gone as (delete from member where owner = $1)
						update run set lost_leases = lost_leases - 1, lease_until = 0 where lease_owner = $1 and ${isLeased} returning id`,
						[owner],
					);
					return {ended: rules, given: released.length};
				})
				.catch(() => ({given: 0, ended: 0}));
			if (given > 0) {
				publish({kind: 'runs-released'});
			}

			if (ended > 0) {
				publish({kind: 'approval-rules-changed'});
			}
		},
	};
}

/** The least slot that no member has, once those are off the list that have no right to it; when each is taken, that of the one that is gone for longest. */
async function freeSlot(
	{query, run, now}: Transaction,
	{owner, place}: {readonly owner: string; readonly place: string},
): Promise<number> {
	const [, rows] = await Promise.all([
		run('delete from member where owner = $1 or place = $2 or seen < $3', [
			owner,
			place,
			now - listedMs,
		]),
		query('select owner, slot, seen from member order by seen'),
	]);
	const taken = new Set(rows.map(row => integerOf(row['slot'])));
	for (let slot = 0; slot < slots; slot += 1) {
		if (!taken.has(slot)) {
			return slot;
		}
	}

	const [oldest] = rows;
	if (!oldest || integerOf(oldest['seen']) >= now - goneMs) {
		throw new SvcError(
			'cluster_full',
			`Cannot join the gateways on this store (gateway.store): ${rows.length} run already, and ${slots} may: stop one of them`,
		);
	}

	await run('delete from member where owner = $1', [textOf(oldest['owner'])]);
	return integerOf(oldest['slot']);
}

/** The members that are not known to be dead. */
export const liveOwners = async ({query, now}: Transaction): Promise<readonly string[]> =>
	(await query('select owner from member where seen >= $1', [now - goneMs])).map(row =>
		textOf(row['owner']),
	);
