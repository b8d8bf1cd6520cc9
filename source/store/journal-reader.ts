import {SvcError} from '../core/errors.ts';
import {idOfNumber, lateMs, numberOfId, numberOfTime} from '../core/ids.ts';
import {readRows} from './broken-rows.ts';
import {integerOf, newestFirst, pageOf} from './columns.ts';
import {
	deliveryColumns,
	deliveryOfRow,
	deliveryTables,
	runOfDelivery,
	storedDeliveryOfRow,
	workedColumns,
	workedTables,
	workOfRow,
} from './delivery-rows.ts';
import {createFloors, type Engine} from './engine.ts';
import type {Journal} from './port.ts';

/** Minimum length of an identifier's ending. */
const minEndingLength = 4;
const base = 36;
/** Maximum number of candidates listed for an ambiguous ending. */
const maxCandidates = 5;

/** Reads deliveries; needs no write access. `settle` writes deferred writes, so that what a face was just told can be read. */
export function createJournalReader(
	engine: Engine,
	settle: () => void | Promise<void> = () => {},
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
	const listing = prepare(
		`select ${workedColumns} from ${workedTables}
		where delivery.id >= $1 and delivery.id < $2 and (cast($3 as text) is null or delivery.route = $3)
			and ${among('outcome', '$4')} and ${among(`(select state from run where id = ${runOfDelivery})`, '$5')}
			and received_at >= $6 and (cast($7 as text) is null or delivery.profile = $7)
		order by delivery.id desc limit $8`,
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

			const filter = [route, outcomes ?? null, runStates ?? null, since, profile];
			return newestFirst(
				{
					floorOf: floorIn(Math.trunc(numberOfTime(since - lateMs))),
					find: async stretch =>
						readRows(
							await listing(stretch.floor, stretch.top, ...filter, stretch.count),
							row => workOfRow(deliveryOfRow(row), row),
							{table: 'delivery', onBroken},
						),
				},
				{before: top, limit: pageOf(limit), rows},
			);
		},
	};
}

/** Several identifiers have this ending; the newest come first. */
const ambiguousEnding = (ending: string, candidates: readonly string[]): SvcError =>
	new SvcError(
		'delivery_ambiguous',
		`Cannot tell which delivery "${ending}" is: ${candidates.slice(0, maxCandidates).join(', ')}${candidates.length > maxCandidates ? ' and others' : ''} end so; give more of its characters`,
	);
