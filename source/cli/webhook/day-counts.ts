import type {RouteView} from '../../core/config-view.ts';
import type {RouteCounts} from '../../core/route-counts.ts';
import type {Context} from '../console/context.ts';
import {openHome} from '../home/open-home.ts';

/** How many requests a route took in, ignored and refused within a day. */
export type DayCounts = Pick<RouteCounts['routes'][number], 'taken' | 'ignored' | 'refused'>;

/**
 * What the journal holds of a day, for each route; `undefined` where it cannot be read: whoever asks for the records themselves is told why.
 */
export async function readDay(
	context: Context,
): Promise<(route: Pick<RouteView, 'name' | 'profile'>) => DayCounts | undefined> {
	try {
		await using home = await openHome(context, 'read');
		const {routes} = await home.countRoutes();
		const byRoute = new Map(
			routes.map(({profile, route, taken, ignored, refused}) => [
				`${profile}/${route}`,
				{taken, ignored, refused},
			]),
		);
		return ({profile, name}) =>
			byRoute.get(`${profile}/${name}`) ?? {taken: 0, ignored: 0, refused: 0};
	} catch {
		return () => undefined;
	}
}
