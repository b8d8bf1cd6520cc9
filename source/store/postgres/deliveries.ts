import type {StoredDelivery} from '../../core/delivery.ts';
import type {RunPlan} from '../../core/run.ts';
import {nameOf} from '../claims.ts';
import type {Bindings} from '../columns.ts';
import {deliveryParameters, rowIdOf} from '../delivery-rows.ts';
import type {DeliveryKey} from '../port.ts';
import {withoutNul, type Parameter, type Transaction} from './database.ts';

/** A delivery that is to be written. */
export type NewDelivery = {
	/** Of `deliveryParameters`. */
	readonly parameters: Bindings;
	readonly row: number;
	readonly key: DeliveryKey;
	readonly subject: string | undefined;
	readonly bodyBytes: number;
};

/** Text as the database gives it back: two that it takes for one are one. */
export const storedText = (text: string): string => withoutNul(text).toWellFormed();

export const storedKey = ({profile, route, deliveryId}: DeliveryKey): DeliveryKey => ({
	profile: storedText(profile),
	route: storedText(route),
	deliveryId: storedText(deliveryId),
});

/** Made before the transaction, so that a second try costs nothing. @throws SvcError `invalid_delivery_id` */
export const newDelivery = (delivery: StoredDelivery, plan?: RunPlan): NewDelivery => ({
	parameters: deliveryParameters(delivery, plan),
	row: rowIdOf(delivery.id),
	key: storedKey(delivery),
	subject: delivery.subject,
	bodyBytes: delivery.body?.byteLength ?? 0,
});

/** A delivery, the number of its run or, below zero, its group, and whether it takes its identifier. */
export type KeptDelivery = {
	readonly delivery: NewDelivery;
	readonly work: number | null;
	readonly claims: boolean;
};

/** Of `deliveryParameters`, in their order. */
const columns: ReadonlyArray<readonly [name: string, type: string]> = [
	['id', 'bigint'],
	['profile', 'text'],
	['route', 'text'],
	['event', 'text'],
	['delivery_id', 'text'],
	['id_source', 'text'],
	['status', 'integer'],
	['outcome', 'text'],
	['received_at', 'bigint'],
	['duration_ms', 'double precision'],
	['body_bytes', 'bigint'],
	['flags', 'bigint'],
	['replay_of', 'bigint'],
	['trace', 'text'],
	['headers', 'text'],
	['plan', 'text'],
	['body', 'bytea'],
	['run', 'bigint'],
	['subject', 'text'],
];

const names = columns.map(([name]) => name).join(', ');
const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
const next = columns.length + 1;

const insert = `insert into delivery (${names}) select * from unnest(${arrays})`;

const insertWithClaims = `with kept as (${insert})
	insert into claim (profile, route, delivery_id, delivery, work, at)
	select *, $${next}::bigint from unnest($${next + 1}::text[], $${next + 2}::text[], $${next + 3}::text[], $${next + 4}::bigint[], $${next + 5}::bigint[])
	on conflict (profile, route, delivery_id) do update set delivery = excluded.delivery, work = excluded.work, at = excluded.at`;

/** Writes deliveries, with their claims, in one statement: the only place that does. Of two that take one identifier the later one has it. */
export async function keepDeliveries(
	{run, now}: Transaction,
	kept: readonly KeptDelivery[],
): Promise<void> {
	const values: Parameter[] = columns.map(([name], index) =>
		kept.map(({delivery: {parameters, subject}, work}) => {
			if (name === 'run') {
				return work;
			}

			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parameters of a delivery are numbers, texts and bytes
			return name === 'subject' ? (subject ?? null) : (parameters[index] as string | null);
		}),
	);
	const claims = new Map(
		kept.filter(({claims: claimed}) => claimed).map(one => [nameOf(one.delivery.key), one]),
	);
	if (claims.size === 0) {
		await run(insert, values);
		return;
	}

	// In one order, so that no two wait for each other.
	const inOrder = [...claims].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
	await run(insertWithClaims, [
		...values,
		now,
		inOrder.map(({delivery}) => delivery.key.profile),
		inOrder.map(({delivery}) => delivery.key.route),
		inOrder.map(({delivery}) => delivery.key.deliveryId),
		inOrder.map(({delivery}) => delivery.row),
		inOrder.map(({work}) => work),
	]);
}
