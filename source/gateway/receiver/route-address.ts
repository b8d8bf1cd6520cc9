import {routePath} from '../../core/route-path.ts';
import type {Rooms} from '../rooms.ts';
import {curlLine, reachableUrl, sampleRequest} from './sample-event.ts';

/** Where senders reach a route, and a `curl` line that sends it a signed event. Nothing while the receiver does not listen, or for a route that is not served. */
export function routeAddress(
	{broker, clock, live}: Pick<Rooms, 'broker' | 'clock' | 'live'>,
	name: string,
): {readonly url?: string; readonly curl?: string} {
	const route = live.routes().routes.get(name);
	const {webhook} = broker.getState();
	if (!route || webhook.state !== 'listening') {
		return {};
	}

	const url =
		reachableUrl(webhook.url) + routePath({name: encodeURIComponent(name), profile: route.profile});
	const sample = sampleRequest(route, {now: clock.now()});
	return {url, ...(sample.isSigned && {curl: curlLine(url, sample)})};
}
