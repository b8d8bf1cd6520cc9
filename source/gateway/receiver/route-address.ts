import {routePath} from '../../core/route-path.ts';
import type {GatewayState} from '../../core/state.ts';
import type {LiveConfig} from '../live-config.ts';
import {curlLine, reachableUrl, sampleRequest} from './sample-event.ts';

/** Where senders reach a route, and a `curl` line that sends it a signed event. Nothing while the receiver does not listen, or for a route that is not served. */
export function routeAddress(
	name: string,
	options: {
		readonly live: Pick<LiveConfig, 'routes'>;
		readonly webhook: GatewayState['webhook'];
		readonly now: number;
	},
): {readonly url?: string; readonly curl?: string} {
	const {live, webhook, now} = options;
	const route = live.routes().routes.get(name);
	if (!route || webhook.state !== 'listening') {
		return {};
	}

	const url =
		reachableUrl(webhook.url) + routePath({name: encodeURIComponent(name), profile: route.profile});
	const sample = sampleRequest(route, {now});
	return {url, ...(sample.isSigned && {curl: curlLine(url, sample)})};
}
