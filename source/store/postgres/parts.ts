import type {Clock} from '../../core/clock.ts';
import type {NoteBudget} from '../note-budget.ts';
import type {StoreNotes} from '../shared-port.ts';
import type {Deferred} from './batch.ts';
import type {Database} from './database.ts';
import type {QueuedNote} from './enqueue.ts';
import type {WaitingReader} from './waiting.ts';

/** What the parts of a store on PostgreSQL are made of; each takes some of it. */
export type PostgresParts = {
	readonly database: Database;
	readonly clock: Clock;
	readonly deferred: Deferred;
	readonly notes: NoteBudget;
	readonly queued: QueuedNote;
	readonly readWaiting: WaitingReader;
	/** Names this opening. */
	readonly owner: string;
	/** Tells all gateways on the store. */
	readonly publish: StoreNotes['publish'];
};
