import type {Route} from '../config/route.ts';
import {remedyOf} from '../core/lost-events.ts';
import {note, stop} from './delivery-draft.ts';
import type {DeliveryDraft} from './delivery-draft.ts';
import type {Paces} from './paces.ts';
import type {RateWindows} from './rate-window.ts';
import {rateReply} from './replies.ts';
import type {Reply} from './replies.ts';

/**
 * Spends the route's quota of this minute on an event whose sender is known. The answer when there is nothing left to spend; a route whose overflow is queued goes on, and is
 * told later when its run starts.
 *
 * @see manual/receiver.md#above-the-rate
 */
export function spendRate(
	draft: DeliveryDraft,
	{route, id}: {readonly route: Route; readonly id: string},
	{rates, paces}: {readonly rates: RateWindows; readonly paces: Paces},
): Reply | undefined {
	const {rateLimit} = route;
	if (route.overflow === 'queue') {
		const count = paces.enter(id, rateLimit);
		draft.isAboveRate = count === undefined;
		note(draft, 'rate', {
			verdict: 'pass',
			detail: usageOf(count ?? `more than ${rateLimit}`, rateLimit),
		});
		return undefined;
	}

	const rate = rates.take(id, rateLimit);
	const detail = usageOf(rate.count, rateLimit);
	if (!rate.ok) {
		const remedy = remedyOf({mode: route.deliverOnly ? 'deliver_only' : 'agent'});
		return stop(draft, rateReply(rate.retryAfterSeconds), {
			step: 'rate',
			detail: `${detail}: lost unless its sender tries again, ${remedy}`,
		});
	}

	note(draft, 'rate', {verdict: 'pass', detail});
	return undefined;
}

const usageOf = (count: number | string, limit: number) => `${count} of ${limit} in this minute`;
