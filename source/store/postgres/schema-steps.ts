import {countingChanges} from './changes.ts';
import {counting} from './counters.ts';
import {wordFunctions, wordsOfDelivery} from './words.ts';

/**
 * One step per version of the schema; never edit a step that was released. Columns in both stores have the same names and contents as in `store/migrations.ts`, so that the
 * same code reads rows: times are milliseconds since 1970, booleans are 0 or 1, JSON is text (PostgreSQL's own types refuse what strangers may send, such as a NUL).
 *
 * - `run.lane` is `[profile, route, job]` as JSON, sorted by bytes. `run.lease_owner` and `lease_until` are set while a run is leased.
 * - `run.token` is a fencing token: a run is settled with the token of its lease.
 * - `delivery.subject` and `run.subject` are copies from the columns `trace` and `plan`.
 * - `delivery.words` is, folded, all text in which filters search free words, and more; at 500 characters it may be cut. The primary key's index includes it and the other
 *   columns that a search tests on many rows, so that the rows need not be read. New entries are appended to that index; a trigram index would cost each delivery as much as
 *   everything else.
 * - `counter` sums the rows of deliveries and runs, and the size of the stored bodies, in several rows so that writers do not wait for each other; triggers update it for
 *   any writer.
 * - `claim` has the identifiers that count as duplicates, whether or not there is a run; `work` is a run or, negated, a group.
 * - `rate_window.most` and `took` belong to the last batch of requests: its limit, and how many of them pass. `pace.data` has the promised starts, newest last.
 * - `member` has the gateways; `place` identifies a gateway's home, `location` says where that is. `slot` is its share of the identifiers of a millisecond.
 * - `note` has the messages between members; old ones are deleted. Tables that are expendable after a crash of the database are unlogged.
 * - `approval.owner` and `approval_rule.owner` are the member that asked and the member that made the rule. In SQLite, `approval_rule.used_at` is in `data`.
 * - `session_message.words` has each word of `text` once, as `postgres/search-words.ts` splits it; `role` is that of `data`.
 * - `key_rate` is a key's token bucket of requests; `key_hold` has the requests and held tokens of each member, which no longer count if it has not updated them for a while.
 * - `change_count` counts the changes of keys and of rules; triggers update it.
 * - `document` has what people edit: subscriptions, jobs, tokens of tool servers; `version` grows with each change of any of them; `data` is null once a document is removed.
 */
