import type {RouteTable} from '../config/config.ts';
import type {Route} from '../config/route.ts';
import type {StoredDelivery} from '../core/delivery.ts';
import {SvcError} from '../core/errors.ts';
import type {ReplayChanges} from '../core/replay.ts';
import type {RequestHeaders} from './headers.ts';

/** An event whose sender is known, and its route. */
export type KnownEvent = {
	readonly route: Route;
	readonly body: Buffer;
	readonly headers: RequestHeaders;
};

/** An event that its sender could not deliver. */
export type RecoveredEvent = {
	/** Name of a route. */
	readonly route: string;
	/** The sender's identifier. */
	readonly deliveryId: string;
	readonly headers: Readonly<Record<string, string>>;
	/** UTF-8. */
	readonly body: string;
};

/** The event that `stored` was, with `changes`. @throws SvcError `route_not_found`, `body_not_kept` */
export function replayedEvent(
	stored: StoredDelivery,
	{body, route: name = stored.route}: ReplayChanges,
	table: RouteTable,
): KnownEvent {
	const route = routeOf(name, table);
	const bytes = body === undefined ? stored.body : Buffer.from(body);
	if (!bytes) {
		throw new SvcError(
			'body_not_kept',
			`Cannot replay delivery "${stored.id}": its body was not kept`,
		);
	}

	return {
		route,
		body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
		headers: stored.headers,
	};
}

/** An event as its sender would have sent it. @throws SvcError `route_not_found` */
export const recoveredEvent = (
	{route, headers, body}: RecoveredEvent,
	table: RouteTable,
): KnownEvent => ({
	route: routeOf(route, table),
	body: Buffer.from(body),
	headers: Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
	),
});

function routeOf(name: string, {routes, invalid}: RouteTable): Route {
	const route = routes.get(name);
	if (!route) {
		const reason = invalid.get(name)?.view.problem ?? 'there is no such route';
		throw new SvcError('route_not_found', `Cannot send to "${name}": ${reason}`);
	}

	return route;
}
