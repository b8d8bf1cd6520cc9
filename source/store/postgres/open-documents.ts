import {randomUUID} from 'node:crypto';
import type {Clock} from '../../core/clock.ts';
import type {Documents} from '../document-port.ts';
import type {Leases, StoreNotes} from '../shared-port.ts';
import {createDatabase} from './database.ts';
import {createDocuments} from './documents.ts';
import {createNamedLeases} from './named-leases.ts';
import {createNotes} from './notes.ts';
import {migrate} from './schema.ts';

/** The documents of a database for a command: it is no member, and takes nothing over. */
export type OpenedDocuments = AsyncDisposable & {
	readonly documents: Documents;
	readonly leases: Leases;
	readonly events: StoreNotes;
	/** Host and database, without a secret. */
	readonly name: string;
};

/** Opens the documents of a PostgreSQL database. @throws SvcError `store_too_new`, `journal_unavailable` */
export async function openDocuments(
	{clock}: {readonly clock: Clock},
	{url}: {readonly url: string},
): Promise<OpenedDocuments> {
	await using stack = new AsyncDisposableStack();
	const database = createDatabase({clock}, {url});
	stack.defer(() => database.close());
	await migrate(database);
	const owner = randomUUID();
	const events = stack.use(await createNotes({database, clock, owner}));
	const opened = stack.move();
	return {
		documents: createDocuments({
			database,
			publish(note) {
				events.publish(note);
			},
		}),
		leases: createNamedLeases({database, owner}),
		events,
		name: database.name,
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}
