import {createJournalReader} from '../journal-reader.ts';
import type {Journal} from '../port.ts';
import {readCounters} from './counters.ts';
import type {PostgresParts} from './parts.ts';
import {purge} from './retention.ts';

/** `Journal` on PostgreSQL. */
export function createJournal({
	database,
	deferred,
}: Pick<PostgresParts, 'database'> & {
	readonly deferred: Pick<PostgresParts['deferred'], 'flush'>;
}): Journal {
	return {
		...createJournalReader(database, async () => deferred.flush()),
		async count() {
			await deferred.flush();
			return (await readCounters(database)).deliveries;
		},
		purge: async (retention, signal) => purge(database, retention, signal),
	};
}
