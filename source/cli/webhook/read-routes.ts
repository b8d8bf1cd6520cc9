import type {Config, RouteTable} from '../../config/config.ts';
import {buildRouteTable} from '../../config/route-table.ts';
import {createSubscriptionsReader} from '../../config/subscriptions.ts';
import {silentLogger} from '../../core/log.ts';
import type {Context} from '../console/context.ts';

/** The routes of a home as its files say now. `problem`: why the subscriptions could not be used. Never throws. */
export function readRoutes(
	{clock}: Pick<Context, 'clock'>,
	config: Config,
): RouteTable & {readonly problem?: string} {
	const reader = createSubscriptionsReader({paths: config.paths, clock, log: silentLogger});
	const subscriptions = reader.current();
	const {problem} = subscriptions;
	return {...buildRouteTable(config, subscriptions), ...(problem !== undefined && {problem})};
}
