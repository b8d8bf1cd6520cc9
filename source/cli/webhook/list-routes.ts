import {routeViews} from '../../config/route-table.ts';
import type {RouteView} from '../../core/config-view.ts';
import {routePath} from '../../core/route-path.ts';
import type {Context} from '../context.ts';
import {printTable} from '../print-table.ts';
import {printJson, tell} from '../print.ts';
import {servedByNobody, servingHome} from '../serving-home.ts';
import {readLosses} from './lost-events.ts';
import {readRoutes} from './read-routes.ts';
import {readConfig, urlOf} from './receiver-facts.ts';

/** Lists every route of the home, also those that are not served. */
export async function listRoutes(
	context: Context,
	{json}: {readonly json: boolean},
): Promise<void> {
	const config = readConfig(context);
	const routes = readRoutes(context, config);
	const serving = await servingHome(context);
	const views = routeViews(routes).map(view =>
		serving && view.problem === undefined
			? {...view, problem: servedByNobody(view.name, serving)}
			: view,
	);
	const base = urlOf(config);
	if (routes.problem !== undefined) {
		tell(context, routes.problem);
		context.exit(1);
	}

	const lossOf = await readLosses(context);
	const lossAt = (name: string) => {
		const route = routes.routes.get(name);
		return route && lossOf(route);
	};

	if (json) {
		printJson(
			context,
			views.map(view => {
				const loss = lossAt(view.name);
				return {...view, url: base + routePath(view), ...(loss !== undefined && {loss})};
			}),
		);
		return;
	}

	await printTable(context, {
		header: ['NAME', 'SOURCE', 'EVENTS', 'DELIVER', 'URL', 'PROBLEM'],
		rows: views.map(view => [
			view.name,
			view.source,
			view.events.join(',') || '*',
			deliverText(view),
			base + routePath(view),
			view.problem ?? view.stale ?? troubleOf(view, lossAt(view.name)),
		]),
		empty: 'No routes yet: create one with "svc webhook subscribe NAME"',
		whole: ['NAME', 'SOURCE', 'URL'],
		optional: ['URL', 'EVENTS'],
	});
}

/** What does not keep a route from being served. */
const troubleOf = (
	{insecure, paused = false, troubles = []}: RouteView,
	loss: string | undefined,
): string =>
	[
		...(paused ? ['paused'] : []),
		...(loss === undefined ? [] : [loss]),
		...(insecure ? ['INSECURE_NO_AUTH'] : []),
		...troubles,
	].join('; ');

function deliverText({mode, deliver, coalesceKey, cronJob}: RouteView): string {
	switch (mode) {
		case 'agent':
			return deliver;
		case 'deliver_only':
			return `${deliver} (deliver_only)`;
		case 'coalesce':
			return `${deliver} (by ${coalesceKey ?? 'key'})`;
		case 'cron_job':
			return `job ${cronJob ?? ''}`;
	}
}
