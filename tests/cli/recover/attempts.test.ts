import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {attemptsIn, missedEvents, type Attempt} from '../../../source/cli/recover/attempts.ts';
import {pointsAt} from '../../../source/cli/recover/hooks.ts';
import {parseExactly} from '../../../source/core/json.ts';

const attempt = (overrides: Partial<Attempt>): Attempt => ({
	id: '1',
	guid: 'g',
	event: 'push',
	action: '',
	at: 0,
	status: 500,
	result: 'failed',
	...overrides,
});

test('numbers of tries are read as they are written, however large', () => {
	const page = parseExactly(
		'[{"id":92233720368547758070,"guid":"g","delivered_at":"2026-11-20T12:00:00Z","status_code":0}, {"id":"x"}, 7, {"id":1,"guid":"g"}]',
	);
	expect(attemptsIn(page)).toMatchObject([{id: '92233720368547758070', guid: 'g', status: 0}]);
	expect(attemptsIn({message: 'no list'})).toEqual([]);
});

test('an event is missed when no try delivered it; its newest try stands for it; oldest first', () => {
	fc.assert(
		fc.property(
			fc.array(
				fc.record({
					guid: fc.constantFrom('a', 'b', 'c'),
					status: fc.constantFrom(0, 200, 202, 404, 502),
					at: fc.nat(100),
				}),
			),
			tries => {
				const attempts = tries.map((each, index) => attempt({...each, id: String(index)}));
				const missed = missedEvents(attempts);
				const lost = [...new Set(attempts.map(({guid}) => guid))].filter(guid =>
					attempts.every(each => each.guid !== guid || each.status < 200 || each.status > 299),
				);
				expect(missed.map(({guid}) => guid).toSorted()).toEqual(lost.toSorted());
				for (const {guid, at} of missed) {
					expect(at).toBe(
						Math.max(...attempts.filter(each => each.guid === guid).map(each => each.at)),
					);
				}

				expect(missed.map(({at}) => at)).toEqual(
					missed.map(({at}) => at).toSorted((a, b) => a - b),
				);
			},
		),
	);
});

test.for([
	['https://h.example/webhooks/gh', true],
	['https://h.example/webhooks/gh/', true],
	['https://h.example/svc/webhooks/gh?x=1', true],
	['https://h.example/p/default/webhooks/gh', true],
	['https://h.example/p/acme/webhooks/gh', false],
	['https://h.example/webhooks/gh2', false],
	['https://h.example/', false],
	['no address', false],
] as const)('%s leads to the route of the default profile: %s', ([url, expected]) => {
	expect(pointsAt(url, {path: '/webhooks/gh', profile: 'default'})).toBe(expected);
});

test('the route of another profile has an address of its own', () => {
	const place = {path: '/p/acme/webhooks/gh', profile: 'acme'};
	expect(pointsAt('https://h.example/p/acme/webhooks/gh', place)).toBe(true);
	expect(pointsAt('https://h.example/webhooks/gh', place)).toBe(false);
});
