import type {DatabaseSync} from 'node:sqlite';
import type {RunState} from '../core/run.ts';
import {integerOf, wordOf, type Bindings} from './columns.ts';
import type {DeliveryKey} from './port.ts';

/** Ends of a run that give its identifier free: code hosts keep the identifier when a person redelivers. @see Decisions 3 */
const givesUp: ReadonlySet<RunState> = new Set(['failed', 'dead', 'cancelled']);

/** Who claims, for how long a claim is honoured, and when. Numbers are rows, milliseconds and milliseconds since 1970. */
export type Claim = {
	readonly delivery: number;
	readonly run: number | null;
	readonly idempotencyMs: number;
	readonly now: number;
};

export type Claims = {
	/** The row of the delivery that holds `key`, if any. */
	holderOf(key: DeliveryKey, idempotencyMs: number, now: number): number | undefined;
	/** Takes a key that is free; otherwise changes nothing and answers the row of the holder. */
	take(key: DeliveryKey, claim: Claim): number | undefined;
	/** Takes a key from whoever holds it. */
	seize(key: DeliveryKey, claim: Omit<Claim, 'idempotencyMs'>): void;
};

/** The identifiers that count as duplicates. Everything here runs inside a transaction of the caller. */
export function createClaims(database: DatabaseSync): Claims {
	const insert =
		'insert into claim (profile, route, delivery_id, delivery, run, at) values (?, ?, ?, ?, ?, ?)';
	const insertFree = database.prepare(`${insert} on conflict do nothing`);
	const insertOver = database.prepare(
		`${insert} on conflict do update set delivery = excluded.delivery, run = excluded.run, at = excluded.at`,
	);
	const find = database.prepare(
		`select claim.delivery, claim.at, run.state from claim left join run on run.id = claim.run
		where claim.profile = ? and claim.route = ? and claim.delivery_id = ?`,
	);
	const holderOf = (key: DeliveryKey, idempotencyMs: number, now: number) => {
		const row = find.get(key.profile, key.route, key.deliveryId);
		const held =
			row !== undefined &&
			now - integerOf(row['at']) < idempotencyMs &&
			!givesUp.has(wordOf<RunState>(row['state']));
		return held ? integerOf(row['delivery']) : undefined;
	};

	return {
		holderOf,
		take(key, claim) {
			// Nearly every identifier is new: one statement decides that and takes it.
			if (insertFree.run(...parameters(key, claim)).changes === 1) {
				return undefined;
			}

			const holder = holderOf(key, claim.idempotencyMs, claim.now);
			if (holder === undefined) {
				insertOver.run(...parameters(key, claim));
			}

			return holder;
		},
		seize(key, claim) {
			insertOver.run(...parameters(key, claim));
		},
	};
}

const parameters = (key: DeliveryKey, claim: Omit<Claim, 'idempotencyMs'>): Bindings => [
	key.profile,
	key.route,
	key.deliveryId,
	claim.delivery,
	claim.run,
	claim.now,
];
