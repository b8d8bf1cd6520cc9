import {createApprovalReader} from './approvals.ts';
import type {Conversations} from './conversation-rules.ts';
import {type Engine, sqliteWords} from './engine.ts';
import type {Groups} from './group-port.ts';
import {createGroupReader} from './groups.ts';
import type {Jobs} from './job-port.ts';
import {createJobReader} from './jobs.ts';
import {createJournalReader} from './journal-reader.ts';
import type {StoredKeys} from './key-port.ts';
import {createKeyReader} from './keys.ts';
import type {Journal, Runs, Store, StoredApprovals} from './port.ts';
import {createRunReader} from './run-reader.ts';
import type {StoredSessions} from './session-port.ts';
import {createSessionReader} from './sessions.ts';

/** The reading part of a store. */
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

/** The readers that are the same for both engines. */
export const readersOf = (engine: Engine) => ({
	approvals: createApprovalReader(engine),
	groups: createGroupReader(engine),
	jobs: createJobReader(engine),
	journal: createJournalReader(engine),
	keys: createKeyReader(engine),
	runs: createRunReader(engine),
	sessions: createSessionReader(engine),
});

const {runs, sessions, ...others} = readersOf({
	...sqliteWords,
	prepare: () => async () => [],
	onBroken() {},
});

/** The reader of a store that is missing or was never filled. */
export const emptyReader: StoreReader = {
	...others,
	runs: {...runs, get: async () => undefined},
	sessions: {...sessions, search: async () => []},
	history: {
		search: async () => ({items: [], scanned: 0}),
		count: async () => ({counts: []}),
		sum: async ({from}) => ({since: from, leftOut: 0, rows: []}),
	},
	conversations: {
		open: async () => [],
		session: async () => undefined,
		writers: async () => [],
	},
	async [Symbol.asyncDispose]() {},
};
