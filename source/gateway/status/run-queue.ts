import {every} from '../../core/clock.ts';
import type {RunPlaces, RunQueue} from '../../core/run-queue.ts';
import type {World} from '../../core/world.ts';
import type {Runs} from '../../store/port.ts';
import {createFailureReport} from '../runs/failure-report.ts';

/** How often the queue is counted for faces, milliseconds. */
const countMs = 1000;

/** The queue as it is now. @throws what the store throws */
export const readRunQueue = async (
	runs: Pick<Runs, 'waits'>,
	places: RunPlaces,
): Promise<RunQueue> => ({...(await runs.waits()), places});

/** Tells of the queue, at once and each second in which it is another. Ends with its scope. */
export function startQueueCounts(
	{clock, emit, log}: Pick<World, 'clock' | 'emit' | 'log'>,
	read: () => Promise<RunQueue>,
): Disposable {
	let last = '';
	const sayFailure = createFailureReport(log, 'warn');
	const count = async () => {
		try {
			const queue = await read();
			sayFailure.over();
			const next = JSON.stringify(queue);
			if (next !== last) {
				last = next;
				emit({type: 'queue-counted', at: clock.now(), queue});
			}
		} catch (error) {
			sayFailure('Cannot count the runs that wait', error);
		}
	};

	void count();
	return {[Symbol.dispose]: every(clock, countMs, count)};
}
