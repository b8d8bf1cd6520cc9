import {every, type Clock} from '../../core/clock.ts';
import {integerOf, jsonOf, nullableText, type Row} from '../columns.ts';
import type {StoreNote} from '../shared-port.ts';
import type {Database} from './database.ts';

/** Polling interval for changes, whose notes may be lost, milliseconds. */
const lookMs = 1000;

/** SQL for the column `changes`: the number of changes of each table. */
const columns = '(select json_object_agg(name, changes)::text from change_count) as changes';

/** The note of a change of a table. A revoked key or a removed rule must not stay in force because a note was lost. */
const notes: Readonly<Record<string, StoreNote>> = {
	api_key: {kind: 'keys-changed', keys: []},
	approval_rule: {kind: 'approval-rules-changed'},
};

/**
 * Part of the schema: counts each change in the transaction that makes it, even by other programs; uses of keys and rules do not count. Serialises transactions that change
 * the same table.
 */
export const countingChanges = `create table change_count (name text primary key, changes bigint not null);
	create function svc_count_change() returns trigger language plpgsql as $$
		begin
			insert into change_count as c values (tg_table_name, 1) on conflict (name) do update set changes = c.changes + 1;
			return null;
		end
	$$;
	create trigger api_key_changed after insert or delete or update of ended, data on api_key for each statement execute function svc_count_change();
	create trigger approval_rule_changed after insert or delete or update of data on approval_rule for each statement execute function svc_count_change();`;

/**
 * Calls `tell` with a note for each table changed since the last poll: within a second, even if the change's own note was lost. If that did arrive, `tell` is called a
 * second time.
 */
export async function followChanges(
	{database, clock}: {readonly database: Database; readonly clock: Clock},
	tell: (note: StoreNote) => void,
): Promise<Disposable> {
	const read = async () => {
		const [row] = await database.query(`select ${columns}`);
		return countsOf(row);
	};

	let known = await read();
	// After a failed poll, the next one finds the changes.
	const stop = every(clock, lookMs, async () => {
		const counts = await read().catch(() => known);
		const changed = Object.entries(notes).filter(([name]) => counts[name] !== known[name]);
		known = counts;
		for (const [, note] of changed) {
			tell(note);
		}
	});
	return {[Symbol.dispose]: stop};
}

function countsOf(row: Row | undefined): Readonly<Record<string, number>> {
	const text = row ? nullableText(row['changes'] ?? null) : null;
	return text === null
		? {}
		: Object.fromEntries(
				Object.entries(jsonOf<Record<string, number>>(text)).map(([name, count]) => [
					name,
					integerOf(count),
				]),
			);
}
