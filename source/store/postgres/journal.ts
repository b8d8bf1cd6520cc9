import {idOfNumber, lateMs, numberOfId, numberOfTime} from '../../core/ids.ts';
import {readRows} from '../broken-rows.ts';
import {integerOf, newestFirst, pageOf} from '../columns.ts';
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
import {floorIn} from './ask.ts';
import {readCounters} from './counters.ts';
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
				{
					floorOf: floorIn(database, 'delivery'),
					find: async ({floor, top, count}) =>
						query(
							'select id from delivery where id >= $1 and id < $2 and id % $3::bigint = $4::bigint order by id desc limit $5',
							[floor, top, modulusOf(id), value, count],
						),
				},
				{before: Number.MAX_SAFE_INTEGER, limit: maxCandidates + 1, rows: stretchRows},
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

			const tables =
				runStates === undefined
					? workedTables
					: `${workedTables} join run as started on started.id = ${runOfDelivery} and started.state = any($5)`;
			const filter = [route ?? null, outcomes ?? null, runStates ?? null, since, profile ?? null];
			return newestFirst(
				{
					floorOf: floorIn(database, 'delivery', Math.trunc(numberOfTime(since - lateMs))),
					find: async stretch =>
						readRows(
							await query(
								`select ${workedColumns} from ${tables}
								where delivery.id >= $1 and delivery.id < $2 and ($3::text is null or delivery.route = $3) and ($4::text[] is null or outcome = any($4))
									and ($5::text[] is null or true) and received_at >= $6 and ($7::text is null or delivery.profile = $7)
								order by delivery.id desc limit $8`,
								[stretch.floor, stretch.top, ...filter, stretch.count],
							),
							row => workOfRow(deliveryOfRow(row), row),
							{table: 'delivery', onBroken: database.onBroken},
						),
				},
				{before: top, limit: pageOf(limit), rows: stretchRows},
			);
		},
		async count() {
			await deferred.flush();
			return (await readCounters(database)).deliveries;
		},
		purge: async (retention, signal) => purge(database, retention, signal),
	};
}
