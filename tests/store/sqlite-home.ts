import {copyFileSync, existsSync} from 'node:fs';
import {join} from 'node:path';
import {
	filesOf,
	openSqliteStore,
	type SqliteStoreOptions,
} from '../../source/store/open-sqlite-store.ts';
import {layStore} from '../helpers/lay-store.ts';
import type {Home} from './contract.ts';
import {temporaryFolder} from './samples.ts';

/** A temporary folder with a database. A crash is a copy of its files: what is committed is in them. */
export async function createSqliteHome(
	options: Omit<SqliteStoreOptions, 'file'> = {},
): Promise<Home & {readonly file: string}> {
	const folder = temporaryFolder();
	const file = join(folder.path, 'home', 'state.db');
	await layStore(file);
	return {
		file,
		async open(clock) {
			const store = await openSqliteStore({clock}, {...options, file});
			return {...store, taken: await store.takeOver()};
		},
		openBeside: async clock => openSqliteStore({clock}, {...options, file}),
		now: clock => clock.now(),
		async crash() {
			const copy = await createSqliteHome(options);
			for (const [index, source] of filesOf(file).entries()) {
				if (existsSync(source)) {
					copyFileSync(source, filesOf(copy.file)[index] ?? '');
				}
			}

			return copy;
		},
		async [Symbol.asyncDispose]() {
			folder[Symbol.dispose]();
		},
	};
}
