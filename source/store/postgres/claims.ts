import {idOfNumber} from '../../core/ids.ts';
import type {RunState} from '../../core/run.ts';
import {integerOf, wordOf} from '../columns.ts';
import {deliveryKeyName} from '../delivery-rows.ts';
import type {DeliveryKey, ReservedIdentifier} from '../port.ts';
import {givesUpIdentifier} from '../rules.ts';
import {columnsOf} from './ask.ts';
import type {Statements, Transaction} from './database.ts';

/** A gateway that reserved an identifier has reported the outcome by then, milliseconds: it has 25 s to send the message. */
const sendingMs = 30_000;

/** A delivery that has held an identifier since `at`, milliseconds since 1970. */
type Holder = {
	readonly delivery: number;
	readonly at: number;
	readonly gaveUp: boolean;
	readonly isReserved: boolean;
};

/** The holders of a batch's identifiers. */
export type Holders = Awaited<ReturnType<typeof readHolders>>;

/** Adds an entry for the body's identifier of each, if it has one. */
export const withBodies = <
	One extends {
		readonly row: number;
		readonly key: DeliveryKey;
		readonly bodyKey?: DeliveryKey | undefined;
	},
>(
	all: readonly One[],
): readonly One[] => all.flatMap(one => (one.bodyKey ? [one, {...one, key: one.bodyKey}] : [one]));

/** Reads, in one statement, which deliveries hold the identifiers in `wanted`, and which of its row numbers are taken. `now` is the time of the database. */
export async function readHolders(
	{query}: Pick<Statements, 'query'>,
	wanted: ReadonlyArray<{readonly row: number; readonly key: DeliveryKey}>,
	now: number,
) {
	const keys = wanted.map(({key}) => key);
	const rows = await query(
		`select wanted.place, exists (select 1 from delivery where delivery.id = wanted.id) as is_taken,
			claim.delivery, claim.at, coalesce(run.state, grouped.state) as state,
			(claim.work is null and not exists (select 1 from delivery where delivery.id = claim.delivery))::integer as is_reserved
		from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) with ordinality as wanted (id, profile, route, delivery_id, place)
		left join claim on claim.profile = wanted.profile and claim.route = wanted.route and claim.delivery_id = wanted.delivery_id
		left join run on run.id = claim.work
		left join coalesce_group on coalesce_group.id = -claim.work
		left join run as grouped on grouped.id = coalesce_group.run`,
		[wanted.map(({row}) => row), ...columnsOf(keys, 'profile', 'route', 'deliveryId')],
	);
	const holders = new Map<string, Holder>();
	const taken = new Set<number>();
	for (const row of rows) {
		const one = wanted[integerOf(row['place']) - 1];
		if (one && integerOf(row['is_taken']) === 1) {
			taken.add(one.row);
		}

		if (one && row['delivery'] !== null) {
			holders.set(deliveryKeyName(one.key), {
				delivery: integerOf(row['delivery']),
				at: integerOf(row['at']),
				gaveUp: givesUpIdentifier.has(wordOf<RunState>(row['state'])),
				isReserved: integerOf(row['is_reserved']) === 1,
			});
		}
	}

	const find = (key: DeliveryKey, heldMs: number): Holder | undefined => {
		const holder = holders.get(deliveryKeyName(key));
		return holder && !holder.gaveUp && now - holder.at < heldMs ? holder : undefined;
	};

	return {
		/** The row of the delivery that has held `key` for less than `heldMs`. */
		holderOf: (key: DeliveryKey, heldMs: number) => find(key, heldMs)?.delivery,
		/** Like `holderOf`, as the answer to a reservation. */
		reservedBy(
			key: DeliveryKey,
			heldMs: number,
		): Exclude<ReservedIdentifier, {readonly kind: 'reserved'}> | undefined {
			const holder = find(key, heldMs);
			const isUnderWay = holder?.isReserved && now - holder.at < sendingMs;
			return (
				holder && {kind: isUnderWay ? 'under-way' : 'duplicate', of: idOfNumber(holder.delivery)}
			);
		},
		/** Records that a delivery claims the identifier now. `isReserved`: the delivery is not written yet. */
		take(key: DeliveryKey, delivery: number, isReserved = false) {
			holders.set(deliveryKeyName(key), {delivery, at: now, gaveUp: false, isReserved});
			taken.add(delivery);
		},
		/** Whether there is a delivery of this number. */
		isTaken: (delivery: number) => taken.has(delivery),
	};
}

/** An identifier that is to be reserved for a delivery. */
export type Reservation = {
	readonly key: DeliveryKey;
	readonly bodyKey?: DeliveryKey | undefined;
	readonly row: number;
	readonly heldMs: number;
};

/** Reserves the identifiers that have no holder, in order; call it within a transaction that holds the lock `accept`. */
export async function reserveAll(
	{query, run, now}: Transaction,
	wanted: readonly Reservation[],
): Promise<readonly ReservedIdentifier[]> {
	const holders = await readHolders({query}, withBodies(wanted), now);
	const taken: Reservation[] = [];
	const answers = wanted.map((one): ReservedIdentifier => {
		const both = withBodies([one]);
		const holder = both.map(({key}) => holders.reservedBy(key, one.heldMs)).find(Boolean);
		if (!holder) {
			for (const {key} of both) {
				holders.take(key, one.row, true);
			}

			taken.push(...both);
		}

		return holder ?? {kind: 'reserved'};
	});
	if (taken.length > 0) {
		await run(
			`insert into claim (profile, route, delivery_id, delivery, work, at)
			select profile, route, delivery_id, delivery, null, $1 from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as one (profile, route, delivery_id, delivery)
			order by profile collate "C", route collate "C", delivery_id collate "C"
			on conflict (profile, route, delivery_id) do update set delivery = excluded.delivery, work = null, at = excluded.at`,
			[now, ...claimColumns(taken)],
		);
	}

	return answers;
}

/** Frees the identifiers that these deliveries reserved. */
export async function giveBackAll(
	{run}: Pick<Statements, 'run'>,
	given: ReadonlyArray<Pick<Reservation, 'key' | 'row'>>,
): Promise<void> {
	await run(
		`delete from claim using unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as one (profile, route, delivery_id, delivery)
		where claim.profile = one.profile and claim.route = one.route and claim.delivery_id = one.delivery_id and claim.delivery = one.delivery and work is null`,
		claimColumns(given),
	);
}

const claimColumns = (claims: ReadonlyArray<Pick<Reservation, 'key' | 'row'>>) =>
	columnsOf(
		claims.map(({key, row}) => ({...key, row})),
		'profile',
		'route',
		'deliveryId',
		'row',
	);
