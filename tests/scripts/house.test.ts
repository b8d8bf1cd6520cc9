import {createRequire} from 'node:module';
import {expect, test} from 'vitest';
import {startCoverage} from '../../scripts/house/coverage.ts';
import {circlesOf, graphOf} from '../../scripts/house/graph.ts';
import {exportsOf, importsOf} from '../../scripts/house/read-house.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

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

test('what is entered of a folder is told by file, without what was only loaded', async () => {
	await using home = await temporaryHome({
		'one.mjs': 'export const a = () => b() + 1;\nconst b = () => 1;\nexport const c = () => 2;',
		'two.mjs': 'export const d = () => 3;',
	});
	using coverage = startCoverage(home.path);
	// Not import(), which would hand over what the test runner makes of them.
	const load = createRequire(import.meta.url);
	const {a, c}: Record<string, () => number> = load(home.file('one.mjs'));
	load(home.file('two.mjs'));
	expect(coverage.take().size).toBe(0);
	a?.();
	a?.();
	expect([...coverage.take()].map(([path, {size}]) => [path, size])).toEqual([['one.mjs', 2]]);
	c?.();
	expect([...coverage.take()].map(([path, {size}]) => [path, size])).toEqual([['one.mjs', 1]]);
});
