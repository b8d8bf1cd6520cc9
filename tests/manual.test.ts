import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {fillTables} from '../scripts/manual/tables.ts';
import {errorCodes} from '../source/manual/error-codes.ts';
import {platformKinds} from '../source/platforms/platforms.ts';

const folder = 'source/manual';

const pages = readdirSync(folder)
	.filter(name => name.endsWith('.md'))
	.map(name => ({name, path: join(folder, name), text: readFileSync(join(folder, name), 'utf8')}));

/** What the formatter does to a table: blanks for the width of its columns. */
const plain = (text: string) => text.replaceAll(/ {2,}/g, ' ').replaceAll(/\| -+(?= )/g, '| -');

test.each(pages)('the tables of $name are those of the program: see `npm run manual`', ({text}) => {
	expect(plain(text)).toBe(plain(fillTables(text)));
});

test('a page that lost a row is noticed', () => {
	const page = pages.find(({name}) => name === 'runs.md');
	const without = page?.text.replace(/^\| `concurrency`.*\n/m, '') ?? '';
	expect(without).not.toBe(page?.text);
	expect(plain(fillTables(without))).not.toBe(plain(without));
});

const runCodes = Object.entries(errorCodes).filter(([code]) => code.startsWith('run_'));

test.each(runCodes)('%s of a run says which command helps', (_code, text) => {
	expect(text).toMatch(/`svc runs [a-z]+( RUN)?`/);
});

const headings = (text: string): ReadonlySet<string> =>
	new Set(
		[...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
			title
				.toLowerCase()
				.replaceAll(/[^\p{L}\p{N} _-]/gu, '')
				.replaceAll(' ', '-'),
		),
	);

test.each(pages)('no heading of $name stands there twice', ({text}) => {
	const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([line]) => line);
	expect(titles).toEqual([...new Set(titles)]);
});

test.each(platformKinds)(
	'the page of $kind has the steps that its setup tells',
	({kind, setUp = []}) => {
		const page = pages.find(({name}) => name === `delivery-${kind}.md`)?.text;
		for (const step of setUp) {
			expect(page).toContain(`- ${step}\n`);
			// Outside of code that would be HTML, which no page shows.
			expect(step.replaceAll(/`[^`]*`/g, '')).not.toContain('<');
		}
	},
);

const allHeadings = new Map(pages.map(({name, text}) => [name, headings(text)]));

const documents = [
	{name: 'README.md', path: 'README.md', text: readFileSync('README.md', 'utf8')},
	{
		name: 'source/README.md',
		path: 'source/README.md',
		text: readFileSync('source/README.md', 'utf8'),
	},
	...pages,
];

test.each(documents)('every link of $name leads somewhere', ({path, text}) => {
	const broken = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].filter(
		([, file = '', heading]) => {
			const target = join(dirname(path), file);
			const known = allHeadings.get(
				file === '' ? path.replace(`${folder}/`, '') : file.replace(/^.*\//, ''),
			);
			return (
				(file !== '' && !existsSync(target)) ||
				(heading !== undefined && known?.has(heading) === false)
			);
		},
	);
	expect(broken.map(([link]) => link)).toEqual([]);
});

const sources = readdirSync('source', {recursive: true, encoding: 'utf8'})
	.filter(file => /\.tsx?$/.test(file))
	.map(file => ({file, text: readFileSync(join('source', file), 'utf8')}));

test('every @see that names a page of the manual names a heading that it has', () => {
	const cited = sources.flatMap(({file, text}) =>
		[...text.matchAll(/manual\/([a-z-]+\.md)(?:#([\w-]+))?/g)].map(([, page = '', heading]) => ({
			file,
			page,
			heading,
		})),
	);
	expect(cited.length).toBeGreaterThan(100);
	expect(
		cited.filter(
			({page, heading}) =>
				!allHeadings.has(page) || (heading !== undefined && !allHeadings.get(page)?.has(heading)),
		),
	).toEqual([]);
});

test('no comment cites a document that is not in the project', () => {
	expect(
		sources.flatMap(({file, text}) =>
			[...text.matchAll(/\b(?:Interface \d|Decisions \d|interface\.md|decisions\.md)[^\n]*/g)].map(
				([words]) => `${file}: ${words}`,
			),
		),
	).toEqual([]);
});

test('the README leaves the reference to the manual, whose pages it names, or another that it names does', () => {
	const readme = readFileSync('README.md', 'utf8');
	expect(readme.split('\n').length).toBeLessThanOrEqual(250);
	const named = pages.filter(({name}) => readme.includes(`manual/${name}`));
	expect(
		pages
			.filter(page => !named.includes(page))
			.filter(({name}) => !named.some(({text}) => text.includes(`](${name})`)))
			.map(({name}) => name),
	).toEqual([]);
});

/** Where keys below a path stand: the pages, and whether in their tables or anywhere. The first that fits decides. */
const places = [
	['platforms.webhook.routes.*.filters.', ['filters-and-templates'], 'text'],
	['platforms.webhook.routes.*.', ['routes', 'signatures'], 'tables'],
	['platforms.webhook.', ['receiver'], 'tables'],
	...platformKinds.map(({kind}) => [`platforms.${kind}.`, [`delivery-${kind}`], 'tables'] as const),
	['platforms.', ['delivery'], 'text'],
	['model.', ['model'], 'tables'],
	['runs.', ['runs'], 'tables'],
	['mcp_servers.*.', ['tool-servers'], 'tables'],
	['tools.', ['tool-servers'], 'tables'],
	['approvals.chats.', ['conversations'], 'tables'],
	['approvals.', ['approvals'], 'tables'],
	['alerts.', ['alerts'], 'tables'],
	['toolsets.web.', ['web'], 'tables'],
	['toolsets.terminal.', ['sandbox'], 'tables'],
	['toolsets.file.', ['file'], 'tables'],
	['sandbox.', ['sandbox'], 'tables'],
	['', ['configuration'], 'tables'],
] as const;

/** What stands in backticks there, cut into words. */
const wordsIn = (names: readonly string[], where: 'tables' | 'text'): readonly string[] =>
	pages
		.filter(({name}) => names.includes(name.replace('.md', '')))
		.flatMap(({text}) => text.split('\n'))
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

test('the manual has every key of the configuration on its page, in a table where that has one', async () => {
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
		const [, names, where] = places.find(([start]) => path.startsWith(start)) ?? [];
		return !names || !wordsIn(names, where ?? 'tables').includes(key);
	});

	expect(paths.length).toBeGreaterThan(100);
	expect(missing).toEqual([]);
});
