import {
	dueOf,
	stepGroup,
	type Group,
	type GroupReason,
	type GroupWindow,
} from '../../core/group.ts';
import {idOfNumber} from '../../core/ids.ts';
import type {NewRun} from '../due-queue.ts';
import {groupOf, runOfGroup} from '../group-rows.ts';
import {wholeOf} from '../groups.ts';
import type {JobKey} from '../job-port.ts';
import {nameOfGroup, type GroupKey, type WaitingGroup} from '../pending-groups.ts';
import type {Accepted, Intake, RouteKey} from '../port.ts';
import {withBodies, type Holders} from './claims.ts';
import type {NewDelivery} from './deliveries.ts';
import type {QueuedOfJobs} from './jobs.ts';
import type {Waiting} from './waiting.ts';

/** An event to be accepted. */
export type NewEvent = {
	readonly delivery: NewDelivery;
	readonly event: string;
	/** The kind of its run's target. */
	readonly target: string;
	readonly maxQueued: number;
	readonly idempotencyMs: number;
	/** Delay from now before its run may start, milliseconds. */
	readonly waitMs: number;
	/** The group that it joins. */
	readonly group: (GroupKey & {readonly window: GroupWindow}) | undefined;
	readonly job: Parameters<Intake['accept']>[0]['job'];
};

/** The result, or why the event could not be stored. */
export type AcceptOutcome = Accepted | {readonly kind: 'failed'; readonly error: Error};

/** A run that gets its number when it is written. */
type NumberedRun = {readonly of: () => NewRun; id: number};

/** `work`: the run or, negated, the number of the group. */
type NumberedDelivery = {readonly delivery: NewDelivery; readonly work: () => NumberedRun | number};

/** A group including the events so far. A new group's number is known before it is written. */
type HeldGroup = {
	id: number;
	waiting: Omit<WaitingGroup, 'id'>;
	end?: {readonly reason: GroupReason; readonly run: NumberedRun};
};

/** State of the store, read under the lock `accept`. */
type Known = {
	/** The time of the database. */
	readonly now: number;
	readonly holders: Holders;
	readonly waiting: Waiting;
	/** The pending groups of the batch's keys. */
	readonly pending: readonly WaitingGroup[];
	readonly jobs: QueuedOfJobs;
};

