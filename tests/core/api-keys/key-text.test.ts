import {assert, constantFrom, nat, pre, property} from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
	hashOfKey,
	hintOfKey,
	kindOfKey,
	keyPrefixPattern,
	maxKeyLength,
	mintKey,
	mintKeyId,
} from '../../../source/core/api-key.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('keys', () => {
	test('are <prefix>_live_ or <prefix>_test_, 30 characters of base 62 and 6 of a CRC-32', () => {
		expect(mintKey({kind: 'live', prefix: 'svc'})).toMatch(/^svc_live_[0-9A-Za-z]{36}$/);
		expect(mintKey({kind: 'test', prefix: 'acme'})).toMatch(/^acme_test_[0-9A-Za-z]{36}$/);
	});

	test('are told from anything else without being looked up', () => {
		for (let count = 0; count < 200; count += 1) {
			expect(kindOfKey(mintKey({kind: 'live', prefix: 'svc'}))).toBe('live');
			expect(kindOfKey(mintKey({kind: 'test', prefix: 'a1'}))).toBe('test');
		}
	});

	test('have the checksum of all that stands before it, digits before capitals before small letters, with zeros in front', () => {
		const start = `svc_live_${'0'.repeat(30)}`;
		expect(kindOfKey(`${start}${crcBase62(start)}`)).toBe('live');
	});

	test('with one other character are none', () => {
		const key = mintKey({kind: 'live', prefix: 'svc'});
		assert(
			property(nat(key.length - 1), constantFrom(...Array.from(`${digits}_`)), (at, character) => {
				pre(key[at] !== character);
				expect(kindOfKey(`${key.slice(0, at)}${character}${key.slice(at + 1)}`)).toBeUndefined();
			}),
		);
	});

	test.each(['', 'svc_live_', 'Bearer x', `svc_live_${'a'.repeat(36)}`, 'x'.repeat(100_000)])(
		'are no other text: %#',
		text => {
			expect(kindOfKey(text)).toBeUndefined();
		},
	);

	test('are never the same twice, nor are their identifiers', () => {
		const keys = Array.from({length: 500}, () => mintKey({kind: 'live', prefix: 'svc'}));
		expect(new Set(keys).size).toBe(500);
		expect(new Set(keys.map(hashOfKey)).size).toBe(500);
		expect(new Set(Array.from({length: 500}, mintKeyId)).size).toBe(500);
	});

	test('show four characters at each end', () => {
		const key = mintKey({kind: 'live', prefix: 'svc'});
		expect(hintOfKey(key)).toBe(`${key.slice(0, 13)}…${key.slice(-4)}`);
	});

	test('are at most as long as what is looked at', () => {
		const prefix = 'a'.repeat(16);
		expect(prefix).toMatch(keyPrefixPattern);
		expect(mintKey({kind: 'live', prefix})).toHaveLength(maxKeyLength);
		expect('a'.repeat(17)).not.toMatch(keyPrefixPattern);
	});
});

/** Another way to the same checksum: bit by bit, and big numbers. */
function crcBase62(text: string): string {
	let crc = 0xff_ff_ff_ffn;
	for (const byte of Buffer.from(text)) {
		crc ^= BigInt(byte);
		for (let bit = 0; bit < 8; bit += 1) {
			crc = (crc & 1n) === 1n ? (crc >> 1n) ^ 0xed_b8_83_20n : crc >> 1n;
		}
	}

	let rest = crc ^ 0xff_ff_ff_ffn;
	let result = '';
	while (result.length < 6) {
		result = `${digits[Number(rest % 62n)]}${result}`;
		rest /= 62n;
	}

	return result;
}
