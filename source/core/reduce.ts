import type {GatewayEvent} from './events.ts';
import {deliveriesAfter, worksAfter} from './reduce-deliveries.ts';
import {
	approvalsAfter,
	groupsAfter,
	keysAfter,
	serversAfter,
	storeAfter,
	wholeAfter,
} from './reduce-lists.ts';
import {progressAfter, runsAfter, saidAfter} from './reduce-runs.ts';
import {type GatewayState, limits, type WebhookState} from './state.ts';
import {trafficAfter} from './traffic.ts';

type Slice<Key extends keyof GatewayState> = (
	current: GatewayState[Key],
	event: GatewayEvent,
) => GatewayState[Key];

/**
 * The state after `events`. Pure. A slice that no event touched stays the same object, so that a view which reads only that
 * slice does not draw again. Takes batches: the long lists are copied once a batch, not once an event.
 */
export function reduce(state: GatewayState, events: readonly GatewayEvent[]): GatewayState {
	const {
		alerts,
		model,
		modelOffer,
		modelProblem,
		modelSilence,
		health,
		installs,
		journal,
		queue,
		cluster,
		storeFailing,
		storeFailingSince,
		notesLagMs,
		traffic,
		api,
		said,
		keys,
		...rest
	} = state;
	const nextDeliveries = worksAfter(deliveriesAfter(state.deliveries, events), events);
	const nextRuns = runsAfter(state.runs, events);
	const nextJournal = events.reduce(journalAfter, journal);
	const nextQueue = events.reduce(queueAfter, queue);
	const nextWhole = wholeAfter({before: state, deliveries: nextDeliveries, runs: nextRuns}, events);
	const nextInstalls = events.reduce(installsAfter, installs);
	const nextAlerts = events.reduce(alertsAfter, alerts);
	const nextApi = events.reduce(apiAfter, api);
	const nextModel = events.reduce(modelAfter, model);
	const nextOffer = events.reduce(offerAfter, modelOffer);
	const nextProblem = events.reduce(modelProblemAfter, modelProblem);
	const nextSilence = events.reduce(modelSilenceAfter, modelSilence);
	const nextHealth = events.reduce(healthAfter, health);
	const nextTraffic = trafficAfter(traffic, events);
	const nextSaid = saidAfter(said, events);
	const nextKeys = events.reduce(keysAfter, keys);
	return {
		...rest,
		gateway: events.reduce(gatewayAfter, state.gateway),
		webhook: events.reduce(webhookAfter, state.webhook),
		routes: events.reduce(routesAfter, state.routes),
		deliveries: nextDeliveries,
		groups: groupsAfter(state.groups, events),
		jobs: events.reduce(jobsAfter, state.jobs),
		...approvalsAfter(state, events),
		servers: serversAfter(state.servers, events),
		runs: nextRuns,
		progress: progressAfter(state.progress, events),
		logs: logsAfter(state.logs, events),
		platforms: events.reduce(platformsAfter, state.platforms),
		problems: events.reduce(problemsAfter, state.problems),
		totals: events.reduce(totalsAfter, state.totals),
		...(nextJournal && {journal: nextJournal}),
		...storeAfter({cluster, notesLagMs, storeFailing, storeFailingSince}, events),
		...(nextQueue && {queue: nextQueue}),
		...(nextWhole && {wholeFrom: nextWhole}),
		...(nextAlerts && {alerts: nextAlerts}),
		...(nextApi && {api: nextApi}),
		...(nextInstalls && {installs: nextInstalls}),
		...(nextModel && {model: nextModel}),
		...(nextOffer && {modelOffer: nextOffer}),
		...(nextProblem !== undefined && {modelProblem: nextProblem}),
		...(nextSilence && {modelSilence: nextSilence}),
		...(nextHealth && {health: nextHealth}),
		...(nextTraffic && {traffic: nextTraffic}),
		...(nextSaid && {said: nextSaid}),
		...(nextKeys && {keys: nextKeys}),
	};
}

const gatewayAfter: Slice<'gateway'> = (gateway, event) => {
	if (event.type === 'gateway-started') {
		const {pid, version, home, profile, at} = event;
		return {pid, version, home, profile, startedAt: at, stopping: false, reachable: true};
	}

	if (event.type === 'gateway-lost') {
		return {...gateway, reachable: false};
	}

	if (event.type === 'message-skipped') {
		return {...gateway, skipped: event.reason};
	}

	return event.type === 'gateway-stopping' ? {...gateway, stopping: true} : gateway;
};

