import {captureConsole} from '../../core/capture-console.ts';
import type {World} from '../../core/world.ts';

/** A stranger can make a library warn as often as it likes. */
const maxLines = 20;
const minuteMs = 60_000;

/** Puts what libraries say on `console` into the log, at most 20 lines in a minute, for whoever looks for a fault. */
export function logConsole({log, clock}: Pick<World, 'clock' | 'log'>): Disposable {
	let start = -Infinity;
	let lines = 0;
	return captureConsole(text => {
		const now = clock.monotonic();
		if (now - start >= minuteMs) {
			start = now;
			lines = 0;
		}

		lines += 1;
		if (lines <= maxLines) {
			log.debug('A library says', {text});
		}
	});
}
