/** A member that is stopped in the middle of a transaction keeps its locks no longer. */
const idleInTransaction = '3s';
const statementTimeout = '5s';

/**
 * What the transactions of all members take one after the other, one at most in each. A lock is one of the transaction, which ends with it: a lock of a session would outlive its owner behind PgBouncer.
 */
const locks = {
	schema: 1,
	members: 2,
	accept: 3,
	lease: 4,
	approvals: 5,
	sessions: 6,
	keys: 7,
	documents: 8,
} as const;

export type LockName = keyof typeof locks;

/** The class of our advisory locks: "svc". */
const lockClass = 0x73_76_63;

/** The first statements of a transaction, as one message. The last result is the time of the database once the lock is taken, milliseconds since 1970. Unless `isSynced`, its commit does not wait for the disk. */
export const beginning = (lock: LockName | undefined, isSynced: boolean): string =>
	[
		'begin',
		...(isSynced ? [] : ['set local synchronous_commit = off']),
		`set local idle_in_transaction_session_timeout = '${idleInTransaction}'`,
		`set local statement_timeout = '${statementTimeout}'`,
		...(lock === undefined ? [] : [`select pg_advisory_xact_lock(${lockClass}, ${locks[lock]})`]),
		'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
	].join(';');
