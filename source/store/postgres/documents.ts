import {SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {readRows} from '../broken-rows.ts';
import {type Row, integerOf, jsonOf, textOf} from '../columns.ts';
import type {DocumentChange, DocumentKey, Documents, StoredDocument} from '../document-port.ts';
import type {Transaction} from './database.ts';
import type {PostgresParts} from './parts.ts';

const maxChanges = 1000;
/** Maximum number of remembered removals. */
const maxRemoved = 10_000;

/** `Documents` on PostgreSQL. Versions are assigned under the lock `documents`, which is held until the commit, so that they become visible in order. */
export function createDocuments({
	database,
	publish,
}: Pick<PostgresParts, 'database' | 'publish'>): Documents {
	const ofDocuments = {table: 'document', onBroken: database.onBroken};
	return {
		async get({kind, profile, name}) {
			const [row] = await database.query(
				'select profile, name, version, data from document where kind = $1 and profile = $2 and name = $3 and data is not null',
				[kind, profile, name],
			);
			return row && readRows([row], documentOf, ofDocuments)[0];
		},
		async list(kind) {
			const rows = await database.query(
				'select profile, name, version, data from document where kind = $1 and data is not null order by profile, name',
				[kind],
			);
			return readRows(rows, documentOf, ofDocuments);
		},
		async changedSince(version, kind) {
			const rows = await database.query(
				`select kind, profile, name, version, data from document where version > $1 and ($2::text is null or kind = $2) order by version limit ${maxChanges}`,
				[version, kind ?? null],
			);
			return readRows(rows, changeOf, ofDocuments);
		},
		async put({data, ...document}) {
			const version = await database.transact(async transaction => {
				await check(transaction, document);
				return write(transaction, document, data);
			}, 'documents');
			publish({kind: 'documents-changed', of: document.kind});
			return version;
		},
		async remove(document) {
			const isGone = await database.transact(async transaction => {
				if (!(await check(transaction, document))) {
					return false;
				}

				await write(transaction, document, undefined);
				await transaction.run(
					`delete from document where data is null and version <= (select version from document where data is null order by version desc limit 1 offset ${maxRemoved})`,
				);
				return true;
			}, 'documents');
			if (isGone) {
				publish({kind: 'documents-changed', of: document.kind});
			}

			return isGone;
		},
	};
}

/** Checks that the current version is `expected`; resolves with whether the document exists. */
async function check(
	{query}: Transaction,
	{kind, profile, name, expected}: Parameters<Documents['remove']>[0],
): Promise<boolean> {
	const [row] = await query(
		'select version from document where kind = $1 and profile = $2 and name = $3 and data is not null',
		[kind, profile, name],
	);
	if (expected !== undefined && integerOf(row?.['version']) !== expected) {
		throw new SvcError(
			'document_changed',
			`Cannot change the ${kind} "${name}": ${row ? 'somebody else changed it' : 'it is gone'} since it was read; read it again`,
		);
	}

	return row !== undefined;
}

/** Writes a document, or without `data` its removal; resolves with its version. */
async function write(
	{query}: Transaction,
	key: DocumentKey,
	data: JsonValue | undefined,
): Promise<number> {
	const [row] = await query(
		`insert into document (kind, profile, name, version, data) values ($1, $2, $3, nextval('document_version'), $4)
		on conflict (kind, profile, name) do update set version = excluded.version, data = excluded.data returning version`,
		[key.kind, key.profile, key.name, data === undefined ? null : JSON.stringify(data)],
	);
	return integerOf(row?.['version']);
}

const placeOf = (row: Row) => ({
	profile: textOf(row['profile']),
	name: textOf(row['name']),
	version: integerOf(row['version']),
});

const documentOf = (row: Row): StoredDocument => ({
	...placeOf(row),
	data: jsonOf<JsonValue>(row['data']),
});

/** @throws Error when the row's data is not JSON: its change is skipped, so that members keep the last readable data. */
const changeOf = (row: Row): DocumentChange => ({
	kind: textOf(row['kind']),
	...placeOf(row),
	...(row['data'] !== null && {data: jsonOf<JsonValue>(row['data'])}),
});
