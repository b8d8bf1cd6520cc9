import {expect, test} from 'vitest';
import type {JsonValue} from '../../source/core/json.ts';
import {membershipOf} from '../../source/webhook/filter-files.ts';
import {deepEqual} from '../../source/webhook/filter-operators.ts';
import {compileField, compileFilters} from '../../source/webhook/filter.ts';
import {compileGroupKey, groupNameOf} from '../../source/webhook/group-key.ts';
import {parseTemplate, rawDump, renderTemplate} from '../../source/webhook/template.ts';

// No input takes more than linear time: steps are counted, nothing is timed.

type Counted = {readonly value: JsonValue; readonly steps: () => number};

/** `value`, whose own members are counted as they are looked at or listed. */
function counted(value: JsonValue): Counted {
	let steps = 0;
	const watch = (inner: JsonValue): JsonValue => {
		if (typeof inner !== 'object' || inner === null) {
			return inner;
		}

		return new Proxy(inner, {
			get(target, key, receiver) {
				steps += 1;
				return watch(Reflect.get(target, key, receiver) as JsonValue);
			},
			getOwnPropertyDescriptor(target, key) {
				steps += 1;
				return Reflect.getOwnPropertyDescriptor(target, key);
			},
			ownKeys(target) {
				const keys = Reflect.ownKeys(target);
				steps += keys.length;
				return keys;
			},
		});
	};

	return {value: watch(value), steps: () => steps};
}

/** A text whose characters are counted as they are read or copied. */
function countedText(text: string): {readonly text: string; readonly steps: () => number} {
	let steps = 0;
	const proxy = new Proxy(Object(text) as object, {
		get(_, key) {
			if (key === 'length') {
				return text.length;
			}

			if (key === 'slice') {
				return (from: number, to?: number) => {
					const part = text.slice(from, to);
					steps += part.length;
					return part;
				};
			}

			steps += 1;
			return typeof key === 'string' ? text[Number(key)] : undefined;
		},
	});
	return {text: proxy as unknown as string, steps: () => steps};
}

const headers = {'x-a': 'b'};

const wide = (size: number): JsonValue =>
	Object.fromEntries(Array.from({length: size}, (_, index) => [`k${index}`, index]));

/** Steps of `work` for a payload of each size. */
const stepsFor =
	(sizes: readonly number[], make: (size: number) => JsonValue) =>
	(work: (payload: JsonValue) => unknown): readonly number[] =>
		sizes.map(size => {
			const {value, steps} = counted(make(size));
			work(value);
			return steps();
		});

const sizes = [1000, 10_000];

/** Ten times the size may cost ten times the steps, and no more. */
const isLinear = (steps: readonly number[]) =>
	steps.every((count, index) => count <= ((steps[0] ?? 0) + 10) * 10 ** index * 1.1);

const isConstant = (steps: readonly number[]) => Math.max(...steps) <= Math.min(...steps) + 10;

test('reading a template costs its length, whatever its braces', () => {
	for (const piece of ['{', '}', '{a', '{a}', '{a.b.c}', '{{}}', `{${'a'.repeat(300)}}`, 'x']) {
		const {text, steps} = countedText(piece.repeat(3000));
		parseTemplate(text);
		expect([piece, steps() <= text.length * 4]).toEqual([piece, true]);
	}
});

test('a place in a template costs the length of its path, whatever the payload is', () => {
	const template = parseTemplate('{k1} {k2.x} {nothing.here}');
	expect(
		stepsFor(sizes, wide)(payload => renderTemplate(template, {payload, event: 'e'})),
	).toSatisfy(isConstant);
	expect(
		stepsFor(sizes, wide)(payload => compileGroupKey('{k1}{k2}')({payload, event: 'e'})),
	).toSatisfy(isConstant);
});

test('a dump costs what it shows and the list of keys, not what lies below', () => {
	const nested = (size: number): JsonValue => Array.from({length: size}, () => wide(3));
	expect(stepsFor(sizes, nested)(rawDump)).toSatisfy(isConstant);
	expect(stepsFor(sizes, wide)(rawDump)).toSatisfy(isLinear);
});

test('the text of a template stays within bounds, however often it repeats a value', () => {
	const {value, steps} = counted({a: 'x'.repeat(100_000), b: 1});
	const {text} = renderTemplate(parseTemplate('{a}{b}'.repeat(50_000)), {
		payload: value,
		event: 'e',
	});
	expect(text.length).toBe(1_048_576);
	expect(steps()).toBeLessThan(200);
});

test('a field path costs its length', () => {
	for (const path of ['k1', 'payload.k1', 'k1.0.x', 'nothing.here', 'headers.x']) {
		const read = compileField(path);
		expect(stepsFor(sizes, wide)(payload => read({payload, event: 'e', headers}))).toSatisfy(
			isConstant,
		);
	}
});

test('equality costs what is compared with, not what was sent', () => {
	const wanted = {k1: 1, nothing: true};
	expect(stepsFor(sizes, wide)(payload => deepEqual(payload, wanted))).toSatisfy(isConstant);
	expect(stepsFor(sizes, wide)(payload => deepEqual(payload, {k1: 1}))).toSatisfy(isLinear);
	const list = (size: number): JsonValue => Array.from({length: size}, (_, index) => index);
	expect(stepsFor(sizes, list)(payload => deepEqual(payload, [0, 1, 2]))).toSatisfy(isConstant);
	expect(
		stepsFor(
			sizes,
			list,
		)(payload =>
			compileFilters(
				[{field: 'payload', contains: -1}],
				() => false,
			)({
				payload: {payload},
				event: 'e',
				headers,
			}),
		),
	).toSatisfy(isLinear);
});

test('`in_file`: a large value is not compared with every entry of a long file', () => {
	const file = JSON.stringify(Array.from({length: 20_000}, () => ({})));
	const holds = membershipOf(file);
	expect(stepsFor(sizes, wide)(value => holds(value))).toSatisfy(isLinear);
	expect(holds({})).toBe(true);
	expect(membershipOf('[{"a":[1,{"b":null}]}]')({a: [1, {b: null}]})).toBe(true);
	expect(membershipOf('[{"a":[1,{"b":null}]}]')({a: [1, {c: null}]})).toBe(false);
});

test('a hostile key is looked at by the redaction only as far as it is shown', () => {
	const seen: number[] = [];
	const redact = (text: string) => {
		seen.push(text.length);
		return text;
	};
	groupNameOf('x'.repeat(1_000_000), redact);
	expect(Math.max(...seen)).toBeLessThanOrEqual(4096);
});

test('nothing is added to a key beyond 1 MiB', () => {
	const read = compileGroupKey('{a}'.repeat(100));
	const a = 'x'.repeat(600_000);
	const key = read({payload: {a}, event: 'push'});
	expect(key.ok && key.text.length).toBe(1_200_000);
});
