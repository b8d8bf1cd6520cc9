import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {GatewayEvent, HealthSample} from '../../../source/core/events.ts';
import {startHealth} from '../../../source/gateway/status/health.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

/** Health of a process whose timers are always three milliseconds late, and which answers as `answered` says. */
function watched(answered: () => number) {
	const clock = createFakeClock();
	const samples: HealthSample[] = [];
	const running = new Set<number>();
	const started: number[] = [];
	const health = startHealth({
		clock,
		emit(event: GatewayEvent) {
			if (event.type === 'health-sampled') {
				samples.push(event.health);
			}
		},
		requests: () => ({answered: answered()}),
		monitor(resolutionMs) {
			started.push(resolutionMs);
			return {
				enable: () => Boolean(running.add(resolutionMs)),
				disable: () => running.delete(resolutionMs),
				reset() {},
				percentile: () => (resolutionMs + 3) * 1e6,
			};
		},
	});
	return {clock, samples, running, started, health};
}

test('a process that has nothing to do is woken less often to measure how late it is, and as before once it has', async () => {
	let answered = 0;
	const {clock, samples, running, started, health} = watched(() => answered);
	const second = async () => {
		clock.advance(1000);
		await turn();
	};
	expect([...running]).toEqual([50]);

	await second();
	expect([...running]).toEqual([250]);

	answered = 7;
	await second();
	expect([...running]).toEqual([50]);
	await second();
	expect(started).toEqual([50, 250, 50]);
	expect(samples.map(({loopDelayP99Ms}) => loopDelayP99Ms)).toEqual([3, 3, 3]);

	health[Symbol.dispose]();
	expect(running.size).toBe(0);
});
