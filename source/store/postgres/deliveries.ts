import type {StoredDelivery} from '../../core/delivery.ts';
import type {RunPlan} from '../../core/run.ts';
import {integerOf, type Bindings} from '../columns.ts';
import {identifiersOf, deliveryKeyName, deliveryParameters, rowIdOf} from '../delivery-rows.ts';
import type {NewRun} from '../due-queue.ts';
import type {DeliveryKey} from '../port.ts';
import {withoutNul} from './ask.ts';
import type {SqlValue, Transaction} from './database.ts';
import {newRunValues, withNewRuns} from './enqueue.ts';

/** A delivery to be written. */
export type NewDelivery = {
	/** From `deliveryParameters`. */
	readonly parameters: Bindings;
	readonly row: number;
	readonly key: DeliveryKey;
	/** The body as a second identifier. */
	readonly bodyKey?: DeliveryKey | undefined;
	readonly subject: string | undefined;
	readonly bodyBytes: number;
};

/** Text as the database returns it, so that texts which the database cannot distinguish are equal. */
export const storedText = (text: string): string => withoutNul(text).toWellFormed();

export const storedKey = ({profile, route, deliveryId}: DeliveryKey): DeliveryKey => ({
	profile: storedText(profile),
	route: storedText(route),
	deliveryId: storedText(deliveryId),
});

/** Converts a delivery before the transaction, so that a retry costs nothing. @throws SvcError `invalid_delivery_id` */
export const newDelivery = (
	delivery: StoredDelivery,
	{plan, bodyHash}: {readonly plan?: RunPlan; readonly bodyHash?: string | undefined} = {},
): NewDelivery => ({
	parameters: deliveryParameters(delivery, plan),
	row: rowIdOf(delivery.id),
	key: storedKey(delivery),
	bodyKey: identifiersOf({...storedKey(delivery), bodyHash})[1],
	subject: delivery.subject,
	bodyBytes: delivery.body?.byteLength ?? 0,
});

/** A delivery; its run to be written with it, or the number of an existing run or, negated, of its group; and whether it claims its identifier. */
export type KeptDelivery = {
	readonly delivery: NewDelivery;
	readonly work: NewRun | number | null;
	readonly claims: boolean;
};

/** Columns in the order of `deliveryParameters`. */
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

const unlessThere = 'on conflict (id) do nothing';

/** SQL that inserts runs, deliveries and claims in one statement, so that all or none are written. Claims are sorted, so that no two transactions deadlock. */
const insertAll = (isAgain: boolean) => `with ${withNewRuns(next + 4)},
	given as materialized (
		select ${names.replace(' run,', ' coalesce(run_id, run) as run,')}, claims, body_hash
		from (select * from unnest(${arrays}, $${next}::bigint[], $${next + 1}::boolean[], $${next + 2}::text[]) as one (${names}, of_run, claims, body_hash)) as one
		left join (select id as run_id, place from new_run) as new_run on new_run.place = one.of_run
	), kept as (
		insert into delivery (${names}) select ${names} from given ${isAgain ? unlessThere : ''}
	), claimed as (
		insert into claim (profile, route, delivery_id, delivery, work, at)
		select profile, route, delivery_id, id, run, $${next + 3}::bigint from (
			select profile, route, delivery_id, id, run from given where claims
			union all select profile, route || ' body', body_hash, id, run from given where body_hash is not null
		) as claiming order by profile collate "C", route collate "C", delivery_id collate "C"
		on conflict (profile, route, delivery_id) do update set delivery = excluded.delivery, work = excluded.work, at = excluded.at
	) select id from new_run order by place`;

/**
 * Writes deliveries with their claims and with `runs`, which are queued as by `enqueue`; resolves with the numbers of these runs. The only place that inserts deliveries.
 * If two claim one identifier, the later one gets it. `isAgain`: existing deliveries are unchanged.
 */
export async function keepDeliveries(
	{query, now}: Pick<Transaction, 'query' | 'now'>,
	kept: readonly KeptDelivery[],
	{
		runs = [],
		isAgain = false,
	}: {readonly runs?: readonly NewRun[]; readonly isAgain?: boolean} = {},
): Promise<readonly number[]> {
	const values: SqlValue[] = columns.map(([name], index) =>
		kept.map(({delivery: {parameters, subject}, work}) => {
			if (name === 'run') {
				return typeof work === 'number' ? work : null;
			}

			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parameters of a delivery are numbers, texts and bytes
			return name === 'subject' ? (subject ?? null) : (parameters[index] as string | null);
		}),
	);
	const claims = new Map(
		kept
			.filter(({claims: claimed}) => claimed)
			.map(one => [deliveryKeyName(one.delivery.key), one]),
	);
	const bodies = new Map(
		kept.filter(({claims: claimed}) => claimed).map(one => [nameOfBody(one), one]),
	);
	if (claims.size === 0 && runs.length === 0) {
		await query(isAgain ? `${insert} ${unlessThere}` : insert, values);
		return [];
	}

	const places = new Map(runs.map((run, index) => [run, index + 1]));
	const rows = await query(insertAll(isAgain), [
		...values,
		kept.map(({work}) => (typeof work === 'object' && work ? (places.get(work) ?? null) : null)),
		kept.map(one => String(claims.get(deliveryKeyName(one.delivery.key)) === one)),
		kept.map(one =>
			bodies.get(nameOfBody(one)) === one ? (one.delivery.bodyKey?.deliveryId ?? null) : null,
		),
		now,
		...newRunValues(runs),
	]);
	return rows.map(row => integerOf(row['id']));
}

const nameOfBody = ({delivery: {bodyKey}}: KeptDelivery): string =>
	bodyKey ? deliveryKeyName(bodyKey) : '';
