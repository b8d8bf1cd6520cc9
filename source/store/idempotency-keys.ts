import type {DatabaseSync} from 'node:sqlite';
import {idempotencyMs} from '../core/delivery.ts';
import type {RunState} from '../core/run.ts';
import {integerOf, nullableInteger, textOf, wordOf, type Row} from './columns.ts';
import type {GroupCommit} from './group-commit.ts';
import {createNameSieve, type NameSieve} from './name-sieve.ts';
import type {DeliveryKey} from './port.ts';
import {givesUpIdentifier} from './rules.ts';
import type {Memory} from './transaction.ts';

/** Claims that one commit sorts in, or forgets: half a millisecond. */
const slice = 256;

/** Who holds an identifier: rows, and milliseconds since 1970 on the clock of `now`. `work` is the run of the delivery or, below zero, its group. */
type Claim = {
	readonly delivery: number;
	readonly work: number | null;
	readonly at: number;
	/** Its number in `fresh_claim`; 0 when it stands in `claim`. */
	readonly row: number;
};

/** Claims by the name of what they hold, the oldest first. */
type Claims = Map<string, Claim>;

export type IdempotencyKeys = Memory & {
	/** The row of the delivery that holds `key` since less than `heldMs`, if any. No claim counts for longer than `idempotencyMs`. */
	holderOf(key: DeliveryKey, heldMs: number): number | undefined;
	/** Takes an identifier from whoever holds it. Inside a transaction. */
	take(claim: DeliveryKey & Pick<Claim, 'delivery' | 'work'>): void;
};

/**
 * The identifiers that count as duplicates. Identifiers are random, and an index over random keys costs a page or two of writing for each. So
 * new claims are appended to `fresh_claim` and kept in memory for their hour. Only when `generation` of them come within that are they sorted into `claim`, a slice
 * per commit, in the order of its pages; most homes never get there. `now` never jumps while the process lives.
 */
export function createIdempotencyKeys(
	{
		database,
		now,
		defer,
	}: {
		readonly database: DatabaseSync;
		readonly now: () => number;
		readonly defer: GroupCommit['defer'];
	},
	{generation}: {readonly generation: number},
): IdempotencyKeys {
	const values = '(profile, route, delivery_id, delivery, run, at) values (?, ?, ?, ?, ?, ?)';
	const append = database.prepare(`insert into fresh_claim ${values}`);
	const sortIn = database.prepare(`insert or replace into claim ${values}`);
	const find = database.prepare(
		'select * from claim where profile = ? and route = ? and delivery_id = ?',
	);
	const stateOfRun = database.prepare('select state from run where id = ?');
	const stateOfGroup = database.prepare(
		'select state from coalesce_group join run on run.id = coalesce_group.run where coalesce_group.id = ?',
	);
	const dropFresh = database.prepare('delete from fresh_claim where id <= ?');

	let young: Claims = new Map();
	/** The generation that is being sorted in. */
	let old: Claims | undefined;
	/** Until when a claim in the table may count, and whose names are there: unknown of what the last process sorted in. */
	let sorted: {until: number; readonly names?: NameSieve} | undefined =
		database.prepare('select 1 from claim limit 1').get() === undefined
			? undefined
			: {until: now() + idempotencyMs};
	/** What the open transaction did to `young`, in order: the name, and who held it before. */
	const taken: Array<readonly [name: string, before: Claim | undefined]> = [];
	/** How many were forgotten of which `fresh_claim` still knows, and the greatest number of those. */
	let forgotten = 0;
	let forgottenUpTo = 0;

	const isOver = ({at}: Claim) => now() - at >= idempotencyMs;

	const hold = (name: string, claim: Claim) => {
		// At the end, where the youngest are.
		young.delete(name);
		young.set(name, claim);
	};

	for (const row of database.prepare('select * from fresh_claim order by id').iterate()) {
		hold(nameOf(keyOfRow(row)), claimOf(row));
	}

	const areSorted = () => sorted !== undefined && now() < sorted.until;

	const mayBeSorted = (name: string) => areSorted() && (sorted?.names?.mayHold(name) ?? true);

	const claimOn = (key: DeliveryKey): Claim | undefined => {
		const name = nameOf(key);
		const known = young.get(name) ?? old?.get(name);
		if (known || !mayBeSorted(name)) {
			return known;
		}

		const row = find.get(key.profile, key.route, key.deliveryId);
		return row && claimOf(row);
	};

	/** Nothing while a group waits, and for what has no run. */
	const stateOf = (work: number | null) => {
		const row = work !== null && (work > 0 ? stateOfRun.get(work) : stateOfGroup.get(-work));
		return row ? wordOf<RunState>(row['state']) : undefined;
	};

	const sortNext = (claims: ReadonlyArray<readonly [string, Claim]>, upTo: number) => {
		defer(
			() => {
				for (const [name, {delivery, work, at}] of claims.slice(0, slice)) {
					sortIn.run(...partsOf(name), delivery, work, at);
				}

				if (claims.length <= slice) {
					dropFresh.run(upTo);
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
			sorted = {until: now() + idempotencyMs, names: createNameSieve()};
		}

		let upTo = 0;
		const living: Array<readonly [string, Claim]> = [];
		for (const [name, claim] of old) {
			upTo = Math.max(upTo, claim.row);
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

	/** A few for each commit, so that none has to do it for many. */
	const forgetOld = () => {
		let looked = 0;
		for (const [name, claim] of young) {
			if (looked === slice || !isOver(claim)) {
				break;
			}

			looked += 1;
			young.delete(name);
			forgotten += 1;
			forgottenUpTo = Math.max(forgottenUpTo, claim.row);
		}

		if (forgotten >= slice) {
			const upTo = forgottenUpTo;
			forgotten = 0;
			defer(() => {
				dropFresh.run(upTo);
			});
		}
	};

	return {
		holderOf(key, heldMs) {
			const claim = claimOn(key);
			if (!claim || now() - claim.at >= heldMs) {
				return undefined;
			}

			const state = stateOf(claim.work);
			return state && givesUpIdentifier.has(state) ? undefined : claim.delivery;
		},
		take({profile, route, deliveryId, delivery, work}) {
			const at = now();
			const name = nameOf({profile, route, deliveryId});
			const {lastInsertRowid} = append.run(profile, route, deliveryId, delivery, work, at);
			taken.push([name, young.get(name)]);
			hold(name, {delivery, work, at, row: Number(lastInsertRowid)});
		},
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

/** Names of profiles and routes hold no NUL, so no two keys have one name. */
const nameOf = ({profile, route, deliveryId}: DeliveryKey): string =>
	`${profile}\0${route}\0${deliveryId}`;

/** Profile, route and identifier of a name. */
function partsOf(name: string): [profile: string, route: string, deliveryId: string] {
	const [profile = '', route = '', ...rest] = name.split('\0');
	return [profile, route, rest.join('\0')];
}

const keyOfRow = (row: Row): DeliveryKey => ({
	profile: textOf(row['profile']),
	route: textOf(row['route']),
	deliveryId: textOf(row['delivery_id']),
});

const claimOf = (row: Row): Claim => ({
	delivery: integerOf(row['delivery']),
	work: nullableInteger(row['run']),
	at: integerOf(row['at']),
	row: row['id'] === undefined ? 0 : integerOf(row['id']),
});
