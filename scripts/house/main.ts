import {dirname} from 'node:path/posix';
import {parseArgs} from 'node:util';
import {type Line, printTable} from '../bench/report.ts';
import {aims} from './aims.ts';
import {startCoverage} from './coverage.ts';
import {circlesOf, type Graph, graphOf} from './graph.ts';
import {type HouseFile, readHouse, roomOf} from './read-house.ts';

// Counts what the layout of the code costs its reader: long files, files that only one other imports, circles of imports, what each story
// enters. `npm run house -- --list` also names what was counted.
const {values} = parseArgs({options: {list: {type: 'boolean', default: false}}});

const print = (text: string) => {
	process.stdout.write(`${text}\n`);
};

const section = (title: string, lines: readonly Line[], names: readonly string[] = []) => {
	print(`\n${title}\n`);
	printTable(lines);
	if (values.list && names.length > 0) {
		print(`\n${names.map(name => `  ${name}`).join('\n')}`);
	}
};

const sum = (files: readonly HouseFile[]): number =>
	files.reduce((total, {lines}) => total + lines, 0);

const bySize = (files: readonly HouseFile[]): readonly HouseFile[] =>
	files.toSorted((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1));

function sizesOf(place: string, files: readonly HouseFile[]): Line {
	const sorted = bySize(files);
	const [largest] = sorted;
	return {
		place,
		files: files.length,
		lines: sum(files),
		median: sorted[Math.floor(sorted.length / 2)]?.lines ?? 0,
		'over 250': files.filter(({lines}) => lines > 250).length,
		'over 300': files.filter(({lines}) => lines > 300).length,
		largest: largest?.lines ?? 0,
		'which is': largest?.path ?? '',
	};
}

const folderOf = (path: string): string => dirname(path);

const graphBy = (
	files: readonly HouseFile[],
	nameOf: (path: string) => string,
	{withTypes}: {readonly withTypes: boolean},
): Graph =>
	graphOf(
		files.map(({path}) => nameOf(path)),
		files.flatMap(({path, imports}) =>
			imports
				.filter(({typeOnly}) => withTypes || !typeOnly)
				.map(({to}) => [nameOf(path), nameOf(to)] as const),
		),
	);

const inCircles = (circles: ReadonlyArray<readonly string[]>): string =>
	circles.length === 0
		? '0'
		: `${circles.length} of ${circles.map(({length}) => length).join(', ')}`;

const house = readHouse('source');

const importersOf = (path: string) =>
	house.filter(({imports}) => imports.some(({to}) => to === path));
const importedOnce = house.filter(({path}) => importersOf(path).length === 1);

section(
	'Sizes',
	['source', 'tests', 'scripts'].map(place => sizesOf(`${place}/`, readHouse(place))),
	bySize(house.filter(({lines}) => lines > 250)).map(({path, lines}) => `${path} ${lines}`),
);

/** A room, or the part of one that has an aim of its own. */
const placeOf = (path: string): string =>
	Object.keys(aims).find(name => name.includes('/') && path.startsWith(`${name}/`)) ?? roomOf(path);

const rooms = [
	...new Set([...house.map(({path}) => placeOf(path)), ...Object.keys(aims)]),
].toSorted();
const perRoom = rooms.map(room => {
	const files = house.filter(({path}) => placeOf(path) === room);
	const paths = new Set(files.map(({path}) => path));
	const inside = files.map(file => ({
		...file,
		imports: file.imports.filter(({to}) => paths.has(to)),
	}));
	const circlesBy = (nameOf: (path: string) => string, withTypes: boolean) =>
		circlesOf(graphBy(inside, nameOf, {withTypes}));
	const once = files.filter(file => importedOnce.includes(file));
	const all = {
		'files, values': circlesBy(path => path, false),
		'files, with types': circlesBy(path => path, true),
		'folders, values': circlesBy(folderOf, false),
		'folders, with types': circlesBy(folderOf, true),
	};
	return {
		line: {
			room: room === '.' ? 'main.ts' : `${room}/`,
			files: files.length,
			lines: sum(files),
			aim: aims[room] ?? '',
			'imported once': once.length,
			'lines of them': sum(once),
			...Object.fromEntries(
				Object.entries(all).map(([name, circles]) => [name, inCircles(circles)]),
			),
		},
		names: Object.entries(all).flatMap(([name, circles]) =>
			circles.map(circle => `${name}: ${circle.join(', ')}`),
		),
	};
});
section(
	'Rooms: files that exactly one other file imports, and circles of imports (how many, of how many members)',
	[
		...perRoom.map(({line}) => line),
		{
			room: 'all',
			files: house.length,
			lines: sum(house),
			aim: Object.values(aims).reduce((total, aim) => total + aim, 0),
			'imported once': importedOnce.length,
			'lines of them': sum(importedOnce),
		},
	],
	[
		...perRoom.flatMap(({names}) => names),
		...importedOnce.map(({path}) => `only ${importersOf(path)[0]?.path} imports ${path}`),
	],
);

const valueImports = house.flatMap(({path, imports}) =>
	imports.filter(({typeOnly}) => !typeOnly).map(({to}) => [path, to] as const),
);
using coverage = startCoverage('source');
// Loaded by now, the files of the house would not be counted.
const {tellStories} = await import('./stories.ts');
const stories = await tellStories(coverage);
const linesOf = new Map(house.map(({path, lines}) => [path, lines]));
section(
	'Stories, told a second time under V8 coverage: what is entered, and what of it is not entered by a gateway at rest for as long (at least 1 s)',
	stories.map(({title, aim, entered, idle}) => {
		const files = [...entered.keys()];
		return {
			story: title,
			files: files.length,
			'at most': aim ?? '',
			'beyond what idles': files.filter(path => !idle.has(path)).length,
			functions: entered.values().reduce((count, {size}) => count + size, 0),
			lines: files.reduce((total, path) => total + (linesOf.get(path) ?? 0), 0),
			rooms: new Set(files.map(roomOf)).size,
			'changes of room': valueImports.filter(
				([from, to]) => entered.has(from) && entered.has(to) && roomOf(from) !== roomOf(to),
			).length,
		};
	}),
	stories.map(
		({title, entered, idle}) =>
			`${title}:\n${[...entered]
				.map(([path, {size}]) => `    ${path} ${size}${idle.has(path) ? ' (idles)' : ''}`)
				.toSorted()
				.join('\n')}`,
	),
);

const owners = Map.groupBy(
	house.flatMap(({path, exports}) => exports.map(name => ({path, name}))),
	({name}) => name,
);
const twice = [...owners]
	.filter(([, places]) => places.length > 1)
	.toSorted(([a], [b]) => (a < b ? -1 : 1));
section(
	'Exported names that occur more than once',
	[
		{
			exported: owners.size,
			'more than once': twice.length,
			'in one room': twice.filter(([, places]) => {
				const within = places.map(({path}) => roomOf(path));
				return new Set(within).size < within.length;
			}).length,
		},
	],
	twice.map(([name, places]) => `${name}: ${places.map(({path}) => path).join(', ')}`),
);
