import {dueOf} from '../core/group.ts';
import type {StoreParts} from './parts.ts';
import type {Accepted, RouteKey} from './port.ts';
import {maxQueuedOfRoute, maxWaitingOfRoute} from './rules.ts';

type Full = Extract<Accepted, {readonly kind: 'full'}>;

/** What waits now, in figures: of one route, or of all. */
export type WaitingFigures = {
	/** Queued runs that wait for a worker: not those that were promised a later start, or await logins. */
	queued(route?: RouteKey): number;
	/** What waits for its time: pending groups, and runs that were promised a later start until that comes. */
	timed(route?: RouteKey): number;
	/** Runs that await logins. */
	awaiting(route?: RouteKey): number;
	/** Milliseconds until the first place of `timed` becomes free, if nothing else happens: 0 to whatever was promised. */
	timedFreeInMs(route?: RouteKey): number;
	/** The same of `awaiting`, of all routes. */
	awaitingFreeInMs(): number;
};

export type WaitingPool = ReturnType<typeof createWaitingPool>;

/**
 * The bounds of what waits. What waits for its time is counted apart from what waits for a worker: pending groups, and runs that were promised a later start until that comes. There are at most `maxQueued`
 * of them, and at most `maxWaitingOfRoute` of one route; of those that wait for a worker, `maxQueuedOfRoute`. Runs that await logins are counted apart from both; too many of them stop their own routes only.
 */
export const createWaitingPool = (figures: WaitingFigures) => ({
	/** Queued runs that wait for a worker: those that were promised a later start, or await logins, are not among them. */
	queued: () => figures.queued(),
	/** Why one more run of `route` may not wait for a worker; `undefined` when it may. */
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
	/** Why one more of `route` may not wait for its time; `undefined` when it may. */
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
	/** Why `route` may have no more runs: too many of them await logins. */
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

/** What waits by the memory of the only process. Asks no disk. */
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
