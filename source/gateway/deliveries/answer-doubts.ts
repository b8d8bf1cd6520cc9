import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import {reachesPeople} from '../../platforms/platforms.ts';
import type {LiveConfig} from '../live-config.ts';
import type {LiveModel} from '../live-model.ts';

/** What becomes of an answer is told from. */
export type AnswerParts = {
	readonly live: Pick<LiveConfig, 'current' | 'routes'>;
	readonly model: Pick<LiveModel, 'current'>;
	readonly deliverer: Pick<Deliverer, 'problemNow'>;
};

/** Tells of a route by name why its answers would not go where it says now: no language model, a client that is not there; a sentence each. Never rejects. */
export const createAnswerDoubts =
	({live, model, deliverer}: AnswerParts) =>
	async (name: string): Promise<readonly string[]> => {
		const route = live.routes().routes.get(name);
		// What a job says of its model and its target is told where the job is.
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

/** What becomes of answers that no language model wrote. @see manual/model.md */
const offlineDoubt =
	'but no language model is configured: the answer goes to the log alone (svc help model)';
