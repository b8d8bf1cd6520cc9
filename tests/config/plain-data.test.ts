import {expect, test} from 'vitest';
import {problemsWithData} from '../../source/config/plain-data.ts';
import {parseYamlSource} from '../../source/config/yaml-source.ts';

const problemsIn = (text: string) => problemsWithData(parseYamlSource(text).value);

test('a value that holds itself is named where it does, and walked no further', () => {
	expect(problemsIn('a: &a [*a, *a]\nb: 1\n')).toEqual([
		{path: ['a', 1], message: 'refers to itself'},
		{path: ['a', 0], message: 'refers to itself'},
	]);
	expect(problemsIn('a: &a {b: {c: [*a]}}\n')).toEqual([
		{path: ['a', 'b', 'c', 0], message: 'refers to itself'},
	]);
});

test('what is shared and holds nothing of itself is fine, and what is wrong in it is named at each place', () => {
	expect(problemsIn('a: &a {x: 1}\nb: *a\nc: [*a, *a]\n')).toEqual([]);
	expect(problemsIn('a: &a {x: .nan}\nb: *a\n')).toEqual([
		{path: ['b', 'x'], message: 'must be a finite number'},
		{path: ['a', 'x'], message: 'must be a finite number'},
	]);
});
