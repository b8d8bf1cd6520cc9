import type {Clock} from '../core/clock.ts';
import {dueOf} from '../core/group.ts';
import type {StoreParts} from './parts.ts';
import type {PendingGroups} from './pending-groups.ts';
import type {Accepted, RouteKey} from './port.ts';
import {maxQueuedOfRoute, maxWaitingOfRoute} from './rules.ts';

type Full = Extract<Accepted, {readonly kind: 'full'}>;

/** The bounds of what waits. Asks no disk. */
export type WaitingPool = {
	/** Queued runs that wait for a worker: those that were promised a later start, or await logins, are not among them. */
	queued(): number;
	/** Why one more run of `route` may not wait for a worker; `undefined` when it may. */
	queueRefusal(route: RouteKey, maxQueued: number): Full | undefined;
	/** Why one more of `route` may not wait for its time; `undefined` when it may. */
	refusal(route: RouteKey, maxQueued: number): Full | undefined;
	/** Why `route` may have no more runs: too many of them await logins. */
	loginRefusal(route: RouteKey, maxQueued: number): Full | undefined;
};

/**
 * What waits for its time is counted apart from what waits for a worker: pending groups, and runs that were promised a later start until that comes. There are at most `maxQueued`
 * of them, and at most `maxWaitingOfRoute` of one route; of those that wait for a worker, `maxQueuedOfRoute`. Runs that await logins are counted apart from both, and what is full of them is full for their routes alone.
 */
export function createWaitingPool({
	counters,
	pending,
	timed,
	clock,
}: Pick<StoreParts, 'counters' | 'timed'> & {
	readonly pending: PendingGroups;
	readonly clock: Pick<Clock, 'monotonic'>;
}): WaitingPool {
	/** Until a place becomes free, if nothing else happens: 0 to whatever was promised. */
	const freeInMs = (isOf: (route: RouteKey) => boolean): number => {
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
	};

	const queuedNow = () => counters.queued - timed.promised() - timed.awaiting().length;

	return {
		queued: queuedNow,
		queueRefusal(route, maxQueued) {
			const queued = queuedNow();
			if (queued >= maxQueued) {
				return {kind: 'full', queued, most: maxQueued};
			}

			// No route has its share as long as more than a tenth is free.
			if ((maxQueued - queued) * 10 > maxQueued) {
				return undefined;
			}

			const own = counters.queuedOf(route) - timed.promisedOf(route) - timed.awaitingOf(route);
			const most = maxQueuedOfRoute(maxQueued, queued - own);
			return own < most ? undefined : {kind: 'full', queued: own, most, ofRoute: true};
		},
		refusal(key, maxQueued) {
			const ofRoute = pending.countOf(key) + timed.promisedOf(key);
			const maxOfRoute = maxWaitingOfRoute(maxQueued);
			if (ofRoute >= maxOfRoute) {
				const isOf = ({profile, route}: RouteKey) => profile === key.profile && route === key.route;
				return {kind: 'full', queued: ofRoute, most: maxOfRoute, freeInMs: freeInMs(isOf)};
			}

			const all = pending.count() + timed.promised();
			return all < maxQueued
				? undefined
				: {kind: 'full', queued: all, most: maxQueued, freeInMs: freeInMs(() => true)};
		},
		loginRefusal(key, maxQueued) {
			const ofRoute = timed.awaitingOf(key);
			if (ofRoute === 0) {
				return undefined;
			}

			const awaiting = timed.awaiting();
			const maxOfRoute = maxWaitingOfRoute(maxQueued);
			const [queued, most] =
				ofRoute >= maxOfRoute ? [ofRoute, maxOfRoute] : [awaiting.length, maxQueued];
			if (queued < most) {
				return undefined;
			}

			const now = clock.monotonic();
			return {
				kind: 'full',
				queued,
				most,
				freeInMs: Math.min(...awaiting.map(({at}) => at - now)),
				awaitLogins: true,
			};
		},
	};
}
