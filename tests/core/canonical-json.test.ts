import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {canonicalJson, jsonHash, type JsonValue} from '../../source/core/json.ts';

test('members are sorted by UTF-16 units, without white space (RFC 8785, 3.2.3)', () => {
	const example = {'\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '\ud83d\ude00': 5, '\u0080': 6, ö: 7};
	expect(canonicalJson(example)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
});

test('numbers and texts are written as ECMAScript does', () => {
	expect(canonicalJson([333_333_333.333_333_3, 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
		'[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
	);
});

test('it is the same value, whatever the order of its members', () => {
	fc.assert(
		fc.property(fc.jsonValue(), value => {
			const json = value as JsonValue;
			expect(JSON.parse(canonicalJson(json))).toEqual(JSON.parse(JSON.stringify(json)));
			expect(jsonHash(reversed(json))).toBe(jsonHash(json));
		}),
	);
});

const reversed = (value: JsonValue): JsonValue => {
	if (typeof value !== 'object' || value === null) {
		return value;
	}

	return Array.isArray(value)
		? value.map(reversed)
		: Object.fromEntries(
				Object.entries(value)
					.toReversed()
					.map(([key, item]) => [key, reversed(item)]),
			);
};
