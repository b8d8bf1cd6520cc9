import type {ServerResponse} from 'node:http';
import type {Clock} from '../../core/clock.ts';

const patienceMs = 60_000;

/** As slow as a line may be: 16 kB in a second. */
const slowestBytesPerMs = 16;

/** Cuts a client that does not take the rest of an answer, so many bytes of it: until then they stay in memory. */
export function cutStalled(response: ServerResponse, bytes: number, clock: Clock): void {
	if (response.closed) {
		return;
	}

	response.once(
		'close',
		clock.after(patienceMs + bytes / slowestBytesPerMs, () => response.destroy()),
	);
}
