import type {DatabaseSync} from 'node:sqlite';
import {SvcError} from '../core/errors.ts';
import {idOfNumber, lateMs, numberOfId, numberOfTime} from '../core/ids.ts';
import {type OnBroken, readRows} from './broken-rows.ts';
import {floorOfRow, integerOf, newestFirst, pageOf} from './columns.ts';
import {
	deliveryColumns,
	deliveryOfRow,
	deliveryTables,
	runOfDelivery,
	storedDeliveryOfRow,
	createWorkReader,
} from './delivery-rows.ts';
import type {Journal} from './port.ts';

/** Rows that are looked at in one go: a row takes a few hundred bytes to a few kilobytes of its page. */
const stretch = 2000;
/** An ending of an identifier must have this many characters. */
const minEndingLength = 4;
const base = 36;
/** More are not told of when an ending is that of several. */
export const maxCandidates = 5;

/** Whether an identifier may be asked for by `text` as its ending. */
export const isEnding = (text: string): boolean =>
	text.length >= minEndingLength && Number.isSafeInteger(modulusOf(text));

/** What is left of an identifier divided by this is its ending. */
export const modulusOf = (ending: string): number => base ** ending.length;

/** Reads deliveries; needs no write access. */
export function createJournalReader(
	database: DatabaseSync,
	onBroken: OnBroken,
): Pick<Journal, 'get' | 'list'> {
	const one = database.prepare(
		`select ${deliveryColumns}, headers, body from ${deliveryTables} where delivery.id = ?`,
	);
	const floor = database.prepare(
		`select min(id) as floor from (select id from delivery where id < ? order by id desc limit ${stretch})`,
	);
	const endings = database.prepare(
		'select id from delivery where id >= ? and id < ? and id % ? = ? order by id desc limit ?',
	);
	const matches = database.prepare(
		`select ${deliveryColumns} from ${deliveryTables}
		where delivery.id >= ?1 and delivery.id < ?2 and (?3 is null or delivery.route = ?3)
			and (?4 is null or outcome in (select value from json_each(?4)))
			and (?5 is null or (select state from run where id = ${runOfDelivery}) in (select value from json_each(?5)))
			and received_at >= ?6
			and (?7 is null or delivery.profile = ?7)
		order by delivery.id desc limit ?8`,
	);
	const withWork = createWorkReader(database);
	const floorOf = (top: number) => floorOfRow(floor.get(top));

	/** The newest rows whose identifier ends so. */
	const findEnding = async (ending: string, value: number): Promise<readonly number[]> => {
		if (!isEnding(ending)) {
			return [];
		}

		const found = await newestFirst(
			{
				floorOf,
				find: ({floor: from, top, count}) =>
					endings.all(from, top, modulusOf(ending), value, count),
			},
			{before: Number.MAX_SAFE_INTEGER, limit: maxCandidates + 1},
		);
		return found.map(row => integerOf(row['id']));
	};

	return {
		async get(id) {
			const value = numberOfId(id);
			if (!Number.isSafeInteger(value)) {
				return undefined;
			}

			const exact = idOfNumber(value) === id ? one.get(value) : undefined;
			const [only, ...others] = exact ? [] : await findEnding(id, value);
			if (only !== undefined && others.length > 0) {
				throw ambiguousEnding(id, [only, ...others].map(idOfNumber));
			}

			const row = exact ?? (only === undefined ? undefined : one.get(only));
			return row && storedDeliveryOfRow(row);
		},
		async list({profile, route, outcomes, runStates, since = 0, before, limit}) {
			const filter = [route ?? null, listOf(outcomes), listOf(runStates), since, profile ?? null];
			const bottom = numberOfTime(since - lateMs);
			const top = before === undefined ? Number.MAX_SAFE_INTEGER : numberOfId(before);
			if (Number.isNaN(top)) {
				return [];
			}

			return newestFirst(
				{
					floorOf: below => (below < bottom ? undefined : floorOf(below)),
					find: ({floor: from, top: below, count}) =>
						readRows(
							matches.all(from, below, ...filter, count),
							row => withWork(deliveryOfRow(row)),
							{table: 'delivery', onBroken},
						),
				},
				{before: top, limit: pageOf(limit)},
			);
		},
	};
}

/** An ending of several identifiers, the newest first. */
export const ambiguousEnding = (ending: string, candidates: readonly string[]): SvcError =>
	new SvcError(
		'delivery_ambiguous',
		`Cannot tell which delivery "${ending}" is: ${candidates.slice(0, maxCandidates).join(', ')}${candidates.length > maxCandidates ? ' and others' : ''} end so; give more of its characters`,
	);

/** Words for `json_each`; null when all are wanted. */
const listOf = (words: readonly string[] | undefined): string | null =>
	words === undefined ? null : JSON.stringify(words);
