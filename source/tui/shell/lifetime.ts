import {stopAll} from '../../core/clock.ts';
import type {Shell} from './shell.ts';

/** What timers and subscriptions of acts end with, which nobody else holds: the interface. */
export function createLifetime(): Disposable & Pick<Shell, 'untilEnd'> {
	const stops = new Set<() => void>();
	let isOver = false;
	return {
		untilEnd(stop) {
			if (isOver) {
				stop();
				return () => {};
			}

			stops.add(stop);
			return () => {
				stops.delete(stop);
			};
		},
		[Symbol.dispose]() {
			isOver = true;
			stopAll(stops)();
			stops.clear();
		},
	};
}
