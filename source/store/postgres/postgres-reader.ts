import type {Clock} from '../../core/clock.ts';
import type {OnBroken} from '../broken-rows.ts';
import {emptyReader, readersOf, type StoreReader} from '../reader-port.ts';
import {createConversations} from './conversations.ts';
import {createDatabase} from './database.ts';
import {createHistory} from './history.ts';
import {readRuns} from './run-reader.ts';
import {versionOf} from './schema.ts';
import {createSessionSearch} from './sessions.ts';
import {createWaitingReader} from './waiting.ts';

/**
 * Opens a shared store only for reading, whether or not a gateway runs. A database that was never filled gives empty answers; nothing is created, changed, taken over or
 * announced to gateways.
 *
 * @throws SvcError `store_too_new`, `journal_unavailable`
 */
export async function openPostgresReader(
	{clock, onBroken}: {readonly clock: Clock; readonly onBroken?: OnBroken},
	{url}: {readonly url: string},
): Promise<StoreReader> {
	await using stack = new AsyncDisposableStack();
	const database = createDatabase({clock, onBroken}, {url});
	stack.defer(() => database.close());
	const [schema] = await database.query("select to_regclass('schema_version')::text as name");
	if (schema?.['name'] === null || (await versionOf(database, database.name)) === 0) {
		return emptyReader;
	}

	// Exposes only the reading functions of the parts that can write.
	const {runs, sessions, ...others} = readersOf(database);
	const all = stack.move();
	return {
		...others,
		runs: {...runs, get: async id => (await readRuns(database, [id])).get(id)?.run},
		sessions: {...sessions, search: createSessionSearch(database)},
		conversations: createConversations({
			database,
			queued: {tell() {}, [Symbol.dispose]() {}},
			readWaiting: createWaitingReader(clock),
		}),
		history: createHistory({database, clock, deferred: {async flush() {}}}),
		[Symbol.asyncDispose]: () => all.disposeAsync(),
	};
}
