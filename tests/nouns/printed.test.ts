import {readdirSync} from 'node:fs';
import {expect, test} from 'vitest';

type Listed = {
	readonly columns: ReadonlyArray<{readonly key: string}>;
	readonly printed: Readonly<Record<'columns' | 'whole' | 'optional', readonly string[]>>;
};

const isListed = (value: unknown): value is Listed =>
	typeof value === 'object' && value !== null && 'columns' in value && 'printed' in value;

const root = 'source/nouns';

test('the command line prints no column of a noun that the noun does not have', async () => {
	const files = readdirSync(root, {recursive: true, encoding: 'utf8'}).filter(file =>
		file.endsWith('.ts'),
	);
	const modules = await Promise.all(
		files.map(async (file): Promise<object> => import(`../../${root}/${file}`)),
	);
	const nouns = modules.flatMap(Object.entries).filter(([, value]) => isListed(value));
	expect(nouns.length).toBeGreaterThan(8);
	for (const [name, {columns, printed}] of nouns as ReadonlyArray<[string, Listed]>) {
		const keys = new Set(columns.map(({key}) => key));
		const named = [...printed.columns, ...printed.whole, ...printed.optional];
		expect({name, unknown: named.filter(key => !keys.has(key))}).toEqual({name, unknown: []});
	}
});
