/** Timeout of the locks of a member that is suspended within a transaction. */
const idleInTransaction = '3s';
const statementTimeout = '5s';

/**
 * Advisory locks that serialise transactions of all members; a transaction takes at most one. They are locks of the transaction and end with it: behind PgBouncer, a
 * session's lock could outlive its owner.
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

/** The class of the advisory locks: "svc" in ASCII. */
const lockClass = 0x73_76_63;

/**
 * The first statements of a transaction, as one message. The last result is the database's time once the lock is held, milliseconds since 1970. Unless `isSynced`, the
 * commit does not wait for the disk.
 */
export const beginning = (lock: LockName | undefined, isSynced: boolean): string =>
	[
		'begin',
		...(isSynced ? [] : ['set local synchronous_commit = off']),
		`set local idle_in_transaction_session_timeout = '${idleInTransaction}'`,
		`set local statement_timeout = '${statementTimeout}'`,
		...(lock === undefined ? [] : [`select pg_advisory_xact_lock(${lockClass}, ${locks[lock]})`]),
		'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
	].join(';');
