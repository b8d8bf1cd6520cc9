import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {sectionsOf} from '../../../source/tui/entries/sections.ts';
import {makeGroup, makeJob} from '../../helpers/make.ts';

const stateOf = (pending: number, done: number, jobs: number) => ({
	groups: [
		...Array.from({length: pending}, (_, id) => makeGroup({id})),
		...Array.from({length: done}, (_, id) => makeGroup({id: pending + id, state: 'dispatched'})),
	],
	jobs: Array.from({length: jobs}, (_, id) => makeJob({id: `job_${id}`})),
});

const sections = (state: ReturnType<typeof stateOf>, height: number) =>
	sectionsOf(state, {height, emptyRows: () => 4});

test('where there is room, both sections have what they need', () => {
	expect(sections(stateOf(3, 2, 4), 30)).toEqual({
		groups: 7,
		jobs: 6,
		groupRows: 5,
		jobRows: 4,
	});
});

test('jobs keep a third of the rows however many groups there are', () => {
	expect(sections(stateOf(5000, 100, 30), 30)).toEqual({
		groups: 20,
		jobs: 10,
		groupRows: 18,
		jobRows: 8,
	});
});

test('without jobs one line says how to add one, under a blank one', () => {
	expect(sections(stateOf(0, 0, 0), 20)).toMatchObject({groups: 4, jobs: 2});
});

test('the sections are never higher than the pane, and each list has a row where there is any', () => {
	fc.assert(
		fc.property(
			fc.record({
				pending: fc.nat(50),
				done: fc.nat(20),
				jobs: fc.nat(50),
				height: fc.integer({min: 8, max: 60}),
			}),
			({pending, done, jobs, height}) => {
				const state = stateOf(pending, done, jobs);
				const {groups, jobs: below, groupRows, jobRows} = sections(state, height);
				expect(groups + below).toBeLessThanOrEqual(height);
				expect(groupRows).toBeGreaterThanOrEqual(pending + done > 0 ? 1 : 0);
				expect(jobRows).toBeGreaterThanOrEqual(jobs > 0 ? 1 : 0);
			},
		),
	);
});
