import {editConfig} from '../config/edit-config.ts';
import {routeViews} from '../config/route-table.ts';
import type {Route} from '../config/route.ts';
import type {Broker} from '../core/broker.ts';
import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {routePath} from '../core/route-path.ts';
import {createApprovalCommands} from './approval-commands.ts';
import {gatewayStatus} from './gateway-status.ts';
import {importDeliveries} from './import-deliveries.ts';
import type {GatewayPort} from './port.ts';
import type {Rooms} from './rooms.ts';
import {curlLine, sampleRequest, sendRequest} from './sample-event.ts';
import {createServerCommands} from './server-commands.ts';

/** The port of a gateway in this process. Commands wait until the rooms are open, and reject as the start did when they never are. */
export function createLocalPort({
	clock,
	broker,
	rooms,
	stop,
}: {
	readonly clock: Clock;
	readonly broker: Broker;
	readonly rooms: () => Promise<Rooms>;
	readonly stop: () => void;
}): GatewayPort {
	const routeOf = async (name: string): Promise<Route> => {
		const {live} = await rooms();
		const route = live.routes().routes.get(name);
		if (!route) {
			throw new SvcError('route_not_found', `Cannot find route "${name}": see "svc webhook list"`);
		}

		return route;
	};

	const urlOf = ({name, profile}: Route): string => {
		const {webhook} = broker.getState();
		if (webhook.state !== 'listening') {
			throw new SvcError(
				'webhook_not_listening',
				`Cannot send to route "${name}": the webhook receiver does not listen`,
			);
		}

		return reachable(webhook.url) + routePath({name: encodeURIComponent(name), profile});
	};

	const sampleFor = (route: Route, options?: Parameters<GatewayPort['sendTestEvent']>[1]) => {
		const sample = sampleRequest(route, {...options, now: clock.now()});
		if (!sample.isSigned) {
			throw new SvcError(
				'route_not_testable',
				`Cannot sign a test event for route "${route.name}": only its sender has the private key`,
			);
		}

		return sample;
	};

	return {
		embedded: true,
		getState: () => broker.getState(),
		subscribe: listener => broker.subscribe(listener),
		getDelivery: async id => (await rooms()).store.journal.get(id),
		listDeliveries: async filter => (await rooms()).store.journal.list(filter),
		getRun: async id => (await rooms()).store.runs.get(id),
		listRuns: async filter => (await rooms()).store.runs.list(filter),

		getGroup: async id => (await rooms()).store.groups.get(id),
		listGroups: async filter => (await rooms()).store.groups.list(filter),
		dispatchGroup: async id => (await rooms()).groups.dispatch(id),
		listJobs: async () => (await rooms()).jobs.views(),
		runJob: async (job, options) => (await rooms()).jobs.runNow(job, options),
		setJobPaused: async (job, options) => (await rooms()).jobs.setPaused(job, options),
		async importDeliveries(deliveries) {
			const {store, ids, emit} = await rooms();
			return importDeliveries(deliveries, {clock, ids, intake: store.intake, emit});
		},
		recoverDelivery: async event => (await rooms()).replays.recover(event),
		planReplay: async (id, options) => (await rooms()).replays.plan(id, options),
		replay: async (id, options) => (await rooms()).replays.replay(id, options),
		async sendTestEvent(name, options) {
			const route = await routeOf(name);
			return sendRequest({clock, url: urlOf(route)}, sampleFor(route, options));
		},
		async curlLine(name) {
			const route = await routeOf(name);
			return curlLine(urlOf(route), sampleFor(route));
		},
		...createApprovalCommands(rooms),
		...createServerCommands({clock, rooms}),
		async cancelRun(id) {
			const {dispatcher, store, announce} = await rooms();
			const cancelled = dispatcher.abort(id) || (await store.runs.cancel(id));
			if (cancelled) {
				await announce.changed(id);
			}

			return cancelled;
		},
		async retryRun(id) {
			const {store, announce} = await rooms();
			const queued = await store.runs.retry(id);
			if (queued) {
				await announce.queued(id);
			}

			return queued;
		},
		async useModel(provider) {
			const {live} = await rooms();
			const offer = broker.getState().modelOffer;
			if (offer?.provider !== provider) {
				throw new SvcError(
					'model_not_offered',
					`Cannot use provider "${provider}": it was not offered`,
				);
			}

			await editConfig(
				live.current().paths,
				[
					{path: ['model', 'provider'], value: offer.provider},
					{path: ['model', 'name'], value: offer.name},
				],
				{clock},
			);
			await live.reload();
		},
		listRoutes: async () => routeViews((await rooms()).live.routes()),
		async reload() {
			const {live, jobs} = await rooms();
			await Promise.all([live.reload(), jobs.changed()]);
		},
		restartReceiver: async () => (await rooms()).receiver.restart(),
		status: async () => gatewayStatus(broker.getState(), await rooms()),
		async stopConsequences() {
			const {store} = await rooms();
			const {active, queued} = await store.runs.counts();
			return {
				activeRuns: active,
				queuedRuns: queued,
				pendingGroups: store.groups.pending(),
			};
		},
		async stop() {
			stop();
		},
		async [Symbol.asyncDispose]() {
			// The gateway is this process: whoever started it ends it.
		},
	};
}

/** The address under which this machine reaches a receiver that listens on every address. */
const reachable = (url: string): string =>
	url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
