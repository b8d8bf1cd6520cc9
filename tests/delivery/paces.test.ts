import {expect, test} from 'vitest';
import {createChatPaces} from '../../source/delivery/hand-over.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

/** When messages go that are there from the beginning, seconds. */
function timesOf(count: number, perMinute: number): readonly number[] {
	const clock = createFakeClock();
	const pace = createChatPaces(clock)('chat', perMinute);
	return Array.from({length: count}, () => {
		clock.advance(pace?.waitMs() ?? 0);
		pace?.took();
		return clock.monotonic() / 1000;
	});
}

test.for([
	[4, 60, [0, 1, 2, 3]],
	[5, 2, [0, 1, 60, 61, 120]],
	[4, 600, [0, 0.1, 0.2, 0.3]],
	[3, 0, [0, 0, 0]],
] as const)('%i messages at %i a minute go after %j s', ([count, perMinute, seconds]) => {
	expect(timesOf(count, perMinute)).toEqual(seconds);
});

test('one chat does not wait for another', () => {
	const paces = createChatPaces(createFakeClock());
	paces('a', 1)?.took();
	expect([paces('a', 1)?.waitMs(), paces('b', 1)?.waitMs()]).toEqual([60_000, 0]);
});
