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

test('the README explains every error code in a row of its own table', () => {
	const explained = readme.match(/^\| `\w+`.*?\|/gm)?.join('\n') ?? '';
	const codes = [...new Set(sources.flatMap(codesIn))];

	expect(codes.length).toBeGreaterThan(40);
	expect(codes.filter(code => !explained.includes(`\`${code}\``))).toEqual([]);
});

/** Where keys below a path stand: the heading, and whether in its tables or anywhere. The first that fits decides. */
const sections = [
	['platforms.webhook.routes.*.filters.', '### Routes and subscriptions', 'text'],
	['platforms.webhook.routes.*.', '### Routes and subscriptions', 'tables'],
	['platforms.webhook.', '### Receiver', 'tables'],
	['platforms.email.', '### Runs, retention, platforms', 'tables'],
	['platforms.', '### Runs, retention, platforms', 'text'],
	['model.', '### Model', 'tables'],
	['mcp_servers.*.', '### Tool servers', 'tables'],
	['', '### Runs, retention, platforms', 'tables'],
] as const;

/** What stands in backticks there, cut into words. */
const wordsBelow = (heading: string, where: 'tables' | 'text'): readonly string[] =>
	(readme.split(/^(?=###? )/m).find(text => text.startsWith(heading)) ?? '')
		.split('\n')
		.filter(line => where === 'text' || line.startsWith('|'))
		.flatMap(line => line.match(/`[^`]+`/g) ?? [])
		.flatMap(code => code.match(/\w+/g) ?? []);

type Schema = {
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly additionalProperties?: Schema | boolean;
	readonly items?: Schema;
	readonly anyOf?: readonly Schema[];
	readonly oneOf?: readonly Schema[];
	readonly allOf?: readonly Schema[];
	readonly $ref?: string;
};

/** The paths of the values that a schema names, with `*` for a name that is free. Shapes that hold themselves are entered once. */
const leavesOf = (
	{properties = {}, additionalProperties, items, $ref, ...schema}: Schema,
	definitions: Readonly<Record<string, Schema>>,
	path = '',
): readonly string[] => {
	const {[$ref?.replace('#/$defs/', '') ?? '']: definition, ...others} = definitions;
	const ways = [schema.anyOf, schema.oneOf, schema.allOf, items].flatMap(way => way ?? []);
	const inside = [
		...Object.entries(properties).map(([key, below]) => [`${path}${key}.`, below] as const),
		...(typeof additionalProperties === 'object'
			? [[`${path}*.`, additionalProperties] as const]
			: []),
		...ways.map(below => [path, below] as const),
	].flatMap(([to, below]) => leavesOf(below, definitions, to));
	const named = definition ? leavesOf(definition, others, path) : [];
	return inside.length + named.length === 0 ? [path] : [...inside, ...named];
};

test('the README has every key of the configuration in its section, in the table where that has one', async () => {
	const {configSchemaJson} = await import('../source/config/config-schema-json.ts');
	const schema = configSchemaJson() as Schema & {readonly $defs: Readonly<Record<string, Schema>>};
	const all = [...new Set(leavesOf(schema, schema.$defs))];
	const paths = all
		.filter(path => !all.some(other => other !== path && other.startsWith(path)))
		// `extra` repeats the receiver's keys, and `api` is a whole area that this version accepts and does not read yet.
		.filter(path => !path.startsWith('platforms.webhook.extra.') && !path.startsWith('api.'));
	const missing = paths.filter(path => {
		const key =
			path
				.replace(/(?:\*\.)+$/, '')
				.split('.')
				.at(-2) ?? '';
		const [, heading, where] = sections.find(([start]) => path.startsWith(start)) ?? [];
		return !heading || !wordsBelow(heading, where ?? 'tables').includes(key);
	});

	expect(paths.length).toBeGreaterThan(100);
	expect(missing).toEqual([]);
});
