import {codeOf, SvcError} from '../../core/errors.ts';
import {integerOf} from '../columns.ts';
import type {Database, Statements} from './database.ts';
import {steps} from './schema-steps.ts';

/** PostgreSQL's error code for a missing table. */
const undefinedTable = '42P01';

/** The schema version that this program writes. */
export const schemaVersion = steps.length;

/** The version of an existing schema; 0 before the first step. @throws SvcError `store_too_new` */
export async function versionOf({query}: Pick<Statements, 'query'>, name: string): Promise<number> {
	const [row] = await query('select max(version) as version from schema_version');
	const version = integerOf(row?.['version']);
	if (version > schemaVersion) {
		throw new SvcError(
			'store_too_new',
			`Cannot open the store ${name}: a newer version of svc wrote it, with schema ${version}, and this program knows ${schemaVersion}: upgrade to that version`,
		);
	}

	return version;
}

/** Whether the schema is that of this program, as it usually is: then no lock is needed. @throws SvcError `store_too_new`, `journal_unavailable` */
async function isCurrent(database: Database): Promise<boolean> {
	try {
		return (await versionOf(database, database.name)) === schemaVersion;
	} catch (error) {
		if (error instanceof SvcError && codeOf(error.cause) === undefinedTable) {
			return false;
		}

		throw error;
	}
}

/**
 * Migrates the schema to `schemaVersion`, one member at a time: members that start together on an empty database wait for the first. Older members go on beside it: steps
 * only add.
 *
 * @throws SvcError `store_too_new`, `journal_unavailable`
 */
export async function migrate(database: Database): Promise<void> {
	if (await isCurrent(database)) {
		return;
	}

	await database.transact(async ({query, run}) => {
		await run('create table if not exists schema_version (version integer not null)');
		const version = await versionOf({query}, database.name);
		for (const [index, step] of steps.slice(version).entries()) {
			// oxlint-disable-next-line no-await-in-loop -- each builds on the one before
			await run(step);
			// oxlint-disable-next-line no-await-in-loop
			await run('insert into schema_version values ($1)', [version + index + 1]);
		}
	}, 'schema');
}
