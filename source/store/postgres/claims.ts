import type {RunState} from '../../core/run.ts';
import {nameOf} from '../claims.ts';
import {integerOf, wordOf} from '../columns.ts';
import type {DeliveryKey} from '../port.ts';
import {givesUpIdentifier} from '../rules.ts';
import type {Statements} from './database.ts';

/** A delivery that holds an identifier since `at`, milliseconds since 1970. */
type Holder = {readonly delivery: number; readonly at: number; readonly gaveUp: boolean};

/** What is known of the identifiers of a batch. */
export type Holders = {
	/** The row of the delivery that holds `key` since less than `heldMs`. */
	holderOf(key: DeliveryKey, heldMs: number): number | undefined;
	/** Notes that a delivery takes it now. */
	take(key: DeliveryKey, delivery: number): void;
	/** Whether there is a delivery of this number. */
	isTaken(delivery: number): boolean;
};

/** Reads, in one statement, which deliveries hold the identifiers `keys`, and which of the numbers `rows` are taken. `now` is the time of the database. */
export async function readHolders(
	{query}: Pick<Statements, 'query'>,
	wanted: ReadonlyArray<{readonly row: number; readonly key: DeliveryKey}>,
	now: number,
): Promise<Holders> {
	const keys = wanted.map(({key}) => key);
	const rows = await query(
		`select wanted.place, exists (select 1 from delivery where delivery.id = wanted.id) as is_taken,
			claim.delivery, claim.at, coalesce(run.state, grouped.state) as state
		from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) with ordinality as wanted (id, profile, route, delivery_id, place)
		left join claim on claim.profile = wanted.profile and claim.route = wanted.route and claim.delivery_id = wanted.delivery_id
		left join run on run.id = claim.work
		left join coalesce_group on coalesce_group.id = -claim.work
		left join run as grouped on grouped.id = coalesce_group.run`,
		[
			wanted.map(({row}) => row),
			keys.map(({profile}) => profile),
			keys.map(({route}) => route),
			keys.map(({deliveryId}) => deliveryId),
		],
	);
	const holders = new Map<string, Holder>();
	const taken = new Set<number>();
	for (const row of rows) {
		const one = wanted[integerOf(row['place']) - 1];
		if (one && integerOf(row['is_taken']) === 1) {
			taken.add(one.row);
		}

		if (one && row['delivery'] !== null) {
			holders.set(nameOf(one.key), {
				delivery: integerOf(row['delivery']),
				at: integerOf(row['at']),
				gaveUp: givesUpIdentifier.has(wordOf<RunState>(row['state'])),
			});
		}
	}

	return {
		holderOf(key, heldMs) {
			const holder = holders.get(nameOf(key));
			return holder && !holder.gaveUp && now - holder.at < heldMs ? holder.delivery : undefined;
		},
		take(key, delivery) {
			holders.set(nameOf(key), {delivery, at: now, gaveUp: false});
			taken.add(delivery);
		},
		isTaken: delivery => taken.has(delivery),
	};
}
