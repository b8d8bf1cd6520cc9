import type {RouteTable} from '../config/config.ts';
import type {Runs} from '../store/port.ts';
import {routeIdOf} from './compiled-route.ts';
import type {Paces} from './paces.ts';

/**
 * Lets the starts count that were promised to events of `overflow: queue` routes before this process began: those that come now start behind them.
 *
 * @see manual/receiver.md#above-the-rate
 */
export async function resumePaces(
	paces: Paces,
	{
		routes,
		latestStarts,
	}: {readonly routes: () => RouteTable; readonly latestStarts: Runs['latestStarts']},
): Promise<void> {
	const starts = await latestStarts();
	const paced = new Set(
		[...routes().routes.values()].filter(({overflow}) => overflow === 'queue').map(routeIdOf),
	);
	for (const {profile, route: name, inMs} of starts) {
		const id = routeIdOf({profile, name});
		if (paced.has(id)) {
			paces.resume(id, inMs);
		}
	}
}
