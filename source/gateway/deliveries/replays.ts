import type {StoredDelivery} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import type {ReceiverAnswer, ReplayChanges} from '../../core/replay.ts';
import type {Journal} from '../../store/port.ts';
import type {RecoveredEvent} from '../../webhook/pipeline.ts';
import type {Receiver} from '../../webhook/receiver.ts';
import type {ReplayPlan} from '../port.ts';
import type {LiveReceiver} from '../receiver/live-receiver.ts';
import {type AnswerParts, createAnswerDoubts} from './answer-doubts.ts';

export type Replays = {
	/** @throws SvcError `delivery_not_found`, `body_not_kept`, `route_not_found`, `webhook_not_listening` */
	plan(id: string, options?: ReplayChanges): Promise<ReplayPlan>;
	/** Same errors as `plan`. */
	replay(id: string, options?: ReplayChanges): Promise<ReceiverAnswer>;
	/** @throws SvcError `route_not_found`, `webhook_not_listening` */
	recover(event: RecoveredEvent): Promise<ReceiverAnswer>;
};

/** Joins the journal, which has what was received, with the receiver, which can take it in again. */
export function createReplays({
	store: {journal},
	receiver,
	...answering
}: {
	readonly store: {readonly journal: Pick<Journal, 'get'>};
	/** Has the receiver that listens now, if one does. */
	readonly receiver: Pick<LiveReceiver, 'current'>;
} & AnswerParts): Replays {
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
		async plan(id, options) {
			const [current, stored] = await find(id);
			const plan = current.planReplay(stored, options);
			return {...plan, effects: [...plan.effects, ...(await doubtsOf(plan.route))]};
		},
		async replay(id, options) {
			const [current, stored] = await find(id);
			return current.replay(stored, options);
		},
		recover: async event =>
			listening(`Cannot recover delivery "${event.deliveryId}"`).recover(event),
	};
}
