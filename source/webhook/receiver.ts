import {createBusy} from '../core/clock.ts';
import type {StoredDelivery, ReceiverAnswer, ReplayChanges} from '../core/delivery.ts';
import {mayServeInsecure} from '../core/hosts.ts';
import type {Logger} from '../core/log.ts';
import {createKeyedMutex} from '../core/mutex.ts';
import {drain} from '../http/drain.ts';
import {createHttpServer} from '../http/http-server.ts';
import {listen} from '../http/listen.ts';
import type {RateUse} from '../store/limits/port.ts';
import {createRouteCompiler, routeKeyOf} from './admission.ts';
import {createExchange} from './exchange.ts';
import {createFilterFiles} from './filter-files.ts';
import {createLateRecords} from './journal-event.ts';
import {type Interval, createMetrics} from './metrics.ts';
import {
	type PipelineDependencies,
	type RecoveredEvent,
	createPipeline,
	recoveredEvent,
	replayedEvent,
} from './pipeline.ts';
import type {ReceiverServices} from './receive-context.ts';
import {type ReplayEffects, effectsOf} from './replay-plan.ts';
import {type Reply, refusals} from './replies.ts';
import {createScripts} from './script.ts';
import {createSignatureDoctor} from './signature-doctor.ts';

export type ReceiverDependencies = Pick<
	PipelineDependencies,
	'emit' | 'ids' | 'onAccepted' | 'onGroupChanged' | 'redact'
> &
	Pick<
		ReceiverServices,
		| 'clock'
		| 'deliver'
		| 'homeOf'
		| 'intake'
		| 'jobOf'
		| 'journalFailing'
		| 'limits'
		| 'log'
		| 'multiplexing'
		| 'ownMark'
		| 'routes'
	> & {
		/** Metrics of other parts of the gateway, as Prometheus text to append to `/metrics`. */
		readonly metrics: () => Promise<string>;
		/** Whether other gateways use the same journal: then `/health` reports when this gateway cannot reach it. */
		readonly sharesStore?: boolean;
		/** Address at which `/metrics` may be read; a loopback address allows only this machine, `undefined` nobody. */
		readonly metricsHost: () => string | undefined;
		/** The environment from which scripts inherit a few variables (`PATH`, `HOME`, `LANG`…). */
		readonly environment: () => Readonly<Record<string, string>>;
	};

type ReceiverOptions = {
	readonly host: string;
	/** 0: any free port. */
	readonly port: number;
	/** Most runs that may be queued; called per event, so that a reload takes effect. */
	readonly maxQueued: () => number;
};

type ReceiverStats = Interval & {readonly inFlight: number; readonly connections: number};

export type Receiver = {
	/** @throws SvcError `port_in_use`, `port_forbidden`, `host_unavailable`, `listen_failed` */
	listen(): Promise<{readonly url: string}>;
	/** Drains: for 1 s answers carry `Connection: close`, after 5 s running work is aborted and scripts are killed. New requests get a 503. */
	close(): Promise<void>;
	/**
	 * Processes a stored delivery from the first step after authentication. It does not count towards the rate limit, and is never a duplicate. @throws SvcError
	 * `route_not_found`, `body_not_kept`
	 */
	replay(stored: StoredDelivery, changes?: ReplayChanges): Promise<ReceiverAnswer>;
	/** What `replay` would do if filters and script pass the event. Changes nothing. Throws as `replay` does. */
	planReplay(stored: StoredDelivery, changes?: ReplayChanges): ReplayEffects;
	/**
	 * Processes an event that its sender could not deliver, and that was fetched from that sender, from the first step after authentication. It does not count towards the rate
	 * limit. It keeps the sender's identifier, so that an event which was accepted before is a duplicate. @throws SvcError `route_not_found`
	 */
	recover(event: RecoveredEvent): Promise<ReceiverAnswer>;
	/** How much of the rate limit of a served route is used; `undefined` for any other name. */
	rateOf(name: string): Promise<RateUse | undefined>;
	/** The present load, and the requests answered since the last call. */
	stats(): ReceiverStats;
};

/** Most requests that wait for one identifier or one body. */
const maxInLine = 16;

