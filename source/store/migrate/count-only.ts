import {existsSync} from 'node:fs';
import {DatabaseSync} from 'node:sqlite';
import {versionOf} from '../migrations.ts';
import {storeUnreadable} from '../sqlite-errors.ts';
import {type CopyCounts, countAll} from './copy-counts.ts';
import {stepsToPostgres, stepsToSqlite} from './copy-steps.ts';
import {type Origin, postgresOrigin, sqliteOrigin} from './ends.ts';

/** What a copy of `file` would have. An older schema lacks tables: they hold nothing. @throws SvcError `store_unreadable`, `store_too_new` */
export async function countSqlite(file: string): Promise<CopyCounts> {
	if (!existsSync(file)) {
		return new Map();
	}

	try {
		using database = new DatabaseSync(file, {readOnly: true});
		versionOf(database, file);
		const origin = sqliteOrigin(database);
		const counting: Pick<Origin, 'count'> = {
			async count(step) {
				try {
					return await origin.count(step);
				} catch {
					return 0;
				}
			},
		};
		return await countAll(counting, stepsToPostgres);
	} catch (error) {
		throw storeUnreadable(file, error);
	}
}

/** What a copy of a database would have. */
export const countPostgres = async (url: string): Promise<CopyCounts> =>
	countAll(postgresOrigin(url), stepsToSqlite);
