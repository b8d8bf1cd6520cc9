import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';

const readme = readFileSync('README.md', 'utf8');

const sources = readdirSync('source', {recursive: true, encoding: 'utf8'})
	.filter(file => /\.tsx?$/.test(file))
	.map(file => readFileSync(join('source', file), 'utf8'));

const codesIn = (text: string) =>
	[
		...text.matchAll(/(?:SvcError|DeliveryError)\(\s*'([a-z_]+)'/g),
		...(/DeliveryErrorCode =[^;]*/.exec(text)?.[0].matchAll(/'([a-z_]+)'/g) ?? []),
	].map(([, code]) => code ?? '');

test('the README explains every error code', () => {
	const codes = [...new Set(sources.flatMap(codesIn))];

	expect(codes.length).toBeGreaterThan(40);
	expect(codes.filter(code => !readme.includes(`\`${code}\``))).toEqual([]);
});

test('the README names every key of the configuration', async () => {
	const {configSchemaJson} = await import('../source/config/config-schema-json.ts');
	const keysOf = (schema: unknown): readonly string[] =>
		typeof schema === 'object' && schema !== null
			? Object.entries(schema).flatMap(([key, value]) =>
					key === 'properties' && typeof value === 'object' && value !== null
						? [...Object.keys(value), ...Object.values(value).flatMap(keysOf)]
						: keysOf(value),
				)
			: [];
	// Whole areas that this version accepts and does not read yet.
	const later = new Set(['mcp_servers', 'api']);
	const keys = [...new Set(keysOf(configSchemaJson()))].filter(key => !later.has(key));

	expect(keys.length).toBeGreaterThan(40);
	expect(keys.filter(key => !new RegExp(`\\b${key}\\b`).test(readme))).toEqual([]);
});
