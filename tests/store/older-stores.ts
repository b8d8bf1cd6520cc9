import {mkdirSync} from 'node:fs';
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
];

/** A store of an older version with a run that is done and one that waits; newest first, as its readers are to show it. */
export function createOlderStore(file: string, version: 1 | 2 | 3) {
	mkdirSync(dirname(file), {recursive: true});
	using database = new DatabaseSync(file);
	database.exec(
		`pragma journal_mode = wal; ${released.slice(0, version).join('')} pragma user_version = ${version}`,
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
		update usage set body_bytes = 4`);

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
