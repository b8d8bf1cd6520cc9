import {buildRouteTable, routeViews} from '../../config/route-table.ts';
import {createSubscriptionsReader} from '../../config/subscriptions.ts';
import {silentLogger} from '../../core/log.ts';
import type {Context} from '../context.ts';
import {printTable} from '../print-table.ts';
import {printJson, tell} from '../print.ts';
import {readConfig, urlOf} from './receiver-facts.ts';

/** Lists every route of the home, also those that are not served. */
export async function listRoutes(
	context: Context,
	{json}: {readonly json: boolean},
): Promise<void> {
	const config = readConfig(context);
	const reader = createSubscriptionsReader({
		paths: config.paths,
		clock: context.clock,
		log: silentLogger,
	});
	const dynamic = reader.current();
	const views = routeViews(buildRouteTable(config, dynamic));
	const base = urlOf(config);
	if (dynamic.problem !== undefined) {
		tell(context, dynamic.problem);
		context.exit(1);
	}

	if (json) {
		printJson(
			context,
			views.map(view => ({...view, url: `${base}/webhooks/${view.name}`})),
		);
		return;
	}

	await printTable(context, {
		header: ['NAME', 'SOURCE', 'EVENTS', 'DELIVER', 'URL', 'PROBLEM'],
		rows: views.map(view => [
			view.name,
			view.source,
			view.events.join(',') || '*',
			view.mode === 'agent' ? view.deliver : `${view.deliver} (${view.mode})`,
			`${base}/webhooks/${view.name}`,
			view.problem ?? (view.insecure ? 'INSECURE_NO_AUTH' : ''),
		]),
		empty: 'No routes yet: create one with "svc webhook subscribe NAME"',
	});
}