/**
 * The webhook receiver: HTTP in, journaled runs and direct deliveries out. It can listen only once; after a failed `listen`, or after `close`, create another one.
 *
 * @see manual/receiver.md#settings, manual/filters-and-templates.md#scripts, manual/receiver.md#answers, manual/signatures.md#schemes, manual/receiver.md#order-of-decisions
 */
export function createReceiver(
	dependencies: ReceiverDependencies,
	options: ReceiverOptions,
): Receiver {
	const {clock, log} = dependencies;
	const stopping = new AbortController();
	const metrics = createMetrics();
	const busy = createBusy();
	const late = createLateRecords(dependencies);
	const filterFiles = createFilterFiles(dependencies);
	const compile = createRouteCompiler(profile => filterFiles(dependencies.homeOf(profile).home));
	let draining = false;

	const pipeline = createPipeline({
		...dependencies,
		metrics,
		busy,
		services: {
			...dependencies,
			intake: late.intake,
			routes: oncePerTurn(dependencies.routes),
			compile,
			doctor: createSignatureDoctor(dependencies),
			scripts: createScripts(dependencies),
			mutex: createKeyedMutex(maxInLine),
			maxQueued: options.maxQueued,
			isLoopback: mayServeInsecure(options.host),
			isDraining: () => draining,
			stopping: stopping.signal,
			warnOnce: createWarnOnce(log),
		},
	});
	const exchange = createExchange({
		...dependencies,
		pipeline,
		isDraining: () => draining,
		isUnavailable: () =>
			dependencies.sharesStore === true && dependencies.journalFailing() !== undefined,
		async renderMetrics() {
			const others = await dependencies.metrics();
			return metrics.render({inFlight: busy.count, connections: http.connections()}) + others;
		},
	});
	const http = createHttpServer({
		handle: async pair => exchange.handle(pair),
		clock,
		log,
		onRefused: status => metrics.refuseRequest(status),
		onEvicted: () => metrics.evictConnection(),
		onDropped: () => metrics.dropConnection(),
	});

	return {
		async listen() {
			return {url: await listen(http.server, options, 'platforms.webhook')};
		},
		async close() {
			draining = true;
			await drain(http, {clock, busy, onHardStop: () => stopping.abort()});
			stopping.abort();
			late.close();
		},
		async replay(stored, changes = {}) {
			const event = replayedEvent(stored, changes, dependencies.routes());
			return answerOf(draining ? refusals.stopping : await pipeline.replay(event, stored.id));
		},
		planReplay: (stored, changes = {}) =>
			effectsOf(replayedEvent(stored, changes, dependencies.routes()), {...dependencies, compile}),
		async recover(recovered) {
			const event = recoveredEvent(recovered, dependencies.routes());
			const {deliveryId} = recovered;
			return answerOf(draining ? refusals.stopping : await pipeline.recover(event, deliveryId));
		},
		async rateOf(name) {
			const route = dependencies.routes().routes.get(name);
			if (!route) {
				return undefined;
			}

			const {windows, paces} = dependencies.limits;
			const key = routeKeyOf(route);
			return route.overflow === 'queue' ? paces.used(key, route.rateLimit) : windows.used(key);
		},
		stats: () => ({...metrics.interval(), inFlight: busy.count, connections: http.connections()}),
	};
}

const answerOf = ({status, body}: Reply): ReceiverAnswer => ({status, body});

/**
 * Calls `ask` at most once per turn of the event loop; further calls in the turn return the same answer. All requests that are read in one turn arrived before the first call,
 * so each sees every change that was made before it was sent.
 */
export function oncePerTurn<Answer>(ask: () => Answer): () => Answer {
	let known: {readonly answer: Answer} | undefined;
	return () => {
		if (!known) {
			known = {answer: ask()};
			setImmediate(() => {
				known = undefined;
			});
		}

		return known.answer;
	};
}

/** Most remembered keys. Above that all are forgotten, and warnings are repeated. */
const maxKeys = 1000;

/** Logs a warning once per key. */
function createWarnOnce(log: Logger): (key: string, message: string) => void {
	const warned = new Set<string>();
	return (key, message) => {
		if (warned.has(key)) {
			return;
		}

		if (warned.size >= maxKeys) {
			warned.clear();
		}

		warned.add(key);
		log.warn(message);
	};
}
