import {assert, base64String, constantFrom, oneof, property, string, uint8Array} from 'fast-check';
import {expect, test} from 'vitest';
import {decodeBase64} from '../../../source/config/install-link/read-link.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const alphabets = ['+/', '-_'].map(
	last => `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${last}`,
);

/** Bit by bit, as RFC 4648 tells it. */
function slowBase64(text: string): readonly number[] | undefined {
	const digits = text.replace(/={1,2}$/, '');
	const alphabet = alphabets.find(known => digits.split('').every(digit => known.includes(digit)));
	const bits = digits
		.split('')
		.map(digit => (alphabet?.indexOf(digit) ?? 0).toString(2).padStart(6, '0'))
		.join('');
	const whole = Math.floor(bits.length / 8);
	const isSound =
		alphabet !== undefined &&
		digits.length % 4 !== 1 &&
		!bits.slice(whole * 8).includes('1') &&
		(digits === text || text.length % 4 === 0);
	return isSound
		? Array.from({length: whole}, (_, index) =>
				Number.parseInt(bits.slice(index * 8, index * 8 + 8), 2),
			)
		: undefined;
}

test('base64 is what RFC 4648 says, and nothing else', () => {
	const digits = string({
		unit: constantFrom('A', 'Z', 'a', 'z', '0', '9', '+', '/', '-', '_', '=', ' '),
		maxLength: 12,
	});
	assert(
		property(oneof(digits, base64String({maxLength: 40}), string()), text => {
			const bytes = decodeBase64(text);
			expect(bytes && [...bytes]).toEqual(slowBase64(text));
		}),
		{numRuns: propertyRuns(3000)},
	);
	assert(
		property(uint8Array(), bytes => {
			for (const form of ['base64', 'base64url'] as const) {
				expect(decodeBase64(Buffer.from(bytes).toString(form))).toEqual(Buffer.from(bytes));
			}
		}),
	);
});
