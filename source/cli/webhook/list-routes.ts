import {routeViews} from '../../config/route-table.ts';
import type {RouteView} from '../../core/config-view.ts';
import {routePath} from '../../core/route-path.ts';
import {lastGoodGoesOn, problemWithJob} from '../../gateway/jobs/find-cron-job.ts';
import type {Context} from '../console/context.ts';
import {printTable} from '../console/print-table.ts';
import {printJson, tell} from '../console/print.ts';
import {readConfig, urlOf} from '../home/receiver-facts.ts';
import {servedByNobody, servingHome} from '../home/serving-home.ts';
import {readDay, type DayCounts} from './day-counts.ts';
import {readLosses} from './lost-events.ts';
import {readRoutes} from './read-routes.ts';

/** Lists every route of the home, also those that are not served. */
export async function listRoutes(
	context: Context,
	{json}: {readonly json: boolean},
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
	}

	const lossOf = await readLosses(context);
	const dayOf = await readDay(context);
	const lossAt = (name: string) => {
		const route = routes.routes.get(name);
		return route && lossOf(route);
	};

	if (json) {
		printJson(
			context,
			views.map(view => {
				const loss = lossAt(view.name);
				const day = dayOf(view);
				return {
					...view,
					url: base + routePath(view),
					...(day && {day}),
					...(loss !== undefined && {loss}),
				};
			}),
		);
		return;
	}

	if (views.length === 0 && routes.problem !== undefined) {
		return;
	}

	await printTable(context, {
		header: ['NAME', 'SOURCE', 'EVENTS', 'DELIVER', 'TAKEN', 'IGN.', 'REF.', 'URL', 'PROBLEM'],
		rows: views.map(view => [
			view.name,
			view.source,
			view.events.join(',') || '*',
			deliverText(view),
			...countsText(dayOf(view)),
			base + routePath(view),
			view.problem ?? view.stale ?? troubleOf(view, lossAt(view.name)),
		]),
		empty: 'No routes yet: create one with "svc webhook subscribe NAME"',
		whole: ['NAME', 'SOURCE', 'URL'],
		optional: ['URL', 'EVENTS', 'IGN.', 'REF.', 'TAKEN'],
	});
}

/** As pane 5 shows them: `-` for none. Nothing where they cannot be read. */
const countsText = (day: DayCounts | undefined): readonly string[] =>
	day
		? [day.taken, day.ignored, day.refused].map(count => (count === 0 ? '-' : String(count)))
		: ['', '', ''];

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
