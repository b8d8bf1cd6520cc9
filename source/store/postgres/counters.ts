import {integerOf} from '../columns.ts';
import type {Statements} from './database.ts';

/** Part of the schema. A transaction changes only one row of `counter`, chosen by its connection: so no two transactions lock several counter rows in different orders. */
export const counting = `create table counter (slot integer primary key, deliveries bigint not null, runs bigint not null, body_bytes bigint not null) with (fillfactor = 20);
	create function svc_count() returns trigger language plpgsql as $$
		declare
			kind constant text := tg_table_name || ' ' || tg_op;
			rows bigint := 0;
			bytes bigint := 0;
		begin
			if kind = 'delivery INSERT' then
				select count(*), coalesce(sum(octet_length(body)), 0) into rows, bytes from added;
			elsif kind = 'delivery DELETE' then
				select -count(*), -coalesce(sum(octet_length(body)), 0) into rows, bytes from gone;
			elsif kind = 'delivery UPDATE' then
				select coalesce(sum(octet_length(body)), 0) into bytes from added;
				select bytes - coalesce(sum(octet_length(body)), 0) into bytes from gone;
			elsif kind = 'run INSERT' then
				select count(*) into rows from added;
			else
				select -count(*) into rows from gone;
			end if;
			if rows <> 0 or bytes <> 0 then
				insert into counter as c values (
					pg_backend_pid() % 64,
					case when tg_table_name = 'delivery' then rows else 0 end,
					case when tg_table_name = 'run' then rows else 0 end,
					bytes
				) on conflict (slot) do update set
					deliveries = c.deliveries + excluded.deliveries, runs = c.runs + excluded.runs, body_bytes = c.body_bytes + excluded.body_bytes;
			end if;
			return null;
		end
	$$;
	create trigger delivery_added after insert on delivery referencing new table as added for each statement execute function svc_count();
	create trigger delivery_changed after update on delivery referencing old table as gone new table as added for each statement execute function svc_count();
	create trigger delivery_gone after delete on delivery referencing old table as gone for each statement execute function svc_count();
	create trigger run_added after insert on run referencing new table as added for each statement execute function svc_count();
	create trigger run_gone after delete on run referencing old table as gone for each statement execute function svc_count();`;

/** The numbers of deliveries and runs, and the total size of the bodies, as counted by triggers: sums over a few rows. */
export async function readCounters({query}: Pick<Statements, 'query'>) {
	const [row] = await query(
		'select sum(deliveries) as deliveries, sum(runs) as runs, sum(body_bytes) as body_bytes from counter',
	);
	return {
		deliveries: integerOf(row?.['deliveries']),
		runs: integerOf(row?.['runs']),
		bodyBytes: integerOf(row?.['body_bytes']),
	};
}
