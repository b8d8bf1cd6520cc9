import type {StoredDelivery} from '../core/delivery.ts';
import {SvcError} from '../core/errors.ts';
import type {Journal} from '../store/port.ts';
import type {Receiver} from '../webhook/receiver.ts';
import type {ReceiverAnswer, ReplayPlan} from './port.ts';

export type Replays = {
	/** @throws SvcError `delivery_not_found`, `body_not_kept`, `route_not_found`, `webhook_not_listening` */
	plan(id: string): Promise<ReplayPlan>;
	/** Same errors as `plan`. */
	replay(id: string, options?: {readonly body?: string}): Promise<ReceiverAnswer>;
};

/** Joins the journal, which has what was received, with the receiver, which can take it in again. */
export function createReplays({
	journal,
	receiver,
}: {
	readonly journal: Pick<Journal, 'get'>;
	/** The receiver that listens now, if one does. */
	readonly receiver: () => Receiver | undefined;
}): Replays {
	const find = async (id: string): Promise<readonly [Receiver, StoredDelivery]> => {
		const stored = await journal.get(id);
		if (!stored) {
			throw new SvcError('delivery_not_found', `Cannot find delivery "${id}" in the journal`);
		}

		const listening = receiver();
		if (!listening) {
			throw new SvcError(
				'webhook_not_listening',
				`Cannot replay delivery "${id}": the webhook receiver does not listen`,
			);
		}

		return [listening, stored];
	};

	return {
		async plan(id) {
			const [listening, stored] = await find(id);
			return listening.planReplay(stored);
		},
		async replay(id, options = {}) {
			const [listening, stored] = await find(id);
			return listening.replay(stored, options);
		},
	};
}