export const steps: readonly string[] = [
	`${wordFunctions}
	create table member (
		owner text primary key,
		node text not null,
		place text not null,
		location text not null default '',
		slot integer not null,
		since bigint not null,
		seen bigint not null,
		data text not null
	);
	create unlogged table note (id bigserial primary key, at bigint not null, owner text not null, data text not null);
	create index note_at on note (at);
	create table named_lease (name text primary key, owner text not null, token bigint not null, until bigint not null);
	create unlogged table rate_window (
		profile text,
		route text,
		starts_at bigint not null,
		used integer not null,
		most integer not null,
		took integer not null,
		primary key (profile, route)
	);
	create table pace (profile text, route text, at bigint not null, data text not null, primary key (profile, route));
	create table delivery (
		id bigint,
		profile text collate "C" not null,
		route text collate "C" not null,
		event text collate "C" not null,
		delivery_id text not null,
		id_source text not null,
		status integer not null,
		outcome text collate "C" not null,
		received_at bigint not null,
		duration_ms double precision not null,
		body_bytes bigint not null,
		flags bigint not null,
		replay_of bigint,
		run bigint,
		subject text,
		trace text not null,
		headers text not null,
		plan text,
		body bytea,
		words text collate "C" generated always as (${wordsOfDelivery}) stored,
		primary key (id) include (status, received_at, duration_ms, body_bytes, words)
	);
	alter table delivery alter column body set storage external;
	create index delivery_rejected on delivery (id) where status >= 400 and outcome <> 'delivery';
	create index delivery_grouped on delivery (run) where run < 0;
	create index delivery_with_body on delivery (id) where body is not null;
	create table claim (
		profile text not null,
		route text not null,
		delivery_id text not null,
		delivery bigint not null,
		work bigint,
		at bigint not null,
		primary key (profile, route, delivery_id)
	);
	create index claim_at on claim (at);
	create table coalesce_group (
		id bigserial primary key,
		profile text not null,
		route text not null,
		key text not null,
		first_at bigint not null,
		last_at bigint not null,
		quiet_at bigint not null,
		cap_at bigint not null,
		count integer not null,
		latest bigint not null,
		target text not null,
		dispatched_at bigint,
		reason text,
		run bigint
	);
	create unique index group_pending on coalesce_group (profile, route, key) where run is null;
	create index group_due on coalesce_group (least(quiet_at, cap_at), id) where run is null;
	create index group_dispatched on coalesce_group (run) where run is not null;
	create table run (
		id bigserial primary key,
		delivery bigint,
		profile text collate "C" not null,
		route text collate "C" not null,
		target text collate "C" not null,
		state text collate "C" not null,
		created_at bigint not null,
		due_at bigint,
		started_at bigint,
		finished_at bigint,
		attempt integer not null default 0,
		delivery_attempt integer not null default 0,
		token bigint not null default 0,
		side_effect integer not null default 0,
		delivery_started integer not null default 0,
		lost_leases integer not null default 0,
		lease_owner text,
		lease_until bigint,
		tool_calls bigint not null default 0,
		grp bigint,
		superseded integer,
		job text collate "C",
		job_name text,
		lane text collate "C" not null,
		model text,
		usage text,
		error text,
		awaits_logins text,
		login_wait bigint,
		is_promised integer not null default 0,
		is_retry integer not null default 0,
		conversation text,
		subject text,
		dropped text,
		handed text
	);
	create index run_waiting on run (lane, due_at, id) where due_at is not null;
	create index run_leased on run (lane) where finished_at is null and due_at is null;
	create index run_of_job on run (job, profile) where job is not null and finished_at is null;
	create index run_awaiting on run (id) where awaits_logins is not null;
	create index run_to_decide on run (id) where state in ('interrupted', 'uncertain', 'dead');
	${counting}
	create table job_run (run bigint primary key, event text not null, plan text not null);
	create table lane_turn (lane text collate "C" primary key, turn bigint not null);
	create index lane_turn_order on lane_turn (turn);
	create table answer (run bigint primary key, preview text not null, rest text not null);
	create table transcript (
		run bigint not null,
		position integer not null,
		at bigint not null,
		kind text not null,
		bytes integer not null,
		text text not null,
		data text,
		primary key (run, position)
	);
	create table job (
		profile text collate "C" not null,
		id text collate "C" not null,
		next_at bigint,
		basis text not null,
		last_at bigint,
		last_run bigint,
		primary key (profile, id)
	);
	create table approval (
		id bigserial primary key,
		owner text,
		settled_at bigint,
		profile text collate "C" not null,
		data text not null
	);
	create index approval_waiting on approval (id) where settled_at is null;
	create table approval_rule (id bigserial primary key, owner text, uses bigint not null default 0, used_at bigint, data text not null);
	create table approval_tool (
		profile text not null,
		server text not null,
		tool text not null,
		definition text not null,
		args text,
		primary key (profile, server, tool)
	);
	create table memo (id bigserial primary key, kind text not null, name text not null, data text not null);
	create unique index memo_name on memo (kind, name);
	create index memo_kind on memo (kind, id);
	create table api_key (
		seq bigserial primary key,
		id text not null unique,
		ended bigint not null,
		used bigint not null default 0,
		requests bigint not null default 0,
		input bigint not null default 0,
		output bigint not null default 0,
		data text not null
	);
	create index api_key_ended on api_key (ended);
	create table api_key_use (
		key text not null,
		day text collate "C" not null,
		requests bigint not null,
		input bigint not null,
		output bigint not null,
		primary key (key, day)
	);
	create index api_key_use_day on api_key_use (day);
	create table session (
		seq bigserial primary key,
		id text not null unique,
		owner text collate "C" not null,
		used_at bigint not null,
		messages integer not null default 0,
		bytes bigint not null default 0,
		data text not null
	);
	create index session_used on session (used_at, seq, bytes);
	create index session_empty on session (used_at) where messages = 0;
	create index session_of_owner on session (owner, used_at, seq, bytes);
	create table session_message (
		id bigserial primary key,
		session bigint not null,
		at bigint not null,
		run bigint,
		role text not null,
		text text not null,
		data text not null,
		words tsvector not null
	);
	create index session_message_of on session_message (session, id);
	create index session_text on session_message using gin (words);
	create table inbound (platform text, message text, at bigint not null, primary key (platform, message));
	create index inbound_at on inbound (at);
	create table document (
		kind text collate "C",
		profile text collate "C",
		name text collate "C",
		version bigint not null,
		data text,
		primary key (kind, profile, name)
	);
	create index document_changed on document (version);
	create index document_removed on document (version) where data is null;
	create sequence document_version;
	create unlogged table key_rate (key text primary key, spent double precision not null, counted_at bigint not null);
	create unlogged table key_hold (key text, owner text, running integer not null, held bigint not null, seen bigint not null, primary key (key, owner));
	${countingChanges}`,
];
