import {every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {JournalCounts} from '../../core/state.ts';
import type {World} from '../../core/world.ts';
import type {Store} from '../../store/port.ts';

/** How often it is counted, milliseconds. */
const countMs = 1000;

/** Tells what the journal holds, whatever is in memory: at once, and each second when it is another number. Ends with its scope. */
export async function startJournalCounts({
	store,
	clock,
	emit,
	log,
}: Pick<World, 'clock' | 'emit' | 'log'> & {
	readonly store: Pick<Store, 'runs' | 'journal'>;
}): Promise<Disposable> {
	let last: JournalCounts | undefined;
	const count = async () => {
		try {
			const [{all: runs, toDecide}, deliveries] = await Promise.all([
				store.runs.kept(),
				store.journal.count(),
			]);
			if (last?.deliveries !== deliveries || last.runs !== runs || last.runsToDecide !== toDecide) {
				last = {deliveries, runs, runsToDecide: toDecide};
				emit({type: 'journal-counted', at: clock.now(), counts: last});
			}
		} catch (error) {
			log.warn('Cannot count what the journal holds', {error: messageOf(error)});
		}
	};

	await count();
	const stop = every(clock, countMs, count);
	return {
		[Symbol.dispose]: stop,
	};
}
