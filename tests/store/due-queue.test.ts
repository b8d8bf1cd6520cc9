import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {createDueQueue} from '../../source/store/due-queue.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

const steps = fc.array(
	fc.oneof(
		{
			weight: 4,
			arbitrary: fc.record({
				kind: fc.constant('set' as const),
				id: fc.integer({min: 1, max: 12}),
				at: fc.integer({min: 0, max: 30}),
			}),
		},
		fc.record({kind: fc.constant('delete' as const), id: fc.integer({min: 1, max: 12})}),
		fc.record({kind: fc.constant('first' as const), id: fc.constant(0)}),
	),
	{maxLength: 400},
);

test('the first is always the one with the earliest time, of equal ones the lowest number', () => {
	fc.assert(
		fc.property(steps, script => {
			const queue = createDueQueue();
			const known = new Map<number, number>();
			const [found, expected]: [unknown[], unknown[]] = [[], []];
			for (const step of script) {
				if (step.kind === 'set') {
					queue.set(step.id, step.at);
					known.set(step.id, step.at);
				} else if (step.kind === 'delete') {
					queue.delete(step.id);
					known.delete(step.id);
				} else {
					const [first] = [...known].toSorted(([a, x], [b, y]) => x - y || a - b);
					found.push(queue.first());
					expected.push(first && {id: first[0], at: first[1]});
				}
			}

			expect(found).toEqual(expected);
		}),
		{numRuns: propertyRuns(300)},
	);
	expect.hasAssertions();
});

test('a thing that is put off a hundred thousand times is in it once', () => {
	const queue = createDueQueue();
	for (let at = 1; at <= 100_000; at += 1) {
		queue.set(1, at);
	}

	queue.set(2, 99_999);
	expect(queue.first()).toEqual({id: 2, at: 99_999});
	queue.delete(2);
	expect(queue.first()).toEqual({id: 1, at: 100_000});
	queue.delete(1);
	expect(queue.first()).toBeUndefined();
});
