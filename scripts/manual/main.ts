// `npm run manual`: writes the tables of the manual anew from the lists of the program.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fillTables} from './tables.ts';

const folder = 'source/manual';
for (const name of readdirSync(folder).filter(file => file.endsWith('.md'))) {
	const path = join(folder, name);
	const before = readFileSync(path, 'utf8');
	const after = fillTables(before);
	if (after !== before) {
		writeFileSync(path, after);
	}
}
