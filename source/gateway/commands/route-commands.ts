import type {Route} from '../../config/route.ts';
import {subscriptionsText} from '../../config/text-files.ts';
import {SvcError} from '../../core/errors.ts';
import {routePath} from '../../core/route-path.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {routes as table} from '../contract/routes.ts';
import type {Rooms} from '../rooms.ts';

type RouteCommands = CommandsOf<typeof table>;

/** How long a replaced secret stays valid by default, milliseconds. */
const dayMs = 24 * 60 * 60 * 1000;

/** The commands for routes. */
export function createRouteCommands(
	rooms: Pick<Rooms, 'clock' | 'broker' | 'live' | 'log' | 'receiver' | 'replays' | 'servers'>,
): RouteCommands {
	const routeOf = async (name: string): Promise<Route> => {
		const route = rooms.live.routes().routes.get(name);
		if (!route) {
			throw new SvcError('route_not_found', `Cannot find route "${name}": see "svc webhook list"`);
		}

		return route;
	};

	const urlOf = async ({name, profile}: Route): Promise<string> => {
		const {webhook} = rooms.broker.getState();
		if (webhook.state !== 'listening') {
			throw new SvcError(
				'webhook_not_listening',
				`Cannot send to route "${name}": the webhook receiver does not listen`,
			);
		}

		const {reachableUrl} = await import('../receiver/sample-event.ts');
		return reachableUrl(webhook.url) + routePath({name: encodeURIComponent(name), profile});
	};

	const sampleFor = async (
		route: Route,
		options?: Parameters<RouteCommands['sendTestEvent']>[1],
	) => {
		const {sampleRequest} = await import('../receiver/sample-event.ts');
		const sample = sampleRequest(route, {...options, now: rooms.clock.now()});
		if (!sample.isSigned) {
			throw new SvcError(
				'route_not_testable',
				`Cannot sign a test event for route "${route.name}": only its sender can make its signature`,
			);
		}

		return sample;
	};

	return {
		async listRoutes() {
			const {routeViews} = await import('../../config/route-table.ts');
			return routeViews(rooms.live.routes());
		},
		async describeRoute(name) {
			const {live, servers} = rooms;
			const route = live.routes().routes.get(name);
			if (!route) {
				return undefined;
			}

			const {readWrittenRoute} = await import('../../config/route-edit/written-route.ts');
			const {toolsetsOfRoute} = await import('../jobs/find-cron-job.ts');
			const {explainRoute: routeFacts} = await import('../receiver/route-facts.ts');
			const {settingsOfRuns} = await import('../runs/equip-run.ts');
			const config = live.current();
			const toolsets = toolsetsOfRoute(rooms, route, config);
			return routeFacts(route, {
				entry: readWrittenRoute(config.paths, name, route.source).entry,
				toolsets,
				servers: servers.views(),
				settings: await settingsOfRuns(route, toolsets, config),
				maxSchemaTokens: config.tools.maxSchemaTokens,
			});
		},
		async readRouteRate(name) {
			const route = rooms.live.routes().routes.get(name);
			const use = await rooms.receiver.current()?.rateOf(name);
			return route && use && {limit: route.rateLimit, ...use};
		},
		async sendTestEvent(name, options) {
			const route = await routeOf(name);
			const url = await urlOf(route);
			const sample = await sampleFor(route, options);
			const {sendRequest} = await import('../receiver/sample-event.ts');
			return sendRequest({clock: rooms.clock, url}, sample);
		},
		async curlLine(name) {
			const route = await routeOf(name);
			const url = await urlOf(route);
			const sample = await sampleFor(route);
			const {curlLine} = await import('../receiver/sample-event.ts');
			return curlLine(url, sample);
		},
		async setRoutePaused(name, {paused}) {
			const {live, log} = rooms;
			const act = paused ? 'pause' : 'resume';
			if (live.routes().invalid.get(name)?.source === 'dynamic') {
				throw new SvcError(
					'route_refused',
					`Cannot ${act} route "${name}": it cannot be used as it is written, so what is written does not count; mend it first`,
				);
			}

			const {setSubscriptionPaused} = await import('../../config/subscriptions.ts');
			await setSubscriptionPaused(live.current().paths, name, {paused, clock: rooms.clock});
			live.routes();
			log.note(`Route "${name}" was ${act}d`);
		},
		async removeRoute(name) {
			const {live, log} = rooms;
			const {removeSubscription} = await import('../../config/subscriptions.ts');
			await removeSubscription(live.current().paths, name, {clock: rooms.clock});
			live.routes();
			log.note(`Route "${name}" was removed`);
		},
		async rotateRoute(name, {overlap_ms: overlapMs = dayMs, secret: given} = {}) {
			const {live, log} = rooms;
			const {rotateRouteSecret} = await import('../../config/rotate-route.ts');
			const config = live.current();
			const {source, secret, kept, until} = await rotateRouteSecret(config, name, {
				...(given !== undefined && {secret: given}),
				overlapMs,
				clock: rooms.clock,
			});
			if (source === 'static') {
				await live.reload();
			}

			const {routeAddress} = await import('../receiver/open-receiver.ts');
			const address = routeAddress(rooms, name);
			log.note(`Route "${name}" has a new secret`, {source});
			const {warningOnSecrets} = await import('../../config/weak-secrets.ts');
			const weak = given === undefined ? undefined : warningOnSecrets([given]);
			return {
				file: source === 'static' ? config.paths.config : subscriptionsText(config.paths).name,
				secret,
				warnings: weak === undefined ? [] : [weak],
				...(kept > 0 && {until}),
				...address,
			};
		},
		recoverDelivery: async (route, {delivery_id: deliveryId, headers, body}) =>
			rooms.replays.recover({route, deliveryId, headers, body}),
	};
}
