import {deliveryOfRow, runOfDelivery, workOfRow} from '../delivery-rows.ts';
import {createJournalReader} from '../journal-reader.ts';
import type {Journal} from '../port.ts';
import {readCounters} from './counters.ts';
import {workedColumns, workedTables} from './history-nouns.ts';
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
		...createJournalReader(database, {
			selecting: isOfStates =>
				`select ${workedColumns} from ${workedTables}${isOfStates ? ` join run as started on started.id = ${runOfDelivery} and started.state = any($5)` : ''} where ($5::text[] is null or true)`,
			itemOf: row => workOfRow(deliveryOfRow(row), row),
			settle: async () => deferred.flush(),
		}),
		async count() {
			await deferred.flush();
			return (await readCounters(database)).deliveries;
		},
		purge: async (retention, signal) => purge(database, retention, signal),
	};
}
