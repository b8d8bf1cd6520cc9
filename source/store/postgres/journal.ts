import {idOfNumber, lateMs, numberOfId, numberOfTime} from '../../core/ids.ts';
import {readRows} from '../broken-rows.ts';
import {floorOfRow, integerOf, type Row, pageOf} from '../columns.ts';
import {
	deliveryColumns,
	deliveryOfRow,
	deliveryTables,
	runOfDelivery,
	storedDeliveryOfRow,
	workOfRow,
} from '../delivery-rows.ts';
import {ambiguousEnding, isEnding, maxCandidates, modulusOf} from '../journal-reader.ts';
import type {Journal} from '../port.ts';
import {readCounters} from './counters.ts';
import type {Parameter, Statements} from './database.ts';
import {workedColumns, workedTables} from './history-nouns.ts';
import type {PostgresParts} from './parts.ts';
import {purge} from './retention.ts';

/** Rows that the first statement of a listing looks at, and any at most: a rare match needs a long look, and no statement is to take long. */
const stretchRows = {first: 5000, most: 80_000} as const;

/** `Journal` on PostgreSQL. */
export function createJournal({
	database,
	deferred,
}: Pick<PostgresParts, 'database'> & {
	readonly deferred: Pick<PostgresParts['deferred'], 'flush'>;
}): Journal {
	const {query} = database;
	const read = async (id: number) => {
		const [row] = await query(
			`select ${deliveryColumns}, headers, body from ${deliveryTables} where delivery.id = $1`,
			[id],
		);
		const body = row?.['body'];
		return (
			row &&
			storedDeliveryOfRow({
				...row,
				// The driver gives a Buffer.
				...(body instanceof Uint8Array && {
					body: new Uint8Array(body.buffer, body.byteOffset, body.byteLength),
				}),
			})
		);
	};

	return {
		async get(id) {
			await deferred.flush();
			const value = numberOfId(id);
			if (!Number.isSafeInteger(value)) {
				return undefined;
			}

			const exact = idOfNumber(value) === id ? await read(value) : undefined;
			if (exact || !isEnding(id)) {
				return exact;
			}

			const found = await newestFirst(
				database,
				{
					columns: 'delivery.id',
					tables: 'delivery',
					where: 'id % $3::bigint = $4::bigint',
					bindings: [modulusOf(id), value],
				},
				{bottom: 0, before: Number.MAX_SAFE_INTEGER, limit: maxCandidates + 1},
			);
			const [only, ...others] = found.map(row => integerOf(row['id']));
			if (only !== undefined && others.length > 0) {
				throw ambiguousEnding(id, [only, ...others].map(idOfNumber));
			}

			return only === undefined ? undefined : read(only);
		},
		async list({profile, route, outcomes, runStates, since = 0, before, limit}) {
			await deferred.flush();
			const top = before === undefined ? Number.MAX_SAFE_INTEGER : numberOfId(before);
			if (Number.isNaN(top)) {
				return [];
			}

			const rows = await newestFirst(
				database,
				{
					columns: workedColumns,
					tables:
						runStates === undefined
							? workedTables
							: `${workedTables} join run as started on started.id = ${runOfDelivery} and started.state = any($5)`,
					where: `($3::text is null or delivery.route = $3) and ($4::text[] is null or outcome = any($4)) and ($5::text[] is null or true)
						and received_at >= $6 and ($7::text is null or delivery.profile = $7)`,
					bindings: [route ?? null, outcomes ?? null, runStates ?? null, since, profile ?? null],
				},
				{bottom: numberOfTime(since - lateMs), before: top, limit: pageOf(limit)},
			);
			return readRows(rows, row => workOfRow(deliveryOfRow(row), row), {
				table: 'delivery',
				onBroken: database.onBroken,
			});
		},
		async count() {
			await deferred.flush();
			return (await readCounters(database)).deliveries;
		},
		purge: async (retention, signal) => purge(database, retention, signal),
	};
}

/** Deliveries that match, newest first: stretch by stretch, each in a statement of its own that also says where it ended. `where` counts its parameters from 3 on. */
async function newestFirst(
	{query}: Pick<Statements, 'query'>,
	{
		columns,
		tables,
		where,
		bindings,
	}: {
		readonly columns: string;
		readonly tables: string;
		readonly where: string;
		readonly bindings: readonly Parameter[];
	},
	{
		bottom,
		before,
		limit,
	}: {readonly bottom: number; readonly before: number; readonly limit: number},
): Promise<readonly Row[]> {
	const next = bindings.length + 3;
	const sql = `select edge.floor, page.* from (
			select min(id) as floor from (select id from delivery where id < $1 and id >= $${next} order by id desc limit $${next + 1}) as stretch
		) as edge left join lateral (
			select ${columns} from ${tables} where delivery.id >= edge.floor and delivery.id < $1 and ${where} order by delivery.id desc limit $2
		) as page on true`;
	const found: Row[] = [];
	let length: number = stretchRows.first;
	for (let top = before; ;) {
		// oxlint-disable-next-line no-await-in-loop -- each begins where the one before ended
		const rows = await query(sql, [top, limit - found.length, ...bindings, bottom, length]);
		found.push(...rows.filter(row => row['id'] !== null));
		const floor = floorOfRow(rows[0]);
		if (floor === undefined || found.length >= limit) {
			return found;
		}

		top = floor;
		length = Math.min(stretchRows.most, length * 4);
	}
}
