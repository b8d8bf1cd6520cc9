import {expect, test} from 'vitest';
import {circlesOf, graphOf, pathBetween} from '../../scripts/house/graph.ts';
import {exportsOf, importsOf} from '../../scripts/house/read-house.ts';
import {readStories, returnsOf} from '../../scripts/house/stories.ts';

const graph = graphOf('abcdef', [
	['a', 'b'],
	['b', 'c'],
	['c', 'b'],
	['a', 'd'],
	['d', 'd'],
]);

test.for([
	["import {a} from './a.ts';", './a.ts', false],
	["import {\n\ta,\n\ttype B,\n} from './a.ts';", './a.ts', false],
	["import './a.ts';", './a.ts', false],
	["export * from './a.ts';", './a.ts', false],
	["export type {A} from './a.ts';", './a.ts', true],
	["import type {A} from './a.ts';", './a.ts', true],
	["import {type A, type B} from './a.ts';", './a.ts', true],
	["const load = async () => import('./a.ts');", './a.ts', false],
	["type A = typeof import('./a.ts');", './a.ts', true],
] as const)('%s is an import', ([text, to, typeOnly]) => {
	expect(importsOf(`const one = 1;\n${text}\n`)).toEqual([{to, typeOnly}]);
});

test('packages are not files of the house', () => {
	expect(importsOf("import {z} from 'zod';\nimport {join} from 'node:path';")).toEqual([]);
});

test('exported names are those that are declared and those that are passed on', () => {
	const text = 'export async function a() {}\nexport type B = 1;\nexport {c as d};\nconst e = 1;';

	expect(exportsOf(text)).toEqual(['a', 'B', 'd']);
});

test('a circle is what reaches itself over others', () => {
	expect(circlesOf(graph)).toEqual([['b', 'c']]);
});

test('a walk goes up to what knows both, and down again', () => {
	expect(pathBetween(graph, 'a', 'c')).toEqual(['a', 'b', 'c']);
	expect(pathBetween(graph, 'c', 'd')).toEqual(['c', 'b', 'a', 'd']);
	expect(pathBetween(graph, 'e', 'f')).toBeUndefined();
});

test('a room counts again when it was left', () => {
	expect(returnsOf(['a', 'a', 'b', 'a', 'c', 'b'])).toBe(2);
});

test('a story names its files in backquotes', () => {
	const map =
		'## Stories\n\n**One.** `a/b` calls `c/` and `d/e`,\nthen `d/f`.\n\n## More\n\n**Two.**';

	expect(readStories(map, new Set(['a/b.ts', 'd/e/e.ts']))).toEqual([
		{title: 'One', waypoints: ['a/b.ts', 'd/e/e.ts'], unknown: ['d/f']},
	]);
});
