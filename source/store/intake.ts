import type {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../core/clock.ts';
import {isRejection} from '../core/delivery.ts';
import type {StoredDelivery} from '../core/delivery.ts';
import {idOfNumber} from '../core/ids.ts';
import type {Claims} from './claims.ts';
import type {Bindings} from './columns.ts';
import type {Counters} from './counters.ts';
import {deliveryParameters, insertDelivery, rowIdOf} from './delivery-rows.ts';
import type {GroupCommit} from './group-commit.ts';
import type {NoteBudget} from './note-budget.ts';
import type {Accepted, DeliveryKey, Intake} from './port.ts';

/** What `accept` is given. */
type Entry = Parameters<Intake['accept']>[0];

/** What a note weighs beside its body, in bytes: trace, headers and overhead, roughly. */
const noteOverheadBytes = 1024;

/** `Intake` on SQLite: three small inserts for an accepted delivery, none for a duplicate. */
export function createIntake({
	database,
	clock,
	commit,
	claims,
	counters,
	notes,
}: {
	readonly database: DatabaseSync;
	readonly clock: Clock;
	readonly commit: GroupCommit;
	readonly claims: Claims;
	readonly counters: Counters;
	readonly notes: NoteBudget;
}): Intake {
	const deliveryStatement = database.prepare(insertDelivery);
	const runStatement = database.prepare(
		`insert into run (id, delivery, route, target, state, created_at, due_at) values (?, ?, ?, ?, 'queued', ?, ?)`,
	);

	const insert = (delivery: StoredDelivery, parameters: Bindings, run: number | null) => {
		deliveryStatement.run(...parameters, run);
		counters.bodyBytes += delivery.body?.byteLength ?? 0;
	};

	const accept = (entry: Entry, parameters: Bindings): Accepted => {
		const {delivery, plan, maxQueued, idempotencyMs} = entry;
		const now = clock.now();
		const holder = claims.holderOf(delivery, idempotencyMs, now);
		if (holder !== undefined) {
			return {kind: 'duplicate', of: idOfNumber(holder)};
		}

		if (counters.queued >= maxQueued) {
			return {kind: 'full', queued: counters.queued};
		}

		const row = rowIdOf(delivery.id);
		const run = counters.lastRun + 1;
		claims.take({...keyOf(delivery), delivery: row, run, at: now});
		insert(delivery, parameters, run);
		runStatement.run(run, row, delivery.route, plan.target.kind, now, now);
		counters.lastRun = run;
		counters.moved(undefined, 'queued');
		return {kind: 'accepted', runId: run};
	};

	return {
		async accept(entry) {
			const parameters = deliveryParameters(entry.delivery, entry.plan);
			return commit.write(() => accept(entry, parameters));
		},
		async holderOf(key, idempotencyMs) {
			const holder = claims.holderOf(key, idempotencyMs, clock.now());
			return holder === undefined ? undefined : idOfNumber(holder);
		},
		async record({delivery, claim}) {
			const parameters = deliveryParameters(delivery);
			await commit.write(() => {
				insert(delivery, parameters, null);
				if (claim) {
					const row = rowIdOf(delivery.id);
					claims.take({...keyOf(delivery), delivery: row, run: null, at: clock.now()});
				}
			});
		},
		failing: () => commit.failing(),
		note(delivery) {
			const weight = {
				bytes: noteOverheadBytes + (delivery.body?.byteLength ?? 0),
				isRejection: isRejection(delivery),
			};
			if (!notes.take(weight)) {
				return;
			}

			const parameters = deliveryParameters(delivery);
			commit.later(
				() => {
					insert(delivery, parameters, null);
				},
				() => {
					notes.release(weight);
				},
			);
		},
	};
}

const keyOf = ({profile, route, deliveryId}: DeliveryKey): DeliveryKey => ({
	profile,
	route,
	deliveryId,
});
