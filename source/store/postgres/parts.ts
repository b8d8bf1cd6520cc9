import type {Clock} from '../../core/clock.ts';
import type {NoteBudget} from '../note-budget.ts';
import type {StoreNotes} from '../shared-port.ts';
import type {Deferred} from './batch.ts';
import type {Database} from './database.ts';
import type {QueuedNote} from './enqueue.ts';
import type {WaitingReader} from './waiting.ts';

/** What the parts of a store on PostgreSQL need; each uses some of it. */
export type PostgresParts = {
	readonly database: Database;
	readonly clock: Clock;
	readonly deferred: Deferred;
	readonly notes: NoteBudget;
	readonly queued: QueuedNote;
	readonly readWaiting: WaitingReader;
	/** Identifies this opening of the store. */
	readonly owner: string;
	/** Publishes a note to all gateways on the store. */
	readonly publish: StoreNotes['publish'];
};
