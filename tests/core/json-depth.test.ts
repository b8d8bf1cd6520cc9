import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	isCrowdedJson,
	isDeepJson,
	isDeepValue,
	maxJsonDepth,
	maxJsonMembers,
	type JsonValue,
} from '../../source/core/json.ts';

const nested = (levels: number, open = '{"a":', close = '}') =>
	`${open.repeat(levels)}1${close.repeat(levels)}`;

test.for([
	['objects', nested(maxJsonDepth), nested(maxJsonDepth + 1)],
	['lists', nested(maxJsonDepth, '[', ']'), nested(maxJsonDepth + 1, '[', ']')],
	['what was never closed', '['.repeat(maxJsonDepth), '['.repeat(1_000_000)],
])('128 levels are walked, 129 are too many: %s', ([, shallow = '', deep = '']) => {
	expect(isDeepJson(shallow)).toBe(false);
	expect(isDeepJson(deep)).toBe(true);
});

test('of a value they count as of its text, and nothing recurses', () => {
	const value = (text: string) => JSON.parse(text) as JsonValue;
	expect(isDeepValue(value(nested(maxJsonDepth)))).toBe(false);
	expect(isDeepValue(value(nested(maxJsonDepth + 1, '[0,', ']')))).toBe(true);
	expect(isDeepValue(value(nested(200_000, '[', ']')))).toBe(true);
	expect(isDeepValue(['['.repeat(1000)])).toBe(false);
});

test('brackets in strings and side by side do not count', () => {
	expect(isDeepJson(JSON.stringify({a: '{["\\'.repeat(1000), ['"[']: '\n['.repeat(1000)}))).toBe(
		false,
	);
	expect(isDeepJson(`[${'[],{},'.repeat(1000)}1]`)).toBe(false);
	expect(isDeepJson(`"${'\\"['.repeat(1_000_000)}`)).toBe(false);
});

const depthOf = (value: JsonValue): number =>
	typeof value === 'object' && value !== null
		? 1 + Math.max(0, ...Object.values(value).map((member: JsonValue) => depthOf(member)))
		: 0;

test('it counts what a walk of the value counts', () => {
	const value = fc.jsonValue({maxDepth: 6, noUnicodeString: false}) as fc.Arbitrary<JsonValue>;
	fc.assert(
		fc.property(value, fc.integer({min: maxJsonDepth - 6, max: maxJsonDepth}), (inner, around) => {
			const text = `${'['.repeat(around)}${JSON.stringify(inner)}${']'.repeat(around)}`;
			expect(isDeepJson(text)).toBe(around + depthOf(inner) > maxJsonDepth);
		}),
	);
});

test('100,000 members are read, one more is too many, and what stands in strings is none', () => {
	const members = (count: number) =>
		Array.from({length: count}, (_, index) => `"k${index}":"a\\":\\\\"`).join(',');
	expect(isCrowdedJson(`{${members(maxJsonMembers)}}`)).toBe(false);
	expect(isCrowdedJson(`{${members(maxJsonMembers + 1)}}`)).toBe(true);
	expect(isCrowdedJson(`[${'{"a":1},'.repeat(maxJsonMembers)}{"a":1}]`)).toBe(true);
	expect(isCrowdedJson(JSON.stringify(':'.repeat(1_000_000)))).toBe(false);
});
