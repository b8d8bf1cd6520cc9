import {existsSync} from 'node:fs';
import type {RouteTable} from '../../config/config.ts';
import {viewOfRoute} from '../../config/route-view.ts';
import type {RouteView} from '../../core/config-view.ts';
import {countOf} from '../../core/counted.ts';
import {lossMemoryMs, lossyRoutes} from '../../core/lost-events.ts';
import type {Context} from '../console/context.ts';
import {openHome} from '../home/open-home.ts';

const maxCounted = 1000;

/**
 * Says of a served route that it turned events away because of their rate within the last hour, and still would; `undefined`: it did not. At most 1,000 events of all together are counted.
 * Of records that cannot be read nothing is known: that is no reason to say nothing else.
 */
export async function readLosses(
	context: Context,
	{routes}: Pick<RouteTable, 'routes'>,
): Promise<(route: Pick<RouteView, 'name' | 'profile'>) => string | undefined> {
	const {clock} = context;
	if (!existsSync(context.paths().stateDb)) {
		return () => undefined;
	}

	try {
		await using home = await openHome(context, 'read');
		const now = clock.now();
		const since = now - lossMemoryMs;
		const lost = await home.listDeliveries({outcomes: ['rate'], since, limit: maxCounted});
		const deliveries = lost.map(delivery => ({key: delivery.id, delivery, count: 1}));
		const views = [...routes.values()].map(viewOfRoute);
		const found = lossyRoutes({deliveries, routes: views}, now);
		return ({name, profile}) => {
			const loss = found.find(one => one.route === name && one.profile === profile);
			return (
				loss &&
				`loses events: ${countOf(loss.count, 'event')} answered 429 within the hour, ${loss.remedy}`
			);
		};
	} catch {
		// Whoever asks for the records themselves is told what is wrong with them.
		return () => undefined;
	}
}
