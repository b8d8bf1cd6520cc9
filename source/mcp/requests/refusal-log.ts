import type {Clock} from '../../core/clock.ts';
import type {Logger} from '../../core/log.ts';

/** A server that is refused all the time is told of once in so long: it must not push everything else out of the log. */
const pauseMs = 60_000;

/** Says in the log that a request of a server is refused: the first at once, then one line a minute at most, with how many were not told of. */
export function createRefusalLog({
	clock,
	log,
	server,
}: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly server: string;
}): (text: string) => void {
	let saidAt: number | undefined;
	let untold = 0;
	return text => {
		const now = clock.monotonic();
		if (saidAt !== undefined && now - saidAt < pauseMs) {
			untold++;
			return;
		}

		log.warn(text, {server, untold: untold > 0 ? untold : undefined});
		saidAt = now;
		untold = 0;
	};
}
