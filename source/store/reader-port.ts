import type {Conversations} from './conversation-rules.ts';
import type {Groups} from './group-port.ts';
import type {Jobs} from './job-port.ts';
import type {StoredKeys} from './key-port.ts';
import type {Journal, Runs, Store, StoredApprovals} from './port.ts';
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

/** Of a store that is missing, or was never filled. */
export const emptyReader: StoreReader = {
	journal: {get: async () => undefined, list: async () => []},
	runs: {get: async () => undefined, list: async () => []},
	groups: {get: async () => undefined, list: async () => []},
	jobs: {list: async () => []},
	approvals: {get: async () => undefined, settled: async () => [], rules: async () => []},
	history: {
		search: async () => ({items: [], scanned: 0}),
		count: async () => ({counts: []}),
		sum: async ({from}) => ({since: from, leftOut: 0, rows: []}),
	},
	keys: {list: async () => [], usesSince: async () => [], totals: async () => []},
	sessions: {
		get: async () => undefined,
		messages: async () => [],
		list: async () => [],
		search: async () => [],
	},
	conversations: {
		open: async () => [],
		session: async () => undefined,
		writers: async () => [],
	},
	async [Symbol.asyncDispose]() {},
};
