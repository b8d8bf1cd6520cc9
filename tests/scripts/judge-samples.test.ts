import {expect, test} from 'vitest';
import {judgeSamples, type Sample} from '../../scripts/soak/judge-samples.ts';

const hour = (rssMb: (seconds: number) => number): readonly Sample[] =>
	Array.from({length: 360}, (_, index) => ({
		seconds: index * 10,
		rssMb: rssMb(index * 10),
		loopMs: 6,
		descriptors: 30,
		children: 0,
	}));

test('an hour of the same memory is good, whatever the first ten minutes were', () => {
	const judged = judgeSamples(hour(seconds => (seconds < 600 ? 100 + seconds / 10 : 160)));
	expect(judged).toMatchObject({wrong: [], rssMbPerTenMinutes: 0, rssMbMax: 160});
});

test('memory that goes up and down does not grow', () => {
	expect(judgeSamples(hour(seconds => 150 + 20 * Math.sin(seconds / 7))).wrong).toEqual([]);
});

test('a slow leak is told, and so is too much memory', () => {
	expect(judgeSamples(hour(seconds => 120 + seconds / 400)).wrong).toEqual([
		'its memory grew by 1.50 MB in ten minutes, more than 1',
	]);
	expect(judgeSamples(hour(() => 201)).wrong).toEqual(['it took 201 MB of memory, more than 200']);
});

test('of a short run nothing is said about growth, and of no run at all nothing good', () => {
	const short = judgeSamples(hour(seconds => 120 + seconds).slice(0, 8));
	expect(short).toMatchObject({wrong: []});
	expect(short).not.toHaveProperty('rssMbPerTenMinutes');
	expect(judgeSamples([]).wrong).toEqual(['nothing could be measured']);
});
