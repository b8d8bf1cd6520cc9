import {mkdirSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {idOfNumber} from '../../source/core/ids.ts';
import {samplePlan, startMs} from './samples.ts';

/** The schemas as they were released: what came with each version. A copy, so that no change of the program changes what it has to cope with. */
const released = [
	`create table delivery (
		id integer primary key, profile text not null, route text not null, event text not null, delivery_id text not null, id_source text not null,
		status integer not null, outcome text not null, received_at integer not null, duration_ms real not null, body_bytes integer not null,
		flags integer not null, replay_of integer, run integer, trace text not null, headers text not null, plan text, body blob
	) strict;
	create table claim (
		profile text not null, route text not null, delivery_id text not null, delivery integer not null, run integer, at integer not null,
		primary key (profile, route, delivery_id)
	) strict, without rowid;
	create table fresh_claim (
		id integer primary key, profile text not null, route text not null, delivery_id text not null, delivery integer not null, run integer,
		at integer not null
	) strict;
	create table run (
		id integer primary key, delivery integer not null, route text not null, target text not null, state text not null, created_at integer not null,
		due_at integer, started_at integer, finished_at integer, attempt integer not null default 0, delivery_attempt integer not null default 0,
		token integer not null default 0, side_effect integer not null default 0, delivery_started integer not null default 0,
		tool_calls integer not null default 0, model text, error text
	) strict;
	create index run_open on run (due_at) where finished_at is null;
	create table answer (run integer primary key, preview text not null, rest text not null) strict;
	create table transcript (
		id integer primary key, at integer not null, kind text not null, bytes integer not null, text text not null, data text
	) strict;
	create table usage (
		id integer primary key check (id = 1), body_bytes integer not null, body_floor integer not null, claim_floor integer not null
	) strict;
	insert into usage values (1, 0, 0, 0);`,
	`alter table run add column lost_leases integer not null default 0;`,
	`create index delivery_rejected on delivery (id) where status >= 400 and outcome <> 'delivery';`,
	`create table coalesce_group (
		id integer primary key,
		profile text not null,
		route text not null,
		key text not null,
		first_at integer not null,
		last_at integer not null,
		quiet_at integer not null,
		cap_at integer not null,
		count integer not null,
		latest integer not null,
		target text not null,
		dispatched_at integer,
		reason text,
		run integer
		) strict;
		create index group_pending on coalesce_group (id) where run is null;
		create index group_dispatched on coalesce_group (run) where run is not null;
		create index delivery_grouped on delivery (run) where run < 0;
		create table run_4 (
		id integer primary key,
		delivery integer,
		profile text not null,
		route text not null,
		target text not null,
		state text not null,
		created_at integer not null,
		due_at integer,
		started_at integer,
		finished_at integer,
		attempt integer not null default 0,
		delivery_attempt integer not null default 0,
		token integer not null default 0,
		side_effect integer not null default 0,
		delivery_started integer not null default 0,
		lost_leases integer not null default 0,
		tool_calls integer not null default 0,
		grp integer,
		superseded integer,
		job text,
		job_name text,
		model text,
		error text,
		lane text generated always as (json_array(profile, route, job)) virtual
		) strict;
		insert into run_4 (
		id, delivery, profile, route, target, state, created_at, due_at, started_at, finished_at, attempt, delivery_attempt, token, side_effect,
		delivery_started, lost_leases, tool_calls, model, error
		) select run.id, delivery, coalesce(delivery.profile, 'default'), run.route, target, state, created_at, due_at, started_at, finished_at, attempt,
		delivery_attempt, token, side_effect, delivery_started, lost_leases, tool_calls, model, error
		from run left join delivery on delivery.id = run.delivery order by run.id;
		drop table run;
		alter table run_4 rename to run;
		create index run_waiting on run (lane, due_at) where due_at is not null;
		create index run_leased on run (lane) where finished_at is null and due_at is null;
		create index run_of_job on run (job, profile) where job is not null and finished_at is null;
		create table job_run (run integer primary key, event text not null, plan text not null) strict;
		create table job (
		profile text not null,
		id text not null,
		next_at integer,
		basis text not null,
		last_at integer,
		last_run integer,
		primary key (profile, id)
		) strict, without rowid;`,
];

/** Versions whose rows are written alike; later ones bring them forward themselves. */
const written = 3;

/** A store of an older version, in place of what is there, with a run that is done and one that waits; newest first, as its readers are to show it. */
export function createOlderStore(file: string, version: 1 | 2 | 3 | 4) {
	mkdirSync(dirname(file), {recursive: true});
	rmSync(file, {force: true});
	using database = new DatabaseSync(file);
	database.exec(
		`pragma journal_mode = wal; ${released.slice(0, Math.min(version, written)).join('')} pragma user_version = ${version}`,
	);
	const [first, second] = [startMs * 2048, startMs * 2048 + 1];
	const delivery = database.prepare(
		"insert into delivery values (?, ?, ?, 'push', ?, 'x-github-delivery', 202, 'accepted', ?, 1.5, 2, 0, null, ?, '[]', '{}', ?, ?)",
	);
	const plan = JSON.stringify(samplePlan);
	delivery.run(first, 'default', 'github', 'one', startMs, 1, plan, new Uint8Array(2));
	delivery.run(second, 'work', 'gitlab', 'two', startMs, 2, plan, new Uint8Array(2));
	const run = database.prepare(
		'insert into run (id, delivery, route, target, state, created_at, due_at, finished_at, model) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
	);
	run.run(1, first, 'github', 'log', 'done', startMs, null, startMs + 5, 'gpt-test');
	run.run(2, second, 'gitlab', 'log', 'queued', startMs, startMs, null, null);
	database.exec(`insert into answer values (1, 'All good', '');
		insert into transcript values (8192, ${startMs}, 'text', 6, 'so far', null);
		insert into fresh_claim values (1, 'work', 'gitlab', 'two', ${second}, 2, ${startMs});
		update usage set body_bytes = 4;
		${released.slice(written, version).join('')}`);

	const shared = {
		event: 'push',
		target: 'log',
		attempt: 0,
		deliveryAttempt: 0,
		createdAt: startMs,
		toolCalls: 0,
	};
	return {
		deliveries: [
			{id: idOfNumber(second), profile: 'work', route: 'gitlab', runId: 2},
			{id: idOfNumber(first), profile: 'default', route: 'github', runId: 1},
		],
		runs: [
			{
				...shared,
				id: 2,
				delivery: idOfNumber(second),
				profile: 'work',
				route: 'gitlab',
				state: 'queued',
			},
			{
				...shared,
				id: 1,
				delivery: idOfNumber(first),
				profile: 'default',
				route: 'github',
				state: 'done',
				finishedAt: startMs + 5,
				model: 'gpt-test',
				answer: 'All good',
			},
		],
	};
}
