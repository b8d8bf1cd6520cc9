import {randomUUID} from 'node:crypto';
import type {Clock} from '../../core/clock.ts';
import {refuseMembers} from '../migrate/copy-counts.ts';
import {createDatabase} from './database.ts';
import {createDocuments} from './documents.ts';
import {createNamedLeases} from './named-leases.ts';
import {createNotes} from './notes.ts';
import {migrate} from './schema.ts';

export type OpenedDocuments = Awaited<ReturnType<typeof openDocuments>>;

/** Opens the documents of a PostgreSQL database for a command: without becoming a member or taking anything over. @throws SvcError `store_too_new`, `journal_unavailable` */
export async function openDocuments(
	{clock}: {readonly clock: Clock},
	{url}: {readonly url: string},
) {
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
		/** Host and database, without a secret. */
		name: database.name,
		/** @throws SvcError `store_in_use` while a gateway is a member, `journal_unavailable` */
		async refuseMembers(task: string) {
			await database.transact(
				async transaction => refuseMembers(transaction, {name: database.name, task}),
				'members',
			);
		},
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}
