import {every} from '../../core/clock.ts';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import type {IdShare} from '../../core/ids.ts';
import type {JsonValue} from '../../core/json.ts';
import type {Logger} from '../../core/log.ts';
import {goneMs} from '../../core/state.ts';
import {integerOf, readJson, textOf} from '../columns.ts';
import {refuseHalfCopied} from '../migrate/copy-counts.ts';
import type {Cluster} from '../shared-port.ts';
import {isLeased} from './abandon.ts';
import {endRules} from './approvals.ts';
import type {Transaction} from './database.ts';
import type {PostgresParts} from './parts.ts';

const beatMs = 10_000;
/** How long a gone member stays listed, milliseconds. */
const listedMs = 3_600_000;
/** A home that was seen within this time is alive, milliseconds. */
const aliveMs = 3 * beatMs;

/** Maximum number of members that share the identifiers of a millisecond. */
const slots = 32;

/** The home of a member, as in `PostgresStoreOptions`. */
type Home = {readonly node: string; readonly place: string; readonly location: string};

/**
 * Joins the members, under their lock, and renews the membership regularly; a member removed from the list while it could not renew joins again. An earlier entry of the
 * same home at the same location is removed at once: the home's lock admits one process at a time.
 *
 * @throws SvcError `cluster_full`, `member_duplicate` while a copy of the home is a member, `store_copy_incomplete`, `journal_unavailable`
 */
export async function openMember(
	{
		database,
		clock,
		owner,
		publish,
		log,
	}: Pick<PostgresParts, 'clock' | 'database' | 'owner' | 'publish'> & {
		readonly log: Logger | undefined;
	},
	{node, place, location}: Home,
) {
	let slot = 0;
	let since = 0;
	let told: JsonValue = {};

	const join = async () => {
		slot = await database.transact(async transaction => {
			const {now} = transaction;
			await refuseHalfCopied(transaction, database.name);
			await refuseCopy(transaction, {owner, node, place, location});
			const free = await freeSlot(transaction, {owner, place});
			since ||= now;
			await transaction.finish(
				'insert into member (owner, node, place, location, slot, since, seen, data) values ($1, $2, $3, $4, $5, $6, $7, $8)',
				[owner, node, place, location, free, since, now, JSON.stringify(told)],
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
	let refusal: string | undefined;
	// After a failed renewal, the next one covers it.
	const stopBeating = every(clock, beatMs, async () =>
		beat().catch((error: unknown) => {
			// A copy of this home joined while this member was not seen.
			if (codeOf(error) === 'member_duplicate' && !refusal) {
				refusal = messageOf(error);
				log?.error(refusal);
			}
		}),
	);
	return {
		/** This member's share of the identifiers of a millisecond. */
		share: (): IdShare => ({slot, of: slots}),
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
					data: readJson<JsonValue>(row['data']) ?? null,
				}));
			},
			async describe(data) {
				told = data;
				await database.run('update member set data = $2 where owner = $1', [
					owner,
					JSON.stringify(data),
				]);
			},
		} satisfies Cluster,
		/**
		 * Releases its leases without counting them as lost, ends its rules that do not outlive it, and removes itself from the list. Does nothing while the database is
		 * unreachable: the leases expire. Never rejects.
		 */
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

const nameOfHome = (node: string, location: string) => `"${node}" (${location.split('\n')[0]})`;

/** @throws SvcError `member_duplicate` while a home of the same identity is alive at another location */
async function refuseCopy(
	{query, now}: Transaction,
	{owner, node, place, location}: Home & {readonly owner: string},
): Promise<void> {
	const [other] = await query(
		'select node, location, seen from member where place = $1 and location <> $2 and owner <> $3 and seen >= $4 order by seen desc limit 1',
		[place, location, owner, now - aliveMs],
	);
	if (other) {
		const seconds = Math.ceil((now - integerOf(other['seen'])) / 1000);
		throw new SvcError(
			'member_duplicate',
			`Cannot join the gateways on this store (gateway.store) as ${nameOfHome(node, location)}: ${nameOfHome(textOf(other['node']), textOf(other['location']))} has the same identity and was seen ${seconds} s ago. If one home is a copy of the other, remove "member.id" from the copy; a home that was moved may join ${aliveMs / 1000} s after the gateway there has ended`,
		);
	}
}

/** Removes members that no longer count, and returns the lowest free slot; if all are taken, the slot of the member gone for longest. */
async function freeSlot(
	{query, run, now}: Transaction,
	{owner, place}: Pick<Home, 'place'> & {readonly owner: string},
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
	const free = Array.from({length: slots}, (_, slot) => slot).find(slot => !taken.has(slot));
	if (free !== undefined) {
		return free;
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
