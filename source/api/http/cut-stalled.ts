import type {ServerResponse} from 'node:http';
import type {Clock} from '../../core/clock.ts';

const patienceMs = 60_000;

/** The slowest tolerated speed: 16 kB per second. */
const slowestBytesPerMs = 16;

/** Cuts a client that does not read the remaining `bytes` of an answer in time: they occupy memory until then. */
export function cutStalled(response: ServerResponse, bytes: number, clock: Clock): void {
	if (response.closed) {
		return;
	}

	response.once(
		'close',
		clock.after(patienceMs + bytes / slowestBytesPerMs, () => response.destroy()),
	);
}
