import type {DatabaseSync} from 'node:sqlite';
import {SvcError} from '../core/errors.ts';
import {version as programVersion} from '../core/program.ts';
import {escapeLine} from '../core/untrusted.ts';
import {integerOf, textOf} from './columns.ts';
import {keySchema} from './key-schema.ts';
import {sessionSchema} from './session-schema.ts';

/**
 * One step per version of the schema; never edit a step that was released. Times are milliseconds since 1970.
 *
 * - `delivery.id` is the number behind `Delivery.id`, so rows are in order of time. Wide columns are last, so that a scan need not read them.
 * - `delivery.trace` is JSON, a list of steps; the first also contains `Delivery.subject`, which every listing shows.
 * - `claim` and `fresh_claim` hold the identifiers that count as duplicates. They are tables, not an index of `delivery`, so that a claim can
 *   pass to a newer delivery, and end after an hour, without touching a row with a body. A fresh claim takes precedence.
 * - `run.due_at` is set while a run waits to be leased; a run with neither `due_at` nor `finished_at` is leased.
 * - The index `delivery_rejected` has the deliveries for which `isRejection` is true, so that the retention finds the oldest of them without reading others.
 * - `run.lost_leases` counts leases that were neither settled nor released by their process, since the run last made progress.
 * - `transcript.id` is the run times 4,096 plus the position.
 * - `usage`: bytes of the stored bodies, and up to which ids the retention has worked.
 * - A `coalesce_group` is pending while it has no `run`. A negative `delivery.run` or `claim.run` is the group of an event, not a run: a column of its own would
 *   lie behind the bodies, which every listing would have to read.
 * - Leases are counted by `run.lane`; the index `run_waiting` has the waiting runs of each lane in order, so that a full lane's runs need not be read.
 * - `lane_turn` has the number of each lane's latest lease: the lane with the lowest number is next.
 * - `job_run` has, for runs without a delivery, what a delivery would contain.
 * - `approval.settled_at` is null while the request waits; `data` is the rest of it as JSON. `approval_tool` has the last allowed call of each tool. Numbers of approvals and
 *   rules are never reused.
 * - `usage.deliveries` and `usage.runs` count the rows: they are in the one row that a commit with a body writes anyway, and save counting the table.
 * - The index `run_to_decide` has the few runs that wait for a person: any other run costs a comparison, but no page.
 * - `memo.data` is JSON; the greatest id of a kind was written last.
 * - `run.usage` is JSON: the tokens of all its tries, and their cost; null while unknown.
 * - `run.claimed_id` and `run.claimed_at` are the claim of the run's event, which saves writing another row. Claims of runs up to
 *   `usage.run_claim_floor` have expired or are sorted into `claim`.
 * - `run.awaits_logins` is set while a run waits for a login: the names of the servers, as JSON. `run.login_wait` is how much of that wait was left when it began or was
 *   released, milliseconds; null before the first wait.
 * - `run.job_name` is the name of the key of a turn of a chat, which has neither delivery nor job; `run.conversation` is `Run.conversation` as JSON, for a turn on a platform.
 * - `run.dropped` is `Run.dropped` as JSON. `run.handed` is JSON with what a person has since changed about the delivery of the plan: `target` and `again`.
 */