/** Decides on events in order, each including the effects of those before it, without queries. An event whose number is taken fails alone, and leaves nothing behind. */
export function createAcceptance({now, holders, waiting, pending, jobs}: Known) {
	const ofKey = new Map(
		pending.map(({id, ...group}): [string, HeldGroup] => [
			nameOfGroup(group),
			{id, waiting: group},
		]),
	);
	const runs: NumberedRun[] = [];
	const groups = new Set<HeldGroup>();
	const deliveries: NumberedDelivery[] = [];
	const fired: Array<JobKey & {readonly run: NumberedRun}> = [];

	const queue = (route: RouteKey, dueAt: number, of: () => NewRun): NumberedRun => {
		const run = {of, id: 0};
		runs.push(run);
		waiting.add(dueAt > now ? 'timed' : 'queued', route, dueAt);
		return run;
	};

	/** Keeps the delivery with the work from `perform`, unless its number is taken. */
	const keep = (
		delivery: NewDelivery,
		perform: () => Pick<NumberedDelivery, 'work'> & {readonly answer: () => AcceptOutcome},
	): (() => AcceptOutcome) => {
		if (holders.isTaken(delivery.row)) {
			const id = idOfNumber(delivery.row);
			const error = new Error(`there is a delivery "${id}" already`);
			return () => ({kind: 'failed', error});
		}

		const {work, answer} = perform();
		for (const {key} of withBodies([delivery])) {
			holders.take(key, delivery.row);
		}

		deliveries.push({delivery, work});
		return answer;
	};

	/** Returns a function that gives the group as it is now, once numbers are known. */
	const told = (group: HeldGroup): (() => Group) => {
		const {waiting: seen, end} = group;
		return () =>
			groupOf(
				{...seen, id: group.id},
				end && {dispatchedAt: now, reason: end.reason, runId: end.run.id},
			);
	};

	const dispatch = (group: HeldGroup, reason: GroupReason) => {
		const {waiting: whole} = group;
		const run = queue(whole, now, () => runOfGroup({...whole, id: group.id}, now));
		group.end = {reason, run};
		groups.add(group);
		return told(group);
	};

	const coalesce = (
		{delivery, event, maxQueued, target}: NewEvent,
		{window, ...name}: NonNullable<NewEvent['group']>,
	) => {
		const latest = {event, latest: delivery.row, target};
		const known = ofKey.get(nameOfGroup(name));
		const step = stepGroup(known?.waiting, wholeOf(window), now);
		if (known && step.kind === 'join') {
			return keep(delivery, () => {
				known.waiting = {...known.waiting, ...latest, ...step.next};
				groups.add(known);
				const group = told(known);
				return {work: () => -known.id, answer: () => ({kind: 'coalesced', group: group()})};
			});
		}

		const ended = step.kind === 'open' ? step.ended : undefined;
		const refusal =
			waiting.loginRefusal(name, maxQueued) ??
			(ended === undefined ? waiting.refusal(name, maxQueued) : undefined);
		if (refusal) {
			return () => refusal;
		}

		return keep(delivery, () => {
			const dispatched = known && ended && dispatch(known, ended);
			const opened = {id: 0, waiting: {...name, ...latest, ...step.next}};
			// A group that was over frees its place for the new one.
			if (!dispatched) {
				waiting.add('timed', name, dueOf(step.next).at);
			}

			ofKey.set(nameOfGroup(name), opened);
			groups.add(opened);
			const group = told(opened);
			return {
				work: () => -opened.id,
				answer: () => ({
					kind: 'coalesced',
					group: group(),
					...(dispatched && {dispatched: dispatched()}),
				}),
			};
		});
	};

	const begin = ({delivery, maxQueued, waitMs, job, target}: NewEvent) => {
		const dueAt = now + waitMs;
		const route = {profile: job?.profile ?? delivery.key.profile, route: delivery.key.route};
		const refusal =
			waiting.loginRefusal(route, maxQueued) ??
			(dueAt > now ? waiting.refusal(route, maxQueued) : waiting.queueRefusal(route, maxQueued));
		if (refusal) {
			return () => refusal;
		}

		const queued = job ? jobs.queued(job) : 0;
		if (job && queued >= job.maxQueued) {
			return () => ({kind: 'job-full' as const, queued});
		}

		return keep(delivery, () => {
			const run = queue(route, dueAt, () => ({
				delivery: delivery.row,
				...route,
				target,
				createdAt: now,
				dueAt,
				job,
			}));
			if (job) {
				jobs.add(job);
				fired.push({profile: job.profile, id: job.id, run});
			}

			return {work: () => run, answer: () => ({kind: 'accepted', runId: run.id})};
		});
	};

	return {
		/** Decides on the next event; call the returned function once everything has its number. */
		decide(event: NewEvent): () => AcceptOutcome {
			const {delivery, group, idempotencyMs} = event;
			const holder = holders.holderOf(delivery.key, idempotencyMs);
			if (holder !== undefined) {
				return () => ({kind: 'duplicate', of: idOfNumber(holder)});
			}

			const same = delivery.bodyKey && holders.holderOf(delivery.bodyKey, idempotencyMs);
			if (same !== undefined) {
				return () => ({kind: 'duplicate', of: idOfNumber(same), byBody: true});
			}

			return group ? coalesce(event, group) : begin(event);
		},
		runs,
		/** Changed and opened groups, in the order in which they must be written: of one key, the group that is over before the new one. */
		groups,
		deliveries,
		fired,
	};
}
