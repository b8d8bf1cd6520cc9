import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path/posix';

/** A line that brings something in from another file of the house. */
export type Import = {
	/** The file that is imported, from the root of the house. */
	readonly to: string;
	/** Nothing of it is left when the program runs. */
	readonly typeOnly: boolean;
};

export type HouseFile = {
	/** From the root of the house: `mcp/calls/call-tool.ts`. */
	readonly path: string;
	readonly lines: number;
	readonly imports: readonly Import[];
	/** Names that others may import, each once. */
	readonly exports: readonly string[];
};

/** The files of a folder and of those in it, by path. */
export function readHouse(root: string): readonly HouseFile[] {
	const paths = readdirSync(root, {recursive: true, encoding: 'utf8'})
		.filter(path => /\.(?:tsx?|mjs)$/.test(path) && !path.endsWith('.d.ts'))
		.toSorted();
	const known = new Set(paths);
	return paths.map(path => {
		const text = readFileSync(join(root, path), 'utf8');
		return {
			path,
			lines: text.trimEnd().split('\n').length,
			imports: importsOf(text)
				.map(({to, typeOnly}) => ({to: join(dirname(path), to), typeOnly}))
				.filter(({to}) => known.has(to)),
			exports: exportsOf(text),
		};
	});
}

/** The room that a file is in; `.` for one beside the rooms. */
export const roomOf = (path: string): string => path.split('/').slice(0, -1)[0] ?? '.';

const statement =
	/^(?:import|export) (?:(?<type>type) )?(?:(?<names>[^'";]*?) from )?'(?<to>\.[^']+)'/gm;
const dynamic = /(?<type>typeof )?\bimport\('(?<to>\.[^']+)'\)/g;

/** What a file imports by a relative path, as it is written; lines are enough to tell, as long as the formatter writes them. */
export function importsOf(text: string): readonly Import[] {
	return [...text.matchAll(statement), ...text.matchAll(dynamic)].map(({groups = {}}) => ({
		to: groups['to'] ?? '',
		typeOnly: groups['type'] !== undefined || isTypesOnly(groups['names']),
	}));
}

/** `{type A, type B}` */
const isTypesOnly = (names: string | undefined): boolean =>
	names?.startsWith('{') === true &&
	namesIn(names).length > 0 &&
	namesIn(names).every(name => name.startsWith('type '));

const namesIn = (braces: string): readonly string[] =>
	braces
		.replaceAll(/[{}]/g, '')
		.split(',')
		.map(name => name.trim())
		.filter(name => name !== '');

const declaration =
	/^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) (?<name>\w+)/gm;
const list = /^export (?:type )?(?<names>\{[^}]*\})/gm;

/** The names that a file exports, its own and those that it passes on. */
export function exportsOf(text: string): readonly string[] {
	const declared = [...text.matchAll(declaration)].map(({groups}) => groups?.['name'] ?? '');
	const listed = [...text.matchAll(list)].flatMap(({groups}) =>
		namesIn(groups?.['names'] ?? '').map(name => name.split(/ as |^type /).at(-1) ?? name),
	);
	return [...new Set([...declared, ...listed])];
}
