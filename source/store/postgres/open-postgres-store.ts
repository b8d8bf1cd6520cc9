import {randomUUID} from 'node:crypto';
import type {Clock} from '../../core/clock.ts';
import type {Logger} from '../../core/log.ts';
import type {Store} from '../port.ts';
import type {StoreEvents} from '../store-health.ts';
import {createDeferred} from './batch.ts';
import {createDatabase} from './database.ts';
import {createNotes} from './notes.ts';
import type {PostgresParts} from './parts.ts';
import {migrate} from './schema.ts';

export type PostgresStoreDependencies = StoreEvents & {
	readonly clock: Clock;
	readonly log?: Logger;
	/** Stands for the clock of the database, milliseconds since 1970. */
	readonly time?: () => number;
};

export type PostgresStoreOptions = {
	readonly url: string;
	/** `gateway.node`. */
	readonly node: string;
	/** Host and home: one opening has it at a time. */
	readonly place: string;
};

/** Opens a store on PostgreSQL. @throws SvcError `store_too_new`, `journal_unavailable` */
export async function openPostgresStore(
	{clock, time, onFailing}: PostgresStoreDependencies,
	{url}: PostgresStoreOptions,
): Promise<Store> {
	await using stack = new AsyncDisposableStack();
	const database = createDatabase({clock, time, onFailing}, {url});
	stack.defer(() => database.close());
	await migrate(database);
	const owner = randomUUID();
	const events = stack.use(await createNotes({database, clock, owner}, {url}));
	const deferred = createDeferred({database, clock});
	stack.defer(() => deferred.close());
	const parts: PostgresParts = {
		database,
		clock,
		deferred,
		owner,
		publish(note) {
			events.publish(note);
		},
	};
	const all = stack.move();
	return {
		...parts,
		events,
		lastId: '',
		takeOver: async () => ({requeued: [], interrupted: [], uncertain: [], denied: []}),
		[Symbol.asyncDispose]: () => all.disposeAsync(),
	} as unknown as Store;
}
