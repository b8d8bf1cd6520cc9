import {assert, constantFrom, property} from 'fast-check';
import {expect, test} from 'vitest';
import {nearestName} from '../../source/core/names.ts';

const known = ['rate_limit', 'host', 'port', 'routes', 'secret'];

test.for([
	['rate_limitt', 'rate_limit'],
	['ratelimit', 'rate_limit'],
	['Port', 'port'],
	['prot', 'port'],
	['route', 'routes'],
	['sercet', 'secret'],
	['hostname', undefined],
	['p', undefined],
	['', undefined],
	['x'.repeat(100_000), undefined],
] as const)('%s is near to %s', ([name, nearest]) => {
	expect(nearestName(name, known)).toBe(nearest);
});

test('a name with one letter left out is found', () => {
	assert(
		property(constantFrom('rate_limit', 'routes', 'secret'), name => {
			const positions = Array.from({length: name.length}, (_, index) => index);
			return positions.every(
				index => nearestName(name.slice(0, index) + name.slice(index + 1), known) === name,
			);
		}),
	);
});
