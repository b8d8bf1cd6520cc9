import type {Delivery, DeliveryOutcome, StoredDelivery, TraceStep} from '../core/delivery.ts';
import {SvcError} from '../core/errors.ts';
import {idOfNumber, numberOfId} from '../core/ids.ts';
import type {RunPlan, RunState} from '../core/run.ts';
import {
	integerOf,
	jsonOf,
	nullableInteger,
	optional,
	textOf,
	wordOf,
	type Bindings,
	type Row,
	nullableText,
} from './columns.ts';
import type {DeliveryKey} from './port.ts';

/** Columns of a delivery except headers and body. `deliveryTables` joins the tables. */
export const deliveryColumns = `delivery.id, delivery.profile, delivery.route, delivery.event, delivery_id, id_source, status, outcome, received_at, duration_ms,
	body_bytes, flags, replay_of, delivery.run as work, case when coalesce_group.latest = delivery.id then coalesce_group.run end as grouped_run, trace`;

/** A delivery and its group, if any, in which case its `run` is negative. */
export const deliveryTables =
	'delivery left join coalesce_group on coalesce_group.id = -delivery.run';

/** The run of a delivery, or of its group. */
export const runOfDelivery =
	'case when delivery.run > 0 then delivery.run else coalesce_group.run end';

/** Takes `deliveryParameters`, and last the number of the run, the negated number of the group, or null. */
export const insertDelivery = `insert into delivery (
	id, profile, route, event, delivery_id, id_source, status, outcome, received_at, duration_ms, body_bytes, flags, replay_of, trace, headers, plan, body, run
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The number behind a `Delivery.id`. @throws SvcError `invalid_delivery_id` */
export function rowIdOf(id: string): number {
	const value = numberOfId(id);
	if (!Number.isSafeInteger(value)) {
		throw new SvcError(
			'invalid_delivery_id',
			`Cannot store the delivery "${id}": its identifier must be 1 to 11 characters of 0-9 and a-z`,
		);
	}

	return value;
}

/** The parameters of `insertDelivery` for a delivery, made before the transaction so that a retry costs nothing. */
export const deliveryParameters = (delivery: StoredDelivery, plan?: RunPlan): Bindings => [
	rowIdOf(delivery.id),
	delivery.profile,
	delivery.route,
	delivery.event,
	delivery.deliveryId,
	delivery.idSource,
	delivery.status,
	delivery.outcome,
	delivery.receivedAt,
	delivery.durationMs,
	delivery.bodyBytes,
	delivery.flags,
	delivery.replayOf === undefined ? null : rowIdOf(delivery.replayOf),
	traceText(delivery),
	JSON.stringify(delivery.headers),
	plan === undefined ? null : JSON.stringify(plan),
	delivery.body ?? null,
];

/** The trace as JSON, with the subject in its first step: a column of its own would lie behind the bodies, and programs that do not know subjects can still read the trace. */
function traceText({trace, subject}: Delivery): string {
	const [first, ...further] = trace;
	return JSON.stringify(subject === undefined ? trace : [{...first, subject}, ...further]);
}

/** The subject of a row, as SQL. */
export const subjectColumn =
	"iif(json_valid(delivery.trace), json_extract(delivery.trace, '$[0].subject'), null)";

/** The first step of a stored trace; for a delivery without steps it has only a subject. */
type WrittenStep = TraceStep & {readonly subject?: string};

/** Splits the column `trace` into trace and subject. */
function traceOf(row: Row): Pick<Delivery, 'trace' | 'subject'> {
	const trace = jsonOf<readonly WrittenStep[]>(row['trace']);
	const [first, ...further] = trace;
	if (first?.subject === undefined) {
		return {trace};
	}

	const {subject, ...step} = first;
	return {subject, trace: Object.hasOwn(step, 'step') ? [step, ...further] : further};
}

/** Splits the column `work`: a run, a group, or neither. Only the latest delivery of a group has the group's run. */
function workOf(row: Row): Pick<Delivery, 'runId' | 'group'> {
	const work = integerOf(row['work']);
	return {
		...optional('runId', work > 0 ? work : nullableInteger(row['grouped_run'])),
		...optional('group', work < 0 ? -work : null),
	};
}

/** Converts a row of `deliveryColumns` to the value for faces. */
export const deliveryOfRow = (row: Row): Delivery => ({
	id: idOfNumber(integerOf(row['id'])),
	profile: textOf(row['profile']),
	route: textOf(row['route']),
	event: textOf(row['event']),
	deliveryId: textOf(row['delivery_id']),
	idSource: textOf(row['id_source']),
	status: integerOf(row['status']),
	outcome: wordOf<DeliveryOutcome>(row['outcome']),
	receivedAt: integerOf(row['received_at']),
	durationMs: integerOf(row['duration_ms']),
	bodyBytes: integerOf(row['body_bytes']),
	flags: integerOf(row['flags']),
	...traceOf(row),
	...optional(
		'replayOf',
		row['replay_of'] === null ? null : idOfNumber(integerOf(row['replay_of'])),
	),
	...workOf(row),
});

/** Converts a row of `deliveryColumns, headers, body`. */
export function storedDeliveryOfRow(row: Row): StoredDelivery {
	const {body} = row;
	return {
		...deliveryOfRow(row),
		headers: jsonOf<StoredDelivery['headers']>(row['headers']),
		// PostgreSQL's driver returns a Buffer.
		...(body instanceof Uint8Array && {
			body: new Uint8Array(body.buffer, body.byteOffset, body.byteLength),
		}),
	};
}

/** Columns and tables of a listing that also shows the state of each delivery's run, and the group's latest delivery, which has the run. */
export const workedColumns = `${deliveryColumns}, run.state as work_state, coalesce_group.latest`;
export const workedTables = `${deliveryTables} left join run on run.id = case when delivery.run > 0 then delivery.run when coalesce_group.latest = delivery.id then coalesce_group.run end`;

/** Adds to a delivery the state of its run, or that a later event of its group replaced it, from its row of `workedColumns`. */
export function workOfRow(delivery: Delivery, row: Row): Delivery {
	const latest = nullableInteger(row['latest']);
	if (delivery.runId !== undefined) {
		return nullableText(row['work_state']) === null
			? delivery
			: {...delivery, work: wordOf<RunState>(row['work_state'])};
	}

	return latest !== null && integerOf(latest) !== rowIdOf(delivery.id)
		? {...delivery, work: 'superseded'}
		: delivery;
}

/** The claim on an identifier: the row of the delivery, when it claimed (milliseconds since 1970, on the clock `now`), and in `work` its run or, negated, its group. */
export type IdentifierClaim = {
	readonly delivery: number;
	readonly work: number | null;
	readonly at: number;
	/** Its row in `fresh_claim`; 0 when it is stored elsewhere. */
	readonly row: number;
};

/** Up to which row of `fresh_claim`, and up to which run, claims have been processed. */
export type Floors = {fresh: number; run: number};

/** Raises `floors` to include `claim`. */
export function raise(floors: Floors, {row, work}: IdentifierClaim): void {
	if (row > 0) {
		floors.fresh = Math.max(floors.fresh, row);
	} else {
		floors.run = Math.max(floors.run, work ?? 0);
	}
}

/** The identifiers of a delivery: its own, and the hash of its body if that counts as one. The second cannot be confused with a route: route names contain no space. */
export const identifiersOf = ({
	profile,
	route,
	deliveryId,
	bodyHash,
}: DeliveryKey & {readonly bodyHash?: string | undefined}): readonly DeliveryKey[] => [
	{profile, route, deliveryId},
	...(bodyHash === undefined ? [] : [{profile, route: `${route} body`, deliveryId: bodyHash}]),
];

/** Unique: names of profiles and routes contain no NUL. */
export const deliveryKeyName = ({profile, route, deliveryId}: DeliveryKey): string =>
	`${profile}\0${route}\0${deliveryId}`;

/** `deliveryKeyName` in SQL, as the column `name`, with the identifier from column `id`: opening the store reads thousands. */
export const nameColumn = (id: string): string =>
	`profile || char(0) || route || char(0) || ${id} as name`;

/** Splits a key's name into profile, route and identifier. */
export function partsOfKeyName(name: string): [profile: string, route: string, deliveryId: string] {
	const [profile = '', route = '', ...rest] = name.split('\0');
	return [profile, route, rest.join('\0')];
}

/** Parses a row of claims. */
export const claimOf = (row: Row): IdentifierClaim => ({
	delivery: integerOf(row['delivery']),
	work: nullableInteger(row['run']),
	at: integerOf(row['at']),
	row: row['id'] === undefined ? 0 : integerOf(row['id']),
});
