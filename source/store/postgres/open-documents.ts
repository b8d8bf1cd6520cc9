import {randomUUID} from 'node:crypto';
import type {Clock} from '../../core/clock.ts';
import type {Documents} from '../document-port.ts';
import {refuseMembers} from '../migrate/copy-counts.ts';
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
	/** @throws SvcError `store_in_use` while a gateway is a member, `journal_unavailable` */
	refuseMembers(task: string): Promise<void>;
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
	const events = stack.use(createNotes({database, clock, owner}));
	await events.listening;
	const opened = stack.move();
	return {
		documents: createDocuments({
			database,
			publish: note => events.publish(note),
		}),
		leases: createNamedLeases({database, owner}),
		events,
		name: database.name,
		async refuseMembers(task) {
			await database.transact(
				async transaction => refuseMembers(transaction, {name: database.name, task}),
				'members',
			);
		},
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}
