import type {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../core/clock.ts';
import type {OnBroken} from './broken-rows.ts';
import type {Counters} from './counters.ts';
import type {StoreNotes} from './shared-port.ts';
import type {TimedRuns} from './timed-runs.ts';
import type {GroupCommit} from './transaction.ts';

/** What the parts of a store on SQLite are made of; each takes some of it. */
export type StoreParts = {
	readonly database: DatabaseSync;
	readonly clock: Clock;
	readonly commit: GroupCommit;
	readonly counters: Counters;
	readonly timed: TimedRuns;
	/** Tells all gateways on the store. */
	readonly publish: StoreNotes['publish'];
	readonly onBroken: OnBroken;
};
