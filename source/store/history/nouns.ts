import type {Approval} from '../../core/approval.ts';
import type {Delivery} from '../../core/delivery.ts';
import {deliveryVocabulary, type FilteredDelivery} from '../../core/filter/delivery-vocabulary.ts';
import type {Vocabulary} from '../../core/filter/filter.ts';
import {receivedBody} from '../../core/filter/payload-terms.ts';
import {
	runVocabulary,
	approvalVocabulary,
	type ApprovalEntry,
	groupVocabulary,
} from '../../core/filter/vocabularies.ts';
import type {Group} from '../../core/group.ts';
import type {Run} from '../../core/run.ts';
import {approvalOfRow} from '../approvals.ts';
import {jsonOf, type Row} from '../columns.ts';
import {deliveryOfRow, workedColumns, workedTables, workOfRow} from '../delivery-rows.ts';
import {groupColumns, groupOfRow, groupTables} from '../group-rows.ts';
import {runColumns, runOfRow, runTables} from '../run-reader.ts';
import type {HistoryNoun} from './port.ts';
import type {SqlFields} from './sql-conditions.ts';

/** How the history of a noun is read: filters test `Asked`, answers contain `Item`. */
export type HistoryOf<Item, Asked> = SqlFields & {
	/** Columns and tables of a listing. */
	readonly columns: string;
	readonly tables: string;
	/** The table whose rows are in the order of the cursor, and the condition for those that belong to the history. */
	readonly base: string;
	/** The column of the cursor: a unique, growing integer. */
	readonly cursor: string;
	readonly where?: string;
	/** The tables of fields and words, if a listing needs fewer. */
	readonly searched?: string;
	readonly vocabulary: Vocabulary<Asked>;
	/** `read` returns headers and body of a delivery; `undefined` if they were not stored. */
	asked(row: Row, read: () => Row | undefined): Asked;
	itemOf(asked: Asked, row: Row): Item;
};

export const deliveries: HistoryOf<Delivery, FilteredDelivery> = {
	columns: workedColumns,
	tables: workedTables,
	base: 'delivery',
	searched: 'delivery',
	cursor: 'delivery.id',
	fields: {
		route: 'delivery.route',
		event: 'delivery.event',
		status: 'status',
		outcome: 'outcome',
		id: `(base36(delivery.id) || ' ' || delivery_id)`,
		ms: 'duration_ms',
		size: 'body_bytes',
		since: 'received_at',
	},
	words: `(delivery.profile || ' ' || delivery.route || ' ' || delivery.event || ' ' || delivery_id || ' ' || status || ' ' || outcome || ' ' || trace)`,
	name: 'base36(delivery.id)',
	body: 'body',
	vocabulary: deliveryVocabulary,
	asked(row, read) {
		return {
			delivery: deliveryOfRow(row),
			received() {
				const stored = read();
				const body = stored?.['body'];
				return stored && body instanceof Uint8Array
					? receivedBody({headers: jsonOf<Record<string, string>>(stored['headers']), body})
					: undefined;
			},
		};
	},
	itemOf: ({delivery}, row) => workOfRow(delivery, row),
};

export const runs: HistoryOf<Run, Run> = {
	columns: runColumns,
	tables: runTables,
	base: 'run',
	cursor: 'run.id',
	fields: {
		route: 'run.route',
		state: 'run.state',
		target: 'run.target',
		id: 'run.id',
		since: 'run.created_at',
	},
	vocabulary: runVocabulary,
	asked: runOfRow,
	itemOf: run => run,
};

/** Dispatched groups, in the order of their runs; pending ones are in the state. */
export const groups: HistoryOf<Group, Group> = {
	columns: groupColumns,
	tables: groupTables,
	base: 'coalesce_group',
	cursor: 'coalesce_group.run',
	where: 'coalesce_group.run is not null',
	fields: {
		route: 'coalesce_group.route',
		id: 'coalesce_group.id',
		count: 'coalesce_group.count',
		since: 'coalesce_group.last_at',
	},
	vocabulary: groupVocabulary,
	asked: groupOfRow,
	itemOf: group => group,
};

/** Settled approvals. */
export const approvals: HistoryOf<
	Approval,
	Extract<ApprovalEntry, {readonly approval: Approval}>
> = {
	columns: 'id, data',
	tables: 'approval',
	base: 'approval',
	cursor: 'id',
	where: 'settled_at is not null',
	fields: {},
	vocabulary: approvalVocabulary,
	asked: row => ({kind: 'settled', approval: approvalOfRow(row)}),
	itemOf: ({approval}) => approval,
};

/** The nouns with a history, by name, for SQLite. */
export const sqliteNouns: Readonly<Record<HistoryNoun, unknown>> = {
	deliveries,
	runs,
	groups,
	approvals,
};
