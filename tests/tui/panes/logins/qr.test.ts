import {encode} from 'uqr';
import {expect, test} from 'vitest';
import {bigCode} from '../../../../source/tui/panes/logins/big-code.ts';
import {qrCode} from '../../../../source/tui/panes/logins/qr.ts';

const url = 'https://auth.linear.example/device?user_code=WDJB-MJHT';

/** What half blocks show: two rows of dark and light for each row of characters. */
const pixelsOf = (rows: readonly string[]): ReadonlyArray<readonly boolean[]> =>
	rows.flatMap(row => [
		Array.from(row, cell => cell === '█' || cell === '▀'),
		Array.from(row, cell => cell === '█' || cell === '▄'),
	]);

test('the rows show every module, with two light ones around; inverted they show the light ones', () => {
	const {data} = encode(url, {ecc: 'L', border: 2});
	const code = qrCode(url);

	expect(code?.width).toBe(data.length);
	const count = data.length;
	expect(pixelsOf(code?.rows ?? []).slice(0, count)).toEqual(data);
	expect(
		pixelsOf(code?.inverted ?? [])
			.slice(0, count)
			.map(row => row.map(isDrawn => !isDrawn)),
	).toEqual(data);
	expect(data.slice(0, 2).flat().some(Boolean)).toBe(false);
});

test('a text that would need too large a code has none', () => {
	expect(qrCode('x'.repeat(366))?.width).toBeLessThanOrEqual(81);
	expect(qrCode('x'.repeat(367))).toBeUndefined();
});

test('every capital and every digit has large letters of its own', () => {
	const all = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-');
	const drawn = all.map(letter => bigCode(letter, 20)?.join('\n'));

	expect(new Set(drawn).size).toBe(all.length);
	expect(new Set(drawn.map(rows => rows?.split('\n').length))).toEqual(new Set([3]));
	expect(bigCode('WDJB-MJHT', 80)).toHaveLength(3);
	expect(bigCode('WDJB-MJHT', 40)).toHaveLength(7);
	expect(bigCode('WDJBMJHT', 20)).toBeUndefined();
	expect(bigCode('wdjb', 80)).toBeUndefined();
});
