import {routeViews} from '../../config/route-table.ts';
import {routePath} from '../../core/route-path.ts';
import {lastGoodGoesOn, problemWithJob} from '../../gateway/jobs/find-cron-job.ts';
import {lossText} from '../../nouns/route/route-facts.ts';
import {trafficKey, trafficOf, type RoutesTraffic} from '../../nouns/route/route-traffic.ts';
import {routeNoun, type ListedRoute} from '../../nouns/route/route.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {openHome} from '../home/open-home.ts';
import {readConfig, readRoutes, urlOf} from '../home/receiver-facts.ts';
import {servedByNobody, servingHome} from '../home/serving-home.ts';
import {printList} from '../nouns/noun-commands.ts';
import {readLostEvents} from './lost-events.ts';

/** Lists all routes of the home, including those that are not served. */
export async function listRoutes(
	context: Context,
	{json = false}: {readonly json?: boolean},
): Promise<void> {
	const config = readConfig(context);
	const routes = readRoutes(context, config);
	const serving = await servingHome(context);
	const views = routeViews(routes).map(view => {
		if (view.problem !== undefined) {
			return view;
		}

		if (serving) {
			return {...view, problem: servedByNobody(view.name, serving)};
		}

		const ofJob = problemWithJob(context, view, config);
		return ofJob === undefined ? view : {...view, troubles: [...(view.troubles ?? []), ofJob]};
	});
	const base = urlOf(config);
	if (routes.problem !== undefined) {
		tell(context, `${routes.problem}; its routes are not listed, ${lastGoodGoesOn}`);
		context.exit(1);
		if (views.length === 0 && !json) {
			return;
		}
	}

	const now = context.clock.now();
	const deliveries = await readLostEvents(context);
	const traffic = await readTraffic(context);
	const items = views.map((view): ListedRoute & {readonly loss?: string} => {
		const loss = lossText(view, {deliveries, now});
		const {taken = 0, ignored = 0, refused = 0} = traffic?.byRoute.get(trafficKey(view)) ?? {};
		return {
			...view,
			url: base + routePath(view),
			...(traffic && {day: {taken, ignored, refused}}),
			...(loss !== undefined && {loss}),
		};
	});
	await printList(context, routeNoun, {
		items,
		json,
		known: {deliveries, ...(traffic && {traffic})},
	});
}

/** The traffic of one day in the journal; `undefined` if unreadable: commands that show records report why. */
async function readTraffic(context: Context): Promise<RoutesTraffic | undefined> {
	try {
		await using home = await openHome(context, 'read');
		return trafficOf([], {now: context.clock.now(), counts: await home.countRoutes()});
	} catch {
		return undefined;
	}
}