const webhookAfter = (webhook: WebhookState, event: GatewayEvent): WebhookState => {
	switch (event.type) {
		case 'webhook-listening': {
			return {state: 'listening', url: event.url};
		}

		case 'webhook-refused': {
			return {state: 'refused', code: event.code, reason: event.reason, since: event.at};
		}

		case 'webhook-disabled': {
			return {state: 'disabled'};
		}

		case 'webhook-closed': {
			return {state: 'closed'};
		}

		case 'gateway-started':
		case 'gateway-stopping':
		case 'gateway-lost':
		case 'message-skipped':
		case 'history-restored':
		case 'journal-counted':
		case 'queue-counted':
		case 'store-failing':
		case 'cluster-changed':
		case 'traffic-counted':
		case 'routes-changed':
		case 'delivery-received':
		case 'group-changed':
		case 'jobs-changed':
		case 'run-changed':
		case 'run-progressed':
		case 'run-said':
		case 'approval-requested':
		case 'approval-extended':
		case 'approval-settled':
		case 'approval-rules-changed':
		case 'server-changed':
		case 'server-removed':
		case 'model-selected':
		case 'installs-changed':
		case 'api-changed':
		case 'keys-changed':
		case 'model-refused':
		case 'model-silent':
		case 'model-answers':
		case 'alerts-changed':
		case 'platform-changed':
		case 'config-reloaded':
		case 'config-rejected':
		case 'health-sampled':
		case 'log-restored':
		case 'log-written': {
			return webhook;
		}
	}
};

const journalAfter: Slice<'journal'> = (journal, event) =>
	event.type === 'journal-counted' ? event.counts : journal;

const queueAfter: Slice<'queue'> = (queue, event) =>
	event.type === 'queue-counted' ? event.queue : queue;

const routesAfter: Slice<'routes'> = (routes, event) =>
	event.type === 'routes-changed' ? event.routes : routes;

const jobsAfter: Slice<'jobs'> = (jobs, event) =>
	event.type === 'jobs-changed' ? event.jobs : jobs;

const modelAfter: Slice<'model'> = (model, event) => {
	if (event.type === 'model-refused') {
		return undefined;
	}

	return event.type === 'model-selected' ? event.model : model;
};

const modelProblemAfter: Slice<'modelProblem'> = (problem, event) => {
	if (event.type === 'model-refused') {
		return event.reason;
	}

	return event.type === 'model-selected' ? undefined : problem;
};

const modelSilenceAfter: Slice<'modelSilence'> = (silence, event) => {
	if (event.type === 'model-silent') {
		return {since: silence?.since ?? event.at, reason: event.reason};
	}

	const isOver = ['model-answers', 'model-selected', 'model-refused'].includes(event.type);
	return isOver ? undefined : silence;
};

const apiAfter: Slice<'api'> = (api, event) => (event.type === 'api-changed' ? event.api : api);

const alertsAfter: Slice<'alerts'> = (alerts, event) =>
	event.type === 'alerts-changed' ? event.alerts : alerts;

const installsAfter: Slice<'installs'> = (installs, event) =>
	event.type === 'installs-changed' ? event.installs : installs;

const offerAfter: Slice<'modelOffer'> = (offer, event) =>
	event.type === 'model-selected' ? event.offer : offer;

const healthAfter: Slice<'health'> = (health, event) =>
	event.type === 'health-sampled' ? event.health : health;

const platformsAfter: Slice<'platforms'> = (platforms, event) =>
	event.type === 'platform-changed'
		? [...platforms.filter(({name}) => name !== event.platform.name), event.platform]
		: platforms;

const problemsAfter: Slice<'problems'> = (problems, event) => {
	return event.type === 'config-rejected' || event.type === 'config-reloaded'
		? event.problems
		: problems;
};

const totalsAfter: Slice<'totals'> = (totals, event) => {
	if (event.type === 'delivery-received') {
		if (event.delivery.idSource === 'import') {
			// Another gateway answered it.
			return totals;
		}

		const {status} = event.delivery;
		// Strangers know no route or not its secret: how they are answered says nothing about the senders.
		if (status === 401 || status === 404) {
			return totals;
		}

		return {...totals, received: totals.received + 1, ok: totals.ok + (status < 400 ? 1 : 0)};
	}

	if (event.type === 'group-changed' && event.group.state === 'dispatched') {
		return {...totals, groupsDispatched: totals.groupsDispatched + 1};
	}

	if (event.type !== 'run-changed') {
		return totals;
	}

	switch (event.run.state) {
		case 'done':
		case 'silent': {
			return {...totals, runsDone: totals.runsDone + 1};
		}

		case 'failed':
		case 'interrupted':
		case 'uncertain':
		case 'dead': {
			return {...totals, runsFailed: totals.runsFailed + 1};
		}

		case 'queued':
		case 'running':
		case 'delivering':
		case 'cancelled':
		case 'dropped': {
			return totals;
		}
	}
};

function logsAfter(logs: GatewayState['logs'], events: readonly GatewayEvent[]) {
	const written = events.flatMap(event => {
		if (event.type === 'log-restored') {
			return event.records;
		}

		return event.type === 'log-written' ? [event.record] : [];
	});
	return written.length === 0 ? logs : [...logs, ...written].slice(-limits.logs);
}
