import {idempotencyMs} from '../core/delivery.ts';
import type {RunState} from '../core/run.ts';
import {createBloomFilter, type BloomFilter} from './bloom-filter.ts';
import {textOf, wordOf} from './columns.ts';
import {
	claimOf,
	nameColumn,
	deliveryKeyName,
	partsOfKeyName,
	raise,
	type IdentifierClaim,
	type Floors,
} from './delivery-rows.ts';
import type {StoreParts} from './parts.ts';
import type {DeliveryKey} from './port.ts';
import {givesUpIdentifier} from './rules.ts';
import type {GroupCommit} from './transaction.ts';

/** Maximum number of claims that one commit sorts in or drops: half a millisecond of work. */
const slice = 256;

/** Claims by the name of the claimed identifier, the oldest first. */
type Claims = Map<string, IdentifierClaim>;

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

/**
 * The identifiers that count as duplicates. Identifiers are random, and an index over random keys costs writing a page or two for each. So new claims are stored in the
 * rows of their runs, or appended to `fresh_claim`, and kept in memory for their hour. Only when there are more than `generation` of them within that hour are they sorted
 * into `claim`, a slice per commit, in the order of its pages; most homes never need that. `now` never jumps while the process lives.
 */
export function createIdempotencyKeys(
	{
		database,
		now,
		defer,
	}: Pick<StoreParts, 'database'> & Pick<GroupCommit, 'defer'> & {readonly now: () => number},
	{generation}: {readonly generation: number},
) {
	const values = '(profile, route, delivery_id, delivery, run, at) values (?, ?, ?, ?, ?, ?)';
	const insert = database.prepare(`insert into fresh_claim ${values}`);
	const sortIn = database.prepare(`insert or replace into claim ${values}`);
	const find = database.prepare(
		'select * from claim where profile = ? and route = ? and delivery_id = ?',
	);
	const stateOfRun = database.prepare('select state from run where id = ?');
	const stateOfGroup = database.prepare(
		'select state from coalesce_group join run on run.id = coalesce_group.run where coalesce_group.id = ?',
	);
	const removeFresh = database.prepare('delete from fresh_claim where id = ?');
	const removeSorted = database.prepare(
		'delete from claim where profile = ? and route = ? and delivery_id = ?',
	);
	const dropFresh = database.prepare('delete from fresh_claim where id <= ?');
	const raiseFloor = database.prepare(
		'update usage set run_claim_floor = ?1 where run_claim_floor < ?1',
	);
	const fresh = database.prepare(
		`select id, ${nameColumn('delivery_id')}, delivery, run, at from fresh_claim
		union all select 0, ${nameColumn('claimed_id')}, delivery, id, claimed_at from run
			where id > (select run_claim_floor from usage) and claimed_at is not null
		order by at, delivery`,
	);
	let young: Claims = new Map();
	/** The generation that is being sorted into `claim`. */
	let old: Claims | undefined;
	/** Until when a claim in the table may count, and the names in it; the names from the last process are unknown. */
	let sorted: {until: number; readonly names?: BloomFilter} | undefined =
		database.prepare('select 1 from claim limit 1').get() === undefined
			? undefined
			: {until: now() + idempotencyMs};
	/** What the open transaction changed in `young`, in order: the name, and its previous claim. */
	const taken: Array<readonly [name: string, before: IdentifierClaim | undefined]> = [];
	/** Number of claims dropped from memory but still on disk, and up to which rows. */
	let forgotten = 0;
	const forgottenUpTo: Floors = {fresh: 0, run: 0};

	const isOver = ({at}: IdentifierClaim) => now() - at >= idempotencyMs;

	const append = (name: string, claim: IdentifierClaim) => {
		// At the end, where the youngest claims are.
		young.delete(name);
		young.set(name, claim);
	};

	const remember = (name: string, claim: IdentifierClaim) => {
		taken.push([name, young.get(name)]);
		append(name, claim);
	};

	/** Discards claims in rows up to `floors`: they have expired, or are in `claim` now. */
	const leaveBehind = ({fresh: row, run}: Floors) => {
		dropFresh.run(row);
		raiseFloor.run(run);
	};

	for (const row of fresh.all()) {
		append(textOf(row['name']), claimOf(row));
	}

	const areSorted = () => sorted !== undefined && now() < sorted.until;

	const mayBeSorted = (name: string) => areSorted() && (sorted?.names?.mayHold(name) ?? true);

	const claimOn = (key: DeliveryKey): IdentifierClaim | undefined => {
		const name = deliveryKeyName(key);
		const known = young.get(name) ?? old?.get(name);
		if (known || !mayBeSorted(name)) {
			return known;
		}

		const row = find.get(key.profile, key.route, key.deliveryId);
		return row && claimOf(row);
	};

	/** `undefined` for a pending group, and without a run. */
	const stateOf = (work: number | null) => {
		const row = work !== null && (work > 0 ? stateOfRun.get(work) : stateOfGroup.get(-work));
		return row ? wordOf<RunState>(row['state']) : undefined;
	};

	const sortNext = (claims: ReadonlyArray<readonly [string, IdentifierClaim]>, upTo: Floors) => {
		defer(
			() => {
				for (const [name, {delivery, work, at}] of claims.slice(0, slice)) {
					// A claim given back meanwhile is no longer there.
					if (old?.has(name)) {
						sortIn.run(...partsOfKeyName(name), delivery, work, at);
					}
				}

				if (claims.length <= slice) {
					leaveBehind(upTo);
				}
			},
			written => {
				if (sorted) {
					sorted.until = now() + idempotencyMs;
				}

				if (!written) {
					young = new Map([...(old ?? []), ...young]);
				}

				if (!written || claims.length <= slice) {
					old = undefined;
				} else {
					sortNext(claims.slice(slice), upTo);
				}
			},
		);
	};

	const sortGeneration = () => {
		old = young;
		young = new Map();
		if (!areSorted()) {
			sorted = {until: now() + idempotencyMs, names: createBloomFilter()};
		}

		const upTo: Floors = {fresh: 0, run: 0};
		const living: Array<readonly [string, IdentifierClaim]> = [];
		for (const [name, claim] of old) {
			raise(upTo, claim);
			if (!isOver(claim)) {
				living.push([name, claim]);
				sorted?.names?.add(name);
			}
		}

		sortNext(
			living.toSorted(([a], [b]) => (a < b ? -1 : 1)),
			upTo,
		);
	};

	/** Drops expired claims, a few per commit, so that none has to drop many. */
	const forgetOld = () => {
		let looked = 0;
		for (const [name, claim] of young) {
			if (looked === slice || !isOver(claim)) {
				break;
			}

			looked += 1;
			young.delete(name);
			forgotten += 1;
			raise(forgottenUpTo, claim);
		}

		if (forgotten >= slice) {
			const upTo = {...forgottenUpTo};
			forgotten = 0;
			defer(() => leaveBehind(upTo));
		}
	};

	return {
		/** The row of the delivery that has held `key` for less than `heldMs`, if any. No claim counts for longer than `idempotencyMs`. */
		holderOf(key: DeliveryKey, heldMs: number): number | undefined {
			const claim = claimOn(key);
			if (!claim || now() - claim.at >= heldMs) {
				return undefined;
			}

			const state = stateOf(claim.work);
			return state && givesUpIdentifier.has(state) ? undefined : claim.delivery;
		},
		/** Claims an identifier, even if another delivery holds it. Inside a transaction. */
		take({
			profile,
			route,
			deliveryId,
			delivery,
			work,
		}: DeliveryKey & Pick<IdentifierClaim, 'delivery' | 'work'>) {
			const at = now();
			const name = deliveryKeyName({profile, route, deliveryId});
			const {lastInsertRowid} = insert.run(profile, route, deliveryId, delivery, work, at);
			remember(name, {delivery, work, at, row: Number(lastInsertRowid)});
		},
		/** Like `take`, for a claim that the row of the run already contains: nothing is written. */
		hold: ({
			profile,
			route,
			deliveryId,
			delivery,
			work,
			at,
		}: DeliveryKey & Pick<IdentifierClaim, 'at' | 'delivery' | 'work'>) =>
			remember(deliveryKeyName({profile, route, deliveryId}), {delivery, work, at, row: 0}),
		/** Drops the claim of this delivery on an identifier, if it has no run. Inside a transaction. */
		giveBack({delivery, ...key}: DeliveryKey & Pick<IdentifierClaim, 'delivery'>) {
			const name = deliveryKeyName(key);
			const claim = claimOn(key);
			if (claim?.delivery !== delivery || claim.work !== null) {
				return;
			}

			taken.push([name, claim]);
			young.delete(name);
			old?.delete(name);
			removeFresh.run(claim.row);
			removeSorted.run(key.profile, key.route, key.deliveryId);
		},
		/** The clock of claims, milliseconds since 1970. */
		now,
		save() {
			const depth = taken.length;
			return () => {
				for (const [name, before] of taken.splice(depth).toReversed()) {
					if (before) {
						young.set(name, before);
					} else {
						young.delete(name);
					}
				}
			};
		},
		persist() {},
		committed() {
			taken.length = 0;
			forgetOld();
			if (young.size >= generation && !old) {
				sortGeneration();
			}
		},
	};
}
