import {expect, test} from 'vitest';
import {isDrawn, readShare} from './share.ts';

const shareOf = (commit: number) => ({parts: 4, commit: `${commit}`, changed: []});
const cases = Array.from({length: 400}, (_, index) => `case ${index}`);

test('a commit draws a quarter of the slow cases, and each case comes up again and again', () => {
	const drawnBy = Array.from({length: 40}, (_, commit) =>
		cases.filter(name => isDrawn(shareOf(commit), name)),
	);

	for (const drawn of drawnBy) {
		expect(drawn.length).toBeGreaterThan(70);
		expect(drawn.length).toBeLessThan(130);
	}

	expect(new Set(drawnBy.flat()).size).toBe(cases.length);
});

test('only SHARE without ALL leaves anything out', () => {
	expect(readShare({})).toBeUndefined();
	expect(readShare({SHARE: '1', ALL: '1'})).toBeUndefined();
	expect(readShare({SHARE: '1'})?.commit ?? '').toMatch(/^(?:[\da-f]{40,})?$/);
});
