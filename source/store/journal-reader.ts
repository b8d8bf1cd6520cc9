import type {DatabaseSync} from 'node:sqlite';
import type {Delivery} from '../core/delivery.ts';
import {SvcError} from '../core/errors.ts';
import {idOfNumber, lateMs, numberOfId, numberOfTime} from '../core/ids.ts';
import {readRows} from './broken-rows.ts';
import {integerOf, newestFirst, pageOf, type Row} from './columns.ts';
import {
	deliveryColumns,
	deliveryOfRow,
	deliveryTables,
	runOfDelivery,
	storedDeliveryOfRow,
	createWorkReader,
} from './delivery-rows.ts';
import {createFloors, type Engine} from './engine.ts';
import type {Journal} from './port.ts';

/** An ending of an identifier must have this many characters. */
const minEndingLength = 4;
const base = 36;
/** More are not told of when an ending is that of several. */
const maxCandidates = 5;

/**
 * Reads deliveries; needs no write access. `selecting` is a listing up to its first condition, where `isOfStates` with a delivery only where its run, or that of its group, is in one of the states of `$5`;
 * `itemOf` reads its rows.
 */
export function createJournalReader(
	engine: Engine,
	{
		selecting,
		itemOf,
		settle = () => {},
	}: {
		readonly selecting: (isOfStates: boolean) => string;
		readonly itemOf: (row: Row) => Delivery;
		/** Writes what waits to be written: what a face was just told of can be asked for. */
		readonly settle?: (() => void | Promise<void>) | undefined;
	},
): Pick<Journal, 'get' | 'list'> {
	const {prepare, among, onBroken} = engine;
	const rows = engine.stretches.delivery;
	const floorIn = createFloors(engine, 'delivery');
	const one = prepare(
		`select ${deliveryColumns}, headers, body from ${deliveryTables} where delivery.id = $1`,
	);
	const endings = prepare(
		'select id from delivery where id >= $1 and id < $2 and id % cast($3 as bigint) = cast($4 as bigint) order by id desc limit $5',
	);
	const [all, ofStates] = [false, true].map(isOfStates =>
		prepare(
			`${selecting(isOfStates)} and delivery.id >= $1 and delivery.id < $2 and (cast($3 as text) is null or delivery.route = $3)
				and ${among('outcome', '$4')} and received_at >= $6 and (cast($7 as text) is null or delivery.profile = $7)
			order by delivery.id desc limit $8`,
		),
	);
	const read = async (id: number) => {
		const [row] = await one(id);
		return row && storedDeliveryOfRow(row);
	};

	return {
		async get(id) {
			await settle();
			const value = numberOfId(id);
			if (!Number.isSafeInteger(value)) {
				return undefined;
			}

			const exact = idOfNumber(value) === id ? await read(value) : undefined;
			const modulus = base ** id.length;
			if (exact || id.length < minEndingLength || !Number.isSafeInteger(modulus)) {
				return exact;
			}

			const found = await newestFirst(
				{
					floorOf: floorIn(),
					find: async ({floor, top, count}) => endings(floor, top, modulus, value, count),
				},
				{before: Number.MAX_SAFE_INTEGER, limit: maxCandidates + 1, rows},
			);
			const [only, ...others] = found.map(row => integerOf(row['id']));
			if (only !== undefined && others.length > 0) {
				throw ambiguousEnding(id, [only, ...others].map(idOfNumber));
			}

			return only === undefined ? undefined : read(only);
		},
		async list({profile = null, route = null, outcomes, runStates, since = 0, before, limit}) {
			await settle();
			const top = before === undefined ? Number.MAX_SAFE_INTEGER : numberOfId(before);
			if (Number.isNaN(top)) {
				return [];
			}

			const ask = runStates === undefined ? all : ofStates;
			const filter = [route, outcomes ?? null, runStates ?? null, since, profile];
			return newestFirst(
				{
					floorOf: floorIn(Math.trunc(numberOfTime(since - lateMs))),
					find: async stretch =>
						readRows(
							(await ask?.(stretch.floor, stretch.top, ...filter, stretch.count)) ?? [],
							itemOf,
							{table: 'delivery', onBroken},
						),
				},
				{before: top, limit: pageOf(limit), rows},
			);
		},
	};
}

/** The same on SQLite. */
export function createSqliteJournalReader(
	database: DatabaseSync,
	engine: Engine,
	settle?: () => void,
) {
	const withWork = createWorkReader(database);
	const ofStates = engine.among(`(select state from run where id = ${runOfDelivery})`, '$5');
	return createJournalReader(engine, {
		selecting: () => `select ${deliveryColumns} from ${deliveryTables} where ${ofStates}`,
		itemOf: row => withWork(deliveryOfRow(row)),
		settle,
	});
}

/** An ending of several identifiers, the newest first. */
const ambiguousEnding = (ending: string, candidates: readonly string[]): SvcError =>
	new SvcError(
		'delivery_ambiguous',
		`Cannot tell which delivery "${ending}" is: ${candidates.slice(0, maxCandidates).join(', ')}${candidates.length > maxCandidates ? ' and others' : ''} end so; give more of its characters`,
	);