const steps: readonly string[] = [
	`create table delivery (
		id integer primary key,
		profile text not null,
		route text not null,
		event text not null,
		delivery_id text not null,
		id_source text not null,
		status integer not null,
		outcome text not null,
		received_at integer not null,
		duration_ms real not null,
		body_bytes integer not null,
		flags integer not null,
		replay_of integer,
		run integer,
		trace text not null,
		headers text not null,
		plan text,
		body blob
	) strict;
	create table claim (
		profile text not null,
		route text not null,
		delivery_id text not null,
		delivery integer not null,
		run integer,
		at integer not null,
		primary key (profile, route, delivery_id)
	) strict, without rowid;
	create table fresh_claim (
		id integer primary key,
		profile text not null,
		route text not null,
		delivery_id text not null,
		delivery integer not null,
		run integer,
		at integer not null
	) strict;
	create table run (
		id integer primary key,
		delivery integer not null,
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
		tool_calls integer not null default 0,
		model text,
		error text
	) strict;
	create index run_open on run (due_at) where finished_at is null;
	create table answer (run integer primary key, preview text not null, rest text not null) strict;
	create table transcript (
		id integer primary key,
		at integer not null,
		kind text not null,
		bytes integer not null,
		text text not null,
		data text
	) strict;
	create table usage (
		id integer primary key check (id = 1),
		body_bytes integer not null,
		body_floor integer not null,
		claim_floor integer not null
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
	`create table approval (
		id integer primary key autoincrement,
		settled_at integer,
		data text not null
	) strict;
	create index approval_waiting on approval (id) where settled_at is null;
	create table approval_rule (
		id integer primary key autoincrement,
		uses integer not null default 0,
		data text not null
	) strict;
	create table approval_tool (
		profile text not null,
		server text not null,
		tool text not null,
		definition text not null,
		args text,
		primary key (profile, server, tool)
	) strict, without rowid;`,
	`create table memo (
		id integer primary key autoincrement,
		kind text not null,
		name text not null,
		data text not null
	) strict;
	create unique index memo_name on memo (kind, name);
	create index memo_kind on memo (kind, id);`,
	`alter table run add column claimed_id text;
	alter table run add column claimed_at integer;
	alter table usage add column run_claim_floor integer not null default 0;
	update usage set run_claim_floor = (select coalesce(max(id), 0) from run);`,
	`alter table run add column usage text;`,
	`alter table usage add column deliveries integer not null default 0;
	alter table usage add column runs integer not null default 0;
	update usage set deliveries = (select count(*) from delivery), runs = (select count(*) from run);
	create index run_to_decide on run (id) where state in ('interrupted', 'uncertain', 'dead');`,
	`alter table run add column awaits_logins text;
	alter table run add column login_wait integer;`,
	keySchema,
	sessionSchema,
	`alter table run add column conversation text;`,
	`create table lane_turn (lane text primary key, turn integer not null) strict, without rowid;
	create unique index lane_turn_order on lane_turn (turn);`,
	`alter table run add column dropped text;
	alter table run add column handed text;`,
	`create table inbound (
		platform text not null,
		message text not null,
		at integer not null,
		primary key (platform, message)
	) strict, without rowid;
	create index inbound_at on inbound (at);`,
];

/** The schema version that this program writes. All earlier versions can be read without migration: see `openSqliteReader`. */
export const schemaVersion = steps.length;

/** The schema version on disk; 0 for a new file. @throws SvcError `store_too_new` when a newer program wrote it */
export function versionOf(database: DatabaseSync, file: string): number {
	const version = integerOf(database.prepare('pragma user_version').get()?.['user_version']);
	if (version > schemaVersion) {
		const writer = writerOf(database);
		throw new SvcError(
			'store_too_new',
			`Cannot open the store "${file}": ${writer} wrote it, with schema ${version}, and this program knows ${schemaVersion}: upgrade to that version, or restore a backup that this one made ("svc restore")`,
		);
	}

	return version;
}

/** The program that last had the store open, cleaned. The query works from version 6 on. */
function writerOf(database: DatabaseSync): string {
	try {
		const row = database
			.prepare(
				`select data from memo where kind = '${programMemo.kind}' and name = '${programMemo.name}'`,
			)
			.get();
		const version: unknown = JSON.parse(textOf(row?.['data']));
		return typeof version === 'string' ? `svc ${escapeLine(version, 40)}` : unknownWriter;
	} catch {
		return unknownWriter;
	}
}

const unknownWriter = 'a newer version of svc';

const programMemo = {kind: 'program', name: 'version'} as const;

/** Notes which version of the program writes the store from now on. */
export function signStore(database: DatabaseSync): void {
	database
		.prepare(
			`insert into memo (kind, name, data) values (?1, ?2, ?3)
			on conflict (kind, name) do update set data = ?3 where data <> ?3`,
		)
		.run(programMemo.kind, programMemo.name, JSON.stringify(programVersion));
}

/**
 * Migrates the schema to `schemaVersion`: a new file in one transaction, since each transaction waits for the disk; an older file in one transaction per step. Same errors
 * as `versionOf`, and SQLite's.
 */
export function migrate(database: DatabaseSync, file: string): void {
	const version = versionOf(database, file);
	const missing = steps.slice(version);
	const inOneGo = version === 0 ? [missing.join('\n')] : missing;
	for (const [index, step] of inOneGo.entries()) {
		const reached = version === 0 ? schemaVersion : version + index + 1;
		database.exec(`begin immediate; ${step} pragma user_version = ${reached}; commit`);
	}
}
