import type {WebhookConfig} from '../../config/config.ts';
import {placed} from '../../config/format-diagnostic.ts';
import {routePath} from '../../core/route-path.ts';
import type {World} from '../../core/world.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import {createLiveListener, type LiveListener} from '../../http/live-listener.ts';
import {DeliveryError, isUncertain} from '../../platforms/delivery-error.ts';
import {reachesPeople} from '../../platforms/platforms.ts';
import type {DirectMessage} from '../../webhook/direct-delivery.ts';
import {createReceiver, type ReceiverDependencies, type Receiver} from '../../webhook/receiver.ts';
import type {Rooms, RoomWorld} from '../rooms.ts';
import {curlLine, reachableUrl, sampleRequest} from './sample-event.ts';

/** Connects the receiver with the journal, the groups, the jobs and the deliverer. Listens only after `start()`. */
export function openReceiver(
	world: RoomWorld,
	options: Pick<ReceiverDependencies, 'ids' | 'journalFailing' | 'ownMark' | 'metrics'> &
		Pick<Rooms, 'announce' | 'groups' | 'jobs' | 'loops'> & {
			readonly deliverer: Deliverer;
			/** Looks for due runs now. */
			readonly wake: () => void;
		},
): LiveReceiver {
	const {deliverer, loops, wake, groups, jobs, announce, ...given} = options;
	const {live, store, environment} = world;
	const log = world.log.from('webhook');
	const config = () => live.current();
	const dependencies: ReceiverDependencies = {
		...world,
		...given,
		log,
		intake: store.intake,
		routes: () => live.routes(),
		homeOf: profile => config().profiles.of(profile).paths,
		limits: store.limits,
		multiplexing: () => config().multiplexProfiles,
		jobOf: jobs.jobOf,
		deliver: holdDirect(loops, deliverer),
		onAccepted(runId, isImplied) {
			if (isImplied) {
				wake();
			} else {
				void announce.queued(runId);
			}
		},
		onGroupChanged: group => groups.changed(group),
		sharesStore: world.cluster.isShared,
		metricsHost: () => config().metrics.host,
		environment: () => environment,
	};
	return createLiveReceiver({
		...world,
		log,
		config: () => config().webhook,
		brokenBy: () => live.broken[0]?.message,
		create: ({host, port}) =>
			createReceiver(dependencies, {host, port, maxQueued: () => config().runs.maxQueued}),
		async onClosed() {
			const {cluster} = world;
			await cluster.look();
			// Other gateways dispatch the groups when they are due.
			await (cluster.hasOthers() ? undefined : groups.flush());
		},
	});
}

/** Delivers messages of `deliver_only` routes, unless the loop breaker holds them; a person's replay releases the hold. Rejects as `deliver` does, and with `delivery_held`. */
const holdDirect =
	(loops: Rooms['loops'], {deliver}: Pick<Deliverer, 'deliver'>) =>
	async (message: DirectMessage, signal: AbortSignal) => {
		const {delivery: id, profile, route, subject, isReplay} = message;
		const answer = {id, profile, route, plan: subject === undefined ? {} : {subject}};
		if (isReplay) {
			await loops.release(answer);
		}

		const held = loops.heldBy(answer);
		if (held !== undefined) {
			throw new DeliveryError('delivery_held', `Cannot deliver: ${held}`);
		}

		const reaches = reachesPeople(message.target.kind);
		try {
			const receipt = await deliver(message, signal);
			if (reaches && !receipt.withheld) {
				await loops.answered(answer);
			}

			return receipt;
		} catch (error) {
			if (reaches && isUncertain(error)) {
				await loops.answered(answer);
			}

			throw error;
		}
	};

export type LiveReceiver = LiveListener<Receiver>;

/**
 * Starts the receiver if the configuration enables it, and reports its state. If it is refused, the rest of the gateway goes on running.
 *
 * @see manual/receiver.md#refused-at-the-start
 */
export function createLiveReceiver(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly config: () => WebhookConfig;
		/** Why the whole configuration is unusable; `undefined` when it is usable. */
		readonly brokenBy: () => string | undefined;
		/** Makes a receiver for the host and port as configured now. */
		readonly create: (config: WebhookConfig) => Receiver;
		/** Called each time a receiver has closed, before that is reported. Never rejects. */
		readonly onClosed: () => Promise<void>;
	},
): LiveReceiver {
	const {clock, emit, log, config, brokenBy, create, onClosed} = world;
	let said = '';
	const say = (level: 'warn' | 'error', text: string) => {
		// Listening on a busy port is retried again and again, but logged once.
		if (text !== said) {
			said = text;
			log[level](text);
		}
	};

	const refuse = (code: string, reason: string) => {
		say('error', `The webhook receiver does not start (${code}): ${reason}`);
		emit({type: 'webhook-refused', at: clock.now(), code, reason});
	};

	return createLiveListener<Receiver, WebhookConfig>(world, {
		mustClose: () => !config().enabled,
		wanted() {
			const webhook = config();
			const broken = brokenBy();
			const [refusal] = webhook.refusals;
			if (broken !== undefined) {
				refuse('config_invalid', broken);
			} else if (webhook.broken !== undefined) {
				refuse('settings_invalid', webhook.broken);
			} else if (!webhook.enabled) {
				say('warn', 'The webhook receiver is not enabled (platforms.webhook.enabled)');
				emit({type: 'webhook-disabled', at: clock.now()});
			} else if (refusal) {
				refuse(refusal.code, placed(refusal.problem, refusal.reason));
			} else {
				return webhook;
			}

			return undefined;
		},
		create,
		onListening(url) {
			said = '';
			log.note(`Listening on ${url}`);
			emit({type: 'webhook-listening', at: clock.now(), url});
		},
		onRefused: refuse,
		onClosed,
		onEnd: () => emit({type: 'webhook-closed', at: clock.now()}),
	});
}

/** The URL of a route, and a `curl` line that sends it a signed event. Empty while the receiver does not listen, or for a route that is not served. */
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
