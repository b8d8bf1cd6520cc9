import type {DatabaseSync} from 'node:sqlite';
import {idempotencyMs} from '../core/delivery.ts';
import type {RunState} from '../core/run.ts';
import {integerOf, nullableInteger, textOf, wordOf, type Row} from './columns.ts';
import type {GroupCommit} from './group-commit.ts';
import type {DeliveryKey} from './port.ts';
import {givesUpIdentifier} from './rules.ts';
import type {Memory} from './transaction.ts';

/** Claims that one commit sorts in: half a millisecond. */
const slice = 256;

/** Who holds an identifier: rows, and milliseconds since 1970 on the clock of `now`. `work` is the run of the delivery or, below zero, its group. */
type Claim = DeliveryKey & {
	readonly delivery: number;
	readonly work: number | null;
	readonly at: number;
};

export type IdempotencyKeys = Memory & {
	/** The row of the delivery that holds `key` since less than `heldMs`, if any. No claim counts for longer than `idempotencyMs`. */
	holderOf(key: DeliveryKey, heldMs: number): number | undefined;
	/** Takes an identifier from whoever holds it. Inside a transaction. */
	take(claim: Omit<Claim, 'at'>): void;
};

/**
 * The identifiers that count as duplicates. Identifiers are random, and an index over random keys costs a page or two of writing for each. So
 * new claims are appended to `fresh_claim` and kept in memory as well; when there are `generation` of them they are sorted into `claim`, a slice
 * per commit, in the order of its pages. Most homes never get there: claims that are over an hour old are left out. `now` never jumps while the process lives.
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

	let young = new Map<string, Claim>();
	/** The generation that is being sorted in. */
	let old: Map<string, Claim> | undefined;
	let sorted = database.prepare('select 1 from claim limit 1').get() !== undefined;
	/** How to undo, in reverse order, what the open transaction did to `young`. */
	const undo: Array<() => void> = [];
	/** The greatest `fresh_claim.id`. */
	let last = 0;
	for (const row of database.prepare('select * from fresh_claim order by id').all()) {
		last = integerOf(row['id']);
		const claim = claimOf(row);
		young.set(nameOf(claim), claim);
	}

	const claimOn = (key: DeliveryKey): Claim | undefined => {
		const name = nameOf(key);
		const known = young.get(name) ?? old?.get(name);
		if (known || !sorted) {
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

	const sortNext = (claims: readonly Claim[], upTo: number) => {
		defer(
			() => {
				for (const claim of claims.slice(0, slice)) {
					sortIn.run(...parametersOf(claim));
				}

				if (claims.length <= slice) {
					dropFresh.run(upTo);
				}
			},
			written => {
				sorted = true;
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

	return {
		holderOf(key, heldMs) {
			const claim = claimOn(key);
			if (!claim || now() - claim.at >= heldMs) {
				return undefined;
			}

			const state = stateOf(claim.work);
			return state && givesUpIdentifier.has(state) ? undefined : claim.delivery;
		},
		take(taken) {
			const claim = {...taken, at: now()};
			const name = nameOf(claim);
			const [lastBefore, before] = [last, young.get(name)];
			last = Number(append.run(...parametersOf(claim)).lastInsertRowid);
			young.set(name, claim);
			undo.push(() => {
				last = lastBefore;
				if (before) {
					young.set(name, before);
				} else {
					young.delete(name);
				}
			});
		},
		save() {
			const depth = undo.length;
			return () => {
				while (undo.length > depth) {
					undo.pop()?.();
				}
			};
		},
		persist() {},
		committed() {
			undo.length = 0;
			if (young.size < generation || old) {
				return;
			}

			old = young;
			young = new Map();
			const living = [...old]
				.filter(([, claim]) => now() - claim.at < idempotencyMs)
				.toSorted(([a], [b]) => (a < b ? -1 : 1));
			sortNext(
				living.map(([, claim]) => claim),
				last,
			);
		},
	};
}

/** Names of profiles and routes hold no NUL, so no two keys have one name. */
const nameOf = ({profile, route, deliveryId}: DeliveryKey): string =>
	`${profile}\0${route}\0${deliveryId}`;

const parametersOf = ({profile, route, deliveryId, delivery, work, at}: Claim) =>
	[profile, route, deliveryId, delivery, work, at] as const;

const claimOf = (row: Row): Claim => ({
	profile: textOf(row['profile']),
	route: textOf(row['route']),
	deliveryId: textOf(row['delivery_id']),
	delivery: integerOf(row['delivery']),
	work: nullableInteger(row['run']),
	at: integerOf(row['at']),
});
