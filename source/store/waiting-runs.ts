import type {Clock} from '../core/clock.ts';
import {dueOf} from '../core/group.ts';
import {createCountsByRoute} from './counters.ts';
import {createDueQueue} from './due-queue.ts';
import type {StoreParts} from './parts.ts';
import type {RouteKey, Accepted} from './port.ts';
import {maxQueuedOfRoute, maxWaitingOfRoute} from './rules.ts';
import {createUndo, type Memory} from './transaction.ts';

/** A waiting run whose time was in the future when its wait began. */
export type TimedRun = RouteKey & {
	readonly id: number;
	/** When it is due, on the monotonic clock. */
	readonly at: number;
	/** It was accepted for later, and has not been tried yet. */
	readonly isPromised: boolean;
	/** It waits for the agent's next attempt. */
	readonly isRetry?: boolean;
	/** Tool servers of its profile that it waits for a person to log in to. */
	readonly awaitsLogins?: readonly string[] | undefined;
};

/** Waiting runs with a due time, in memory: a waiting run that is not among them is due, whatever the wall clock and `run.due_at` say. Change it inside a transaction. */
export type TimedRuns = Memory & {
	/** How far the wall clock was ahead of the monotonic one when the times on disk were written. */
	offset: number;
	put(run: TimedRun): void;
	/** Removes a run that was leased or has ended. */
	remove(id: number): void;
	/** Milliseconds until the run is due, 0 when it is. */
	waitMs(id: number): number;
	all(): Iterable<TimedRun>;
	/** Number of promised runs that are not due yet. */
	promised(): number;
	promisedOf(route: RouteKey): number;
	/** Runs that await logins and are not due yet. */
	awaiting(): readonly TimedRun[];
	awaitingOf(route: RouteKey): number;
	/** Number of runs that wait for the agent's next attempt and are not due yet. */
	retried(): number;
	/** For each route, milliseconds until the last promised run is due. */
	latestStarts(): ReadonlyArray<RouteKey & {readonly inMs: number}>;
};

export function createTimedRuns(
	clock: Pick<Clock, 'monotonic'>,
	{runs: known, offset: firstOffset}: {readonly runs: readonly TimedRun[]; readonly offset: number},
): TimedRuns {
	const runs = new Map<number, TimedRun>();
	const promised = createRunsAhead(clock);
	const awaiting = createRunsAhead(clock);
	const retried = createRunsAhead(clock);
	const {undo, ...memory} = createUndo();

	const drop = (id: number) => {
		runs.delete(id);
		promised.delete(id);
		awaiting.delete(id);
		retried.delete(id);
	};

	const set = (run: TimedRun) => {
		drop(run.id);
		runs.set(run.id, run);
		if (run.isPromised) {
			promised.set(run);
		} else if (run.awaitsLogins) {
			awaiting.set(run);
		} else if (run.isRetry) {
			retried.set(run);
		}
	};

	for (const run of known) {
		set(run);
	}

	const timed: TimedRuns = {
		offset: firstOffset,
		put(run) {
			set(run);
			undo(() => drop(run.id));
		},
		remove(id) {
			const run = runs.get(id);
			if (run) {
				drop(id);
				undo(() => set(run));
			}
		},
		waitMs: id => Math.max(0, (runs.get(id)?.at ?? 0) - clock.monotonic()),
		all: () => runs.values(),
		promised: () => promised.count(),
		promisedOf: route => promised.of(route),
		awaiting: () => [...awaiting.all()],
		awaitingOf: route => awaiting.of(route),
		retried: () => retried.count(),
		latestStarts() {
			const latest = new Map<string, TimedRun>();
			for (const run of promised.all()) {
				const key = JSON.stringify([run.profile, run.route]);
				const before = latest.get(key);
				if (!before || run.at > before.at) {
					latest.set(key, run);
				}
			}

			const now = clock.monotonic();
			return [...latest.values()].map(({profile, route, at}) => ({profile, route, inMs: at - now}));
		},
		...memory,
		save() {
			const restore = memory.save();
			const {offset} = timed;
			return () => {
				timed.offset = offset;
				restore();
			};
		},
	};

	return timed;
}

/** Waiting runs of one kind that are not due yet. A change takes logarithmic time. */
function createRunsAhead(clock: Pick<Clock, 'monotonic'>) {
	/** Also includes runs that have become due since the last query. */
	const runs = new Map<number, TimedRun>();
	const due = createDueQueue();
	const tally = createCountsByRoute();

	const remove = (id: number) => {
		const run = runs.get(id);
		if (run) {
			runs.delete(id);
			due.delete(id);
			tally.add(run, -1);
		}
	};

	const removeDue = () => {
		const now = clock.monotonic();
		for (let first = due.first(); first && first.at <= now; first = due.first()) {
			remove(first.id);
		}
	};

	return {
		/** Adds a run, replacing an earlier entry with its number. */
		set(run: TimedRun) {
			remove(run.id);
			runs.set(run.id, run);
			due.set(run.id, run.at);
			tally.add(run, 1);
		},
		delete: remove,
		count() {
			removeDue();
			return runs.size;
		},
		of(route: RouteKey): number {
			removeDue();
			return tally.of(route);
		},
		all() {
			removeDue();
			return runs.values();
		},
	};
}

