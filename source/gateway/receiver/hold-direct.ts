import type {Deliverer} from '../../delivery/deliverer.ts';
import {DeliveryError} from '../../platforms/delivery-error.ts';
import {reachesPeople} from '../../platforms/platforms.ts';
import type {DirectMessage} from '../../webhook/direct-delivery.ts';
import type {LoopBreaker} from '../runs/loop-breaker.ts';

/** Hands over what `deliver_only` routes send, unless a loop holds it. A replay is a person's word that it may go on. Rejects as `deliver` does, and with `delivery_held`. */
export const holdDirect =
	(loops: LoopBreaker, {deliver}: Pick<Deliverer, 'deliver'>) =>
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

		const receipt = await deliver(message, signal);
		if (reachesPeople(message.target.kind) && !receipt.withheld) {
			await loops.answered(answer);
		}

		return receipt;
	};
