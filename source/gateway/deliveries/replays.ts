import type {StoredDelivery, ReceiverAnswer, ReplayChanges} from '../../core/delivery.ts';
import {SvcError, messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import {reachesPeople} from '../../platforms/platforms.ts';
import type {Journal} from '../../store/port.ts';
import type {RecoveredEvent} from '../../webhook/pipeline.ts';
import type {Receiver} from '../../webhook/receiver.ts';
import type {LiveConfig} from '../live-config.ts';
import type {LiveModel} from '../live-model.ts';
import type {ReplayPlan} from '../port.ts';
import type {LiveReceiver} from '../receiver/open-receiver.ts';

export type Replays = ReturnType<typeof createReplays>;

/** Sends stored deliveries of the journal through the receiver again. */
export function createReplays(
	given: {
		readonly store: {readonly journal: Pick<Journal, 'get'>};
		/** The receiver, if it listens now. */
		readonly receiver: Pick<LiveReceiver, 'current'>;
	} & AnswerParts,
) {
	const {
		store: {journal},
		receiver,
		...answering
	} = given;
	const doubtsOf = createAnswerDoubts(answering);
	const listening = (failure: string): Receiver => {
		const current = receiver.current();
		if (!current) {
			throw new SvcError(
				'webhook_not_listening',
				`${failure}: the webhook receiver does not listen`,
			);
		}

		return current;
	};

	const find = async (id: string): Promise<readonly [Receiver, StoredDelivery]> => {
		const stored = await journal.get(id);
		if (!stored) {
			throw new SvcError('delivery_not_found', `Cannot find delivery "${id}" in the journal`);
		}

		return [listening(`Cannot replay delivery "${id}"`), stored];
	};

	return {
		/** @throws SvcError `delivery_not_found`, `body_not_kept`, `route_not_found`, `webhook_not_listening` */
		async plan(id: string, options?: ReplayChanges): Promise<ReplayPlan> {
			const [current, stored] = await find(id);
			const plan = current.planReplay(stored, options);
			return {...plan, effects: [...plan.effects, ...(await doubtsOf(plan.route))]};
		},
		/** Same errors as `plan`. */
		async replay(id: string, options?: ReplayChanges): Promise<ReceiverAnswer> {
			const [current, stored] = await find(id);
			return current.replay(stored, options);
		},
		/** @throws SvcError `route_not_found`, `webhook_not_listening` */
		recover: async (event: RecoveredEvent) =>
			listening(`Cannot recover delivery "${event.deliveryId}"`).recover(event),
	};
}

/** What determines whether and where an answer is delivered. */
type AnswerParts = {
	readonly live: Pick<LiveConfig, 'current' | 'routes'>;
	readonly model: Pick<LiveModel, 'current'>;
	readonly deliverer: Pick<Deliverer, 'problemNow'>;
};

/** Returns a function that says why the answers of the route `name` would not be delivered now (no language model, a missing client), one sentence each. Never rejects. */
export const createAnswerDoubts =
	({live, model, deliverer}: AnswerParts) =>
	async (name: string): Promise<readonly string[]> => {
		const route = live.routes().routes.get(name);
		// A job's model and target are reported with the job.
		if (!route || route.cronJob !== undefined) {
			return [];
		}

		const {deliver, profile, deliverOnly} = route;
		if (!deliverOnly) {
			try {
				const {view} = await model.current();
				if (
					view.provider === 'offline' &&
					reachesPeople(deliver) &&
					!live.current().model.allowOfflineDelivery
				) {
					return [offlineDoubt];
				}
			} catch (error) {
				return [escapeLine(`the run will fail: ${messageOf(error)}`, 200)];
			}
		}

		const problem = await deliverer.problemNow(deliver, profile);
		return problem === undefined
			? []
			: [escapeLine(`that cannot be delivered now: ${problem}`, 200)];
	};

/** Effect of having no language model. @see manual/model.md */
const offlineDoubt =
	'but no language model is configured: the answer goes to the log alone (svc help model)';