type Full = Extract<Accepted, {readonly kind: 'full'}>;

/** Numbers of waiting things: of one route, or of all. */
export type WaitingFigures = {
	/** Queued runs that wait for a worker, without those promised a later start or awaiting logins. */
	queued(route?: RouteKey): number;
	/** What waits for a time: pending groups, and runs promised a start in the future. */
	timed(route?: RouteKey): number;
	/** Runs that await logins. */
	awaiting(route?: RouteKey): number;
	/** Milliseconds until the first place of `timed` becomes free, if nothing else happens. */
	timedFreeInMs(route?: RouteKey): number;
	/** Like `timedFreeInMs`, for `awaiting` of all routes. */
	awaitingFreeInMs(): number;
};

export type WaitingPool = ReturnType<typeof createWaitingPool>;

/**
 * The limits of what waits. What waits for a time (pending groups, and runs promised a start in the future) is counted separately from what waits for a worker. There may
 * be `maxQueued` of them, and `maxWaitingOfRoute` for one route; of those that wait for a worker, `maxQueuedOfRoute`. Runs that await logins are counted separately from
 * both; too many of them only block their own routes.
 */
export const createWaitingPool = (figures: WaitingFigures) => ({
	/** Queued runs that wait for a worker, without those promised a later start or awaiting logins. */
	queued: () => figures.queued(),
	/** Why the queue cannot take another run of `route`; `undefined` when it can. */
	queueRefusal(route: RouteKey, maxQueued: number): Full | undefined {
		const queued = figures.queued();
		if (queued >= maxQueued) {
			return {kind: 'full', queued, most: maxQueued};
		}

		// As long as more than a tenth of all places is free, no route is limited to a share.
		if ((maxQueued - queued) * 10 > maxQueued) {
			return undefined;
		}

		const own = figures.queued(route);
		const most = maxQueuedOfRoute(maxQueued, queued - own);
		return own < most ? undefined : {kind: 'full', queued: own, most, ofRoute: true};
	},
	/** Why `route` cannot have another thing that waits for a time; `undefined` when it can. */
	refusal(route: RouteKey, maxQueued: number): Full | undefined {
		const ofRoute = figures.timed(route);
		const maxOfRoute = maxWaitingOfRoute(maxQueued);
		if (ofRoute >= maxOfRoute) {
			const freeInMs = figures.timedFreeInMs(route);
			return {kind: 'full', queued: ofRoute, most: maxOfRoute, freeInMs};
		}

		const all = figures.timed();
		return all < maxQueued
			? undefined
			: {kind: 'full', queued: all, most: maxQueued, freeInMs: figures.timedFreeInMs()};
	},
	/** Why `route` cannot have more runs: too many await logins; `undefined` when it can. */
	loginRefusal(route: RouteKey, maxQueued: number): Full | undefined {
		const ofRoute = figures.awaiting(route);
		if (ofRoute === 0) {
			return undefined;
		}

		const maxOfRoute = maxWaitingOfRoute(maxQueued);
		const [queued, most] =
			ofRoute >= maxOfRoute ? [ofRoute, maxOfRoute] : [figures.awaiting(), maxQueued];
		return queued < most
			? undefined
			: {kind: 'full', queued, most, freeInMs: figures.awaitingFreeInMs(), awaitLogins: true};
	},
});

/** The numbers from the memory of a sole process, without reading the disk. */
export function figuresInMemory({
	counters,
	pending,
	timed,
	clock,
}: Pick<StoreParts, 'clock' | 'counters' | 'pending' | 'timed'>): WaitingFigures {
	return {
		queued: route =>
			route
				? counters.queuedOf(route) - timed.promisedOf(route) - timed.awaitingOf(route)
				: counters.queued - timed.promised() - timed.awaiting().length,
		timed: route =>
			route ? pending.countOf(route) + timed.promisedOf(route) : pending.count() + timed.promised(),
		awaiting: route => (route ? timed.awaitingOf(route) : timed.awaiting().length),
		timedFreeInMs(key) {
			const isOf = ({profile, route}: RouteKey) =>
				key === undefined || (profile === key.profile && route === key.route);
			const now = clock.monotonic();
			let firstMs = Infinity;
			for (const group of pending.all()) {
				if (isOf(group)) {
					firstMs = Math.min(firstMs, Math.max(0, dueOf(group).at - group.offset - now));
				}
			}

			for (const run of timed.all()) {
				if (run.isPromised && run.at > now && isOf(run)) {
					firstMs = Math.min(firstMs, run.at - now);
				}
			}

			return firstMs;
		},
		awaitingFreeInMs: () => {
			const now = clock.monotonic();
			return Math.min(...timed.awaiting().map(({at}) => at - now));
		},
	};
}
