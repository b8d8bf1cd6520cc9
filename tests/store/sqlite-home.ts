import {copyFileSync, existsSync, mkdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {
	filesOf,
	openSqliteStore,
	type SqliteStoreOptions,
} from '../../source/store/open-sqlite-store.ts';
import type {Home} from './contract.ts';
import {temporaryFolder} from './samples.ts';

/** A temporary folder with a database. A crash is a copy of its files: what is committed is in them. */
export async function createSqliteHome(
	options: Omit<SqliteStoreOptions, 'file'> = {},
): Promise<Home & {readonly file: string}> {
	const folder = temporaryFolder();
	const file = join(folder.path, 'home', 'state.db');
	return {
		file,
		async open(clock) {
			const store = await openSqliteStore({clock}, {...options, file});
			return {...store, taken: await store.takeOver()};
		},
		openBeside: async clock => openSqliteStore({clock}, {...options, file}),
		async crash() {
			const copy = await createSqliteHome(options);
			mkdirSync(dirname(copy.file), {recursive: true});
			const [sources, targets] = [file, copy.file].map(path => [
				...filesOf(path),
				`${path}.reserve`,
			]);
			for (const [index, source] of sources?.entries() ?? []) {
				if (existsSync(source)) {
					copyFileSync(source, targets?.[index] ?? '');
				}
			}

			return copy;
		},
		async [Symbol.asyncDispose]() {
			folder[Symbol.dispose]();
		},
	};
}
