import {originFacts} from '../core/origin.ts';
import type {RunState, Target, WorkDone} from '../core/run.ts';
import {type Row, wordOf} from './columns.ts';
import {routeOf} from './counters.ts';
import type {StoreParts} from './parts.ts';
import type {Lease, Runs, Settlement} from './port.ts';
import {droppedOf, handedOf, restartOf} from './run-acts.ts';
import {partsOfAnswer} from './transcripts.ts';

/** Changes of runs. Call each inside a transaction; it returns whether it changed something, which a stale lease never does. `now` is milliseconds since 1970. */
export function createRunSteps({
	database,
	counters,
	timed,
	times,
}: Pick<StoreParts, 'counters' | 'database' | 'timed' | 'times'>) {
	const putAnswer = database.prepare(
		'insert or replace into answer (run, preview, rest) values (?, ?, ?)',
	);
	const dropAnswer = database.prepare('delete from answer where run = ?');
	// Fencing: a run that waits, has ended or was leased again has another `due_at`, `finished_at` or `token`.
	const fence = 'id = ? and token = ? and finished_at is null and due_at is null';
	const leased = database.prepare(`select state from run where ${fence}`);
	const find = database.prepare(
		'select profile, route, state, finished_at, due_at, delivery is null and job is null and conversation is null as chat, dropped, handed, exists (select 1 from answer where run = run.id) as answered from run where id = ?',
	);
	const sideEffect = database.prepare(`update run set side_effect = 1 where ${fence}`);
	const deliveryStarted = database.prepare(
		`update run set delivery_attempt = delivery_attempt + 1, delivery_started = ? where ${fence} and state = 'delivering'`,
	);
	const answered = database.prepare(
		`update run set state = 'delivering', model = ?, tool_calls = ?, lost_leases = 0 where ${fence} and state = 'running'`,
	);
	// May be written after the run has ended: the lease is checked when the progress is reported.
	const worked = database.prepare(
		'update run set model = ?, tool_calls = ?, usage = coalesce(?, usage) where id = ? and token = ?',
	);
	const wait = database.prepare(
		'update run set state = ?, due_at = ?, error = ?, delivery_started = 0 where id = ?',
	);
	const awaitLogins = database.prepare(
		`update run set state = 'queued', due_at = ?, awaits_logins = ?, login_wait = ?, error = null, attempt = max(0, attempt - 1),
			started_at = iif(attempt > 1, started_at, null) where id = ?`,
	);
	const redirect = database.prepare('update run set target = ? where id = ?');
	const finish = database.prepare(
		'update run set state = ?, due_at = null, awaits_logins = null, finished_at = ?, error = ? where id = ?',
	);
	const restart = database.prepare(
		`update run set state = ?, due_at = ?, finished_at = null, started_at = null, error = null, side_effect = 0, delivery_started = 0, lost_leases = 0, login_wait = null, dropped = null where id = ?`,
	);
	// Keeps the run's results, the time it ended, and why.
	const putAway = database.prepare(`update run set state = 'dropped', dropped = ? where id = ?`);
	const hand = database.prepare('update run set target = ?, handed = ? where id = ?');

	// A retry by a person does not wait for a login.
	const hasten = database.prepare(
		'update run set due_at = ?, login_wait = iif(awaits_logins is null, login_wait, 0), awaits_logins = null where id = ?',
	);
	// The run keeps its position in the queue, which is by age.
	const release = database.prepare(
		'update run set due_at = created_at, login_wait = ?, awaits_logins = null where id = ?',
	);

	const stateOf = (lease: Lease): RunState | undefined => {
		const row = leased.get(lease.run.id, lease.token);
		return row && wordOf<RunState>(row['state']);
	};

	const awaitTheir = (
		{run}: Lease,
		{servers, mostMs}: Extract<Settlement, {readonly state: 'awaits-logins'}>,
		now: number,
	) => {
		const waitMs = Math.ceil(mostMs);
		times.keepUp();
		awaitLogins.run(now + waitMs, JSON.stringify(servers), waitMs, run.id);
		times.add(run, {waitMs, isPromised: false, awaitsLogins: servers});
		counters.moved(run, 'running', 'queued');
		return true;
	};

	const beginChat = database.prepare(
		`insert into run (id, profile, route, target, state, created_at, started_at, attempt, token, job_name, conversation)
			values (?1, ?2, '-', ?3, 'running', ?4, ?4, 1, 1, ?5, ?6)`,
	);
	const insertPlan = database.prepare(
		"insert into job_run (run, event, plan) values (?, 'chat', ?)",
	);

	/** Changes a run depending on its row: `perform` returns its new state, or `undefined` to leave it unchanged. */
	const change = (runId: number, perform: (row: Row) => RunState | undefined) => {
		const row = find.get(runId);
		const state = row && perform(row);
		if (!row || !state) {
			return false;
		}

		counters.moved(routeOf(row), wordOf<RunState>(row['state']), state);
		return true;
	};

	return {
		/** Creates the run of a new turn of a chat, and returns it with the token of its lease. */
		beginChat({profile, origin, plan}: Parameters<Runs['beginChat']>[0], now: number) {
			const id = counters.lastRun + 1;
			const {chat, conversation} = originFacts(origin);
			const place = conversation ? JSON.stringify(conversation) : null;
			beginChat.run(id, profile, plan.target.kind, now, chat?.key ?? null, place);
			insertPlan.run(id, JSON.stringify(plan));
			counters.lastRun = id;
			counters.runs += 1;
			counters.moved({profile, route: '-'}, undefined, 'running');
			return {id, token: 1};
		},
		markSideEffect: ({run, token}: Lease) => sideEffect.run(run.id, token).changes === 1,
		markDeliveryStarted: (
			...[{run, token}, {isRepeatable}]: Parameters<Runs['markDeliveryStarted']>
		) => deliveryStarted.run(isRepeatable ? 0 : 1, run.id, token).changes === 1,
		/** For a lease that was held when the progress was reported. */
		work: ({run, token}: Lease, {model, toolCalls, usage}: WorkDone) =>
			worked.run(model, toolCalls, usage ? JSON.stringify(usage) : null, run.id, token),
		answer(...[{run, token}, {text, model, toolCalls}]: Parameters<Runs['answer']>) {
			if (answered.run(model, toolCalls, run.id, token).changes !== 1) {
				return false;
			}

			const {preview, rest} = partsOfAnswer(text);
			putAnswer.run(run.id, preview, rest);
			counters.moved(run, 'running', 'delivering');
			return true;
		},
		settle(lease: Lease, settlement: Settlement, now: number) {
			const from = stateOf(lease);
			if (from === undefined) {
				return false;
			}

			if (settlement.state === 'awaits-logins') {
				return from === 'running' && awaitTheir(lease, settlement, now);
			}

			const error = 'error' in settlement ? settlement.error : null;
			if (settlement.state === 'retry') {
				const state = from === 'running' ? 'queued' : from;
				times.keepUp();
				wait.run(state, settlement.at, error, lease.run.id);
				const isRetry = state === 'queued';
				times.add(lease.run, {waitMs: settlement.at - now, isPromised: false, isRetry});
				counters.moved(lease.run, from, state);
				return true;
			}

			if ('target' in settlement && settlement.target !== undefined) {
				redirect.run(settlement.target, lease.run.id);
			}

			finish.run(settlement.state, now, error, lease.run.id);
			counters.moved(lease.run, from, settlement.state);
			return true;
		},
		cancel: (runId: number, now: number) =>
			change(runId, row => {
				if (row['finished_at'] !== null) {
					return undefined;
				}

				finish.run('cancelled', now, null, runId);
				timed.remove(runId);
				return 'cancelled';
			}),
		drop: (runId: number, reason: string | undefined, now: number) =>
			change(runId, row => {
				const dropped = droppedOf(row, reason, now);
				if (dropped) {
					putAway.run(JSON.stringify(dropped), runId);
				}

				return dropped && 'dropped';
			}),
		handOver: (runId: number, target: Target, now: number) =>
			change(runId, row => {
				const handed = handedOf(row, target);
				if (handed) {
					hand.run(target.kind, JSON.stringify(handed), runId);
					restart.run('delivering', now, runId);
				}

				return handed && 'delivering';
			}),
		retry(runId: number, now: number) {
			if (timed.waitMs(runId) > 0 && (find.get(runId)?.['due_at'] ?? null) !== null) {
				timed.remove(runId);
				hasten.run(now, runId);
				return true;
			}

			return change(runId, row => {
				const state = restartOf(row);
				if (state) {
					restart.run(state, now, runId);
				}

				if (state === 'queued') {
					dropAnswer.run(runId);
				}

				return state;
			});
		},
		/** Ends a run's wait for a login. */
		release(runId: number, loginWaitMs: number) {
			timed.remove(runId);
			release.run(Math.ceil(loginWaitMs), runId);
		},
	};
}
