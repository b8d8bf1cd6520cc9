import type {RouteTable} from '../config/config.ts';
import type {Clock} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';
import type {Run} from '../core/run.ts';
import {routeIdOf} from './compiled-route.ts';
import type {Paces} from './paces.ts';

/**
 * Lets the starts count that were promised to events of `overflow: queue` routes before this process began: those that come now start behind them. Asks the journal only when
 * there is such a route. Never rejects: without an answer the routes begin anew.
 *
 * @see Decisions 3
 */
export async function resumePaces(
	paces: Paces,
	{
		clock,
		log,
		routes,
		queuedRuns,
	}: {
		readonly clock: Clock;
		readonly log: Logger;
		readonly routes: () => RouteTable;
		readonly queuedRuns: () => Promise<readonly Run[]>;
	},
): Promise<void> {
	const paced = [...routes().routes.values()].filter(({overflow}) => overflow === 'queue');
	if (paced.length === 0) {
		return;
	}

	try {
		const newest = newestStarts(await queuedRuns());
		for (const route of paced) {
			const id = routeIdOf(route);
			const inMs = (newest.get(id) ?? 0) - clock.now();
			if (inMs > 0) {
				paces.resume(id, inMs);
			}
		}
	} catch (error) {
		log.warn(`Cannot ask which starts were promised before: ${messageOf(error)}`);
	}
}

/** A run that was tried before waits for its next try, not for its turn. */
function newestStarts(runs: readonly Run[]): ReadonlyMap<string, number> {
	const newest = new Map<string, number>();
	for (const {profile, route: name, attempt, nextAttemptAt = 0} of runs) {
		const key = routeIdOf({profile, name});
		if (attempt === 0 && nextAttemptAt > (newest.get(key) ?? 0)) {
			newest.set(key, nextAttemptAt);
		}
	}

	return newest;
}
