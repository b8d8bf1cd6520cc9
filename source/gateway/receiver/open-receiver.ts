import type {Deliverer} from '../../delivery/deliverer.ts';
import {DeliveryError, isUncertain} from '../../platforms/delivery-error.ts';
import {reachesPeople} from '../../platforms/platforms.ts';
import type {DirectMessage} from '../../webhook/direct-delivery.ts';
import {createReceiver, type ReceiverDependencies} from '../../webhook/receiver.ts';
import type {Rooms, RoomWorld} from '../rooms.ts';
import {createLiveReceiver, type LiveReceiver} from './live-receiver.ts';

/** Joins what comes in with the journal, the groups, the jobs and the deliverer. Nothing listens before `start()`. */
export function openReceiver(
	world: RoomWorld,
	options: Pick<ReceiverDependencies, 'ids' | 'journalFailing' | 'ownMark' | 'metrics'> &
		Pick<Rooms, 'announce' | 'groups' | 'jobs' | 'loops'> & {
			readonly deliverer: Deliverer;
			/** Looks for due runs. */
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
		deliverDirect: holdDirect(loops, deliverer),
		onAccepted(runId, isImplied) {
			if (isImplied) {
				wake();
			} else {
				void announce.queued(runId);
			}
		},
		onGroupChanged(group) {
			groups.changed(group);
		},
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
			// Others go on with them, each at its time.
			await (cluster.hasOthers() ? undefined : groups.flush());
		},
	});
}

/** Hands over what `deliver_only` routes send, unless a loop holds it. A replay is a person's word that it may go on. Rejects as `deliver` does, and with `delivery_held`. */
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
			await (reaches && !receipt.withheld && loops.answered(answer));
			return receipt;
		} catch (error) {
			await (reaches && isUncertain(error) && loops.answered(answer));
			throw error;
		}
	};
