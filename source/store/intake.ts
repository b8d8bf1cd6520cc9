import type {StoredDelivery} from '../core/delivery.ts';
import {idOfNumber} from '../core/ids.ts';
import type {Bindings} from './columns.ts';
import {identifiersOf, deliveryParameters, insertDelivery, rowIdOf} from './delivery-rows.ts';
import type {StoreParts} from './parts.ts';
import type {Accepted, Intake, ReservedIdentifier} from './port.ts';

/** The argument of `accept`. */
type Entry = Parameters<Intake['accept']>[0];

type Duplicate = Extract<Accepted, {readonly kind: 'duplicate'}>;

/** `Intake` on SQLite: two inserts for an accepted delivery, none for a duplicate. */
export function createIntake({
	database,
	clock,
	commit,
	keys,
	counters,
	notes,
	enqueue,
	groupSteps: groups,
	jobSteps: jobs,
	pool,
}: StoreParts): Intake {
	const deliveryStatement = database.prepare(insertDelivery);

	/** `work` is the number of a run or, negated, of a group. */
	const insert = (delivery: StoredDelivery, parameters: Bindings, work: number | null) => {
		deliveryStatement.run(...parameters, work);
		counters.bodyBytes += delivery.body?.byteLength ?? 0;
		counters.deliveries += 1;
	};

	const takeAll = (
		delivery: Parameters<typeof identifiersOf>[0],
		claim: {readonly delivery: number; readonly work: number | null},
	) => {
		for (const key of identifiersOf(delivery)) {
			keys.take({...key, ...claim});
		}
	};

	const holderOf: (...asked: Parameters<Intake['holderOf']>) => Duplicate | undefined = (
		delivery,
		heldMs,
	) => {
		for (const [index, key] of identifiersOf(delivery).entries()) {
			const holder = keys.holderOf(key, heldMs);
			if (holder !== undefined) {
				const of = idOfNumber(holder);
				return {kind: 'duplicate', of, ...(index > 0 && {byBody: true as const})};
			}
		}

		return undefined;
	};

	const keep = (
		{delivery, bodyHash}: Entry,
		parameters: Bindings,
		{work, row}: {readonly work: number; readonly row: number},
	) => {
		takeAll({...delivery, bodyHash}, {delivery: row, work});
		insert(delivery, parameters, work);
	};

	const coalesce = (
		entry: Entry & Required<Pick<Entry, 'group'>>,
		parameters: Bindings,
	): Accepted => {
		const {delivery, plan, group, maxQueued} = entry;
		const row = rowIdOf(delivery.id);
		const joining = groups.join({
			profile: delivery.profile,
			route: delivery.route,
			key: group.key.toWellFormed(),
			event: delivery.event,
			latest: row,
			target: plan.target.kind,
			window: group,
		});
		const refusal =
			(joining.opens ? pool.loginRefusal(delivery, maxQueued) : undefined) ??
			(joining.takesPlace ? pool.refusal(delivery, maxQueued) : undefined);
		if (refusal) {
			return refusal;
		}

		const joined = joining.perform();
		keep(entry, parameters, {work: -joined.group.id, row});
		return {kind: 'coalesced', ...joined};
	};

	const run = (entry: Entry, parameters: Bindings): Accepted => {
		const now = clock.now();
		const {delivery, plan, maxQueued, job} = entry;
		const dueAt = Math.max(now, Math.ceil(entry.dueAt ?? now));
		const place = {profile: job?.profile ?? delivery.profile, route: delivery.route};
		const refusal =
			pool.loginRefusal(place, maxQueued) ??
			(dueAt > now ? pool.refusal(place, maxQueued) : pool.queueRefusal(place, maxQueued));
		if (refusal) {
			return refusal;
		}

		const queued = job ? jobs.queued(job) : 0;
		if (job && queued >= job.maxQueued) {
			return {kind: 'job-full', queued};
		}

		const row = rowIdOf(delivery.id);
		const newRun = {delivery: row, ...place, target: plan.target.kind, createdAt: now, dueAt};
		if (job) {
			const runId = enqueue({...newRun, job});
			keep(entry, parameters, {work: runId, row});
			jobs.fired(job, runId, now);
			return {kind: 'accepted', runId};
		}

		const at = keys.now();
		const runId = enqueue({...newRun, claim: {deliveryId: delivery.deliveryId, at}});
		const [own, ...others] = identifiersOf({...delivery, bodyHash: entry.bodyHash});
		if (own) {
			keys.hold({...own, delivery: row, work: runId, at});
		}

		for (const key of others) {
			keys.take({...key, delivery: row, work: runId});
		}

		insert(delivery, parameters, runId);

		return {kind: 'accepted', runId};
	};

	const accept = (entry: Entry, parameters: Bindings): Accepted => {
		const duplicate = holderOf({...entry.delivery, bodyHash: entry.bodyHash}, entry.idempotencyMs);
		if (duplicate) {
			return duplicate;
		}

		const {group} = entry;
		return group ? coalesce({...entry, group}, parameters) : run(entry, parameters);
	};

	return {
		async accept(entry) {
			const parameters = deliveryParameters(entry.delivery, entry.plan);
			return commit.write(() => accept(entry, parameters));
		},
		async holderOf(key, idempotencyMs) {
			return holderOf(key, idempotencyMs)?.of;
		},
		async reserve(delivery, idempotencyMs) {
			const row = rowIdOf(delivery.id);
			return commit.write((): ReservedIdentifier => {
				const duplicate = holderOf(delivery, idempotencyMs);
				if (!duplicate) {
					takeAll(delivery, {delivery: row, work: null});
				}

				return duplicate ?? {kind: 'reserved'};
			});
		},
		async record({delivery, claim, bodyHash}) {
			const parameters = deliveryParameters(delivery);
			await commit.write(() => {
				insert(delivery, parameters, null);
				const row = rowIdOf(delivery.id);
				if (claim) {
					takeAll({...delivery, bodyHash}, {delivery: row, work: null});
				} else {
					for (const key of identifiersOf({...delivery, bodyHash})) {
						keys.giveBack({...key, delivery: row});
					}
				}
			});
		},
		note(delivery) {
			const release = notes.take(delivery);
			if (release) {
				const parameters = deliveryParameters(delivery);
				commit.defer(() => insert(delivery, parameters, null), release);
			}
		},
	};
}
