import type {Conversations} from './conversation-port.ts';
import type {Groups} from './group-port.ts';
import type {StoredKeys} from './key-port.ts';
import type {Jobs, Journal, Runs, Store, StoredApprovals} from './port.ts';
import type {StoredSessions} from './session-port.ts';

/** The part of a store that only looks. */
export type StoreReader = Pick<Store, 'history' | typeof Symbol.asyncDispose> & {
	readonly journal: Pick<Journal, 'get' | 'list'>;
	readonly runs: Pick<Runs, 'get' | 'list'>;
	readonly groups: Pick<Groups, 'get' | 'list'>;
	readonly jobs: Pick<Jobs, 'list'>;
	readonly approvals: Pick<StoredApprovals, 'get' | 'settled' | 'rules'>;
	readonly keys: Pick<StoredKeys, 'list' | 'usesSince' | 'totals'>;
	readonly sessions: Pick<StoredSessions, 'get' | 'messages' | 'list' | 'search'>;
	readonly conversations: Pick<Conversations, 'open' | 'session' | 'writers'>;
};
