import {every, type Clock} from '../../core/clock.ts';
import {integerOf, jsonOf, nullableText, type Row} from '../columns.ts';
import type {StoreNote} from '../shared-port.ts';
import type {Database} from './database.ts';

/** How often changes are looked for whose note was lost, milliseconds. */
const lookMs = 1000;

/** The column `changes`: how often each table has changed. */
const columns = '(select json_object_agg(name, changes)::text from change_count) as changes';

/** The note of a change of a table. A revoked key or a removed rule must not stay in force because a note was lost. */
const notes: Readonly<Record<string, StoreNote>> = {
	api_key: {kind: 'keys-changed', keys: []},
	approval_rule: {kind: 'approval-rules-changed'},
};

/** Part of the schema. A change is counted in the transaction that makes it, also by other programs; uses of keys and rules are not changes. Transactions that change one table run one after the other. */
export const countingChanges = `create table change_count (name text primary key, changes bigint not null);
	create function svc_count_change() returns trigger language plpgsql as $$
		begin
			insert into change_count as c values (tg_table_name, 1) on conflict (name) do update set changes = c.changes + 1;
			return null;
		end
	$$;
	create trigger api_key_changed after insert or delete or update of ended, data on api_key for each statement execute function svc_count_change();
	create trigger approval_rule_changed after insert or delete or update of data on approval_rule for each statement execute function svc_count_change();`;

/** Calls `tell` with a note of what has changed since the last look: within a second, also when the note of the change was lost. A note that did arrive is repeated, since its change is seen here, too. */
export async function followChanges(
	{database, clock}: {readonly database: Database; readonly clock: Clock},
	tell: (note: StoreNote) => void,
): Promise<Disposable> {
	const read = async () => {
		const [row] = await database.query(`select ${columns}`);
		return countsOf(row);
	};

	let known = await read();
	// A look that failed is made up for by the next.
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
