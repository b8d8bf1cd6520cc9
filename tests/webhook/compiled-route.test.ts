import {expect, test} from 'vitest';
import type {FilterSpec} from '../../source/config/route.ts';
import {createRouteCompiler} from '../../source/webhook/admission.ts';
import {makeRoute} from './start-receiver.ts';

const nowhere = () => () => false;

const context = {payload: {a: 'b', k: 1}, event: 'push', headers: {}};

test('patterns, templates and keys are compiled once per route; a reload compiles anew', () => {
	let reads = 0;
	const filter: FilterSpec = {
		field: 'a',
		get regex() {
			reads += 1;
			return '^b$';
		},
	};
	const route = makeRoute({
		filters: [filter],
		prompt: '{a}',
		coalesce: {key: 'k', windowMs: 1, maxWaitMs: 1},
	});
	const compile = createRouteCompiler(nowhere);
	const compiled = compile(route);
	const once = reads;
	for (let index = 0; index < 100; index++) {
		expect(compile(route)).toBe(compiled);
		expect(compiled.matches(context)).toBeUndefined();
		expect(compiled.groupKey?.(context)).toEqual({ok: true, text: '1'});
	}

	expect(reads).toBe(once);
	expect(compile({...route})).not.toBe(compiled);
});

test('groups of filters nest as deep as a configuration may', () => {
	const nest = (spec: FilterSpec, depth: number): FilterSpec =>
		depth === 0
			? spec
			: nest({[(['all', 'any', 'not'] as const)[depth % 3] ?? 'all']: [spec]}, depth - 1);
	const passes = (spec: FilterSpec) =>
		createRouteCompiler(nowhere)(makeRoute({filters: [spec]})).matches(context) === undefined;
	// 20 of the 60 groups are `not`.
	expect(passes(nest({field: 'a', equals: 'b'}, 60))).toBe(true);
	expect(passes(nest({field: 'a', equals: 'c'}, 60))).toBe(false);
	expect(passes(nest({field: 'a', equals: 'b'}, 62))).toBe(false);
});

test('the id of a route is that of no other route and profile', () => {
	const compile = createRouteCompiler(nowhere);
	const ids = [
		makeRoute(),
		makeRoute({profile: 'work'}),
		makeRoute({name: 'work/hook'}),
		makeRoute({name: 'default/hook'}),
	].map(route => compile(route).id);
	expect(new Set(ids).size).toBe(4);
});
