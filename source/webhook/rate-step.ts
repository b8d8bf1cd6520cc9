import type {Route} from '../config/route.ts';
import {remedyOf} from '../core/lost-events.ts';
import type {Limits} from '../store/limits/port.ts';
import type {RouteKey} from '../store/port.ts';
import {note, stop} from './delivery-draft.ts';
import type {DeliveryDraft} from './delivery-draft.ts';
import {rateReply} from './replies.ts';
import type {Reply} from './replies.ts';

/**
 * Spends the route's quota of this minute on an event whose sender is known. The answer when there is nothing left to spend; a route whose overflow is queued goes on, and is
 * told later when its run starts.
 *
 * @see manual/receiver.md#above-the-rate
 */
export async function spendRate(
	draft: DeliveryDraft,
	route: Route,
	{windows, paces}: Pick<Limits, 'windows' | 'paces'>,
): Promise<Reply | undefined> {
	const {rateLimit} = route;
	const key = routeKeyOf(route);
	if (route.overflow === 'queue') {
		const count = await paces.enter(key, rateLimit);
		draft.isAboveRate = count === undefined;
		note(draft, 'rate', {
			verdict: 'pass',
			detail: usageOf(count ?? `more than ${rateLimit}`, rateLimit),
		});
		return undefined;
	}

	const rate = await windows.take(key, rateLimit);
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

/** The route as its limits know it. */
export const routeKeyOf = ({profile, name}: Pick<Route, 'profile' | 'name'>): RouteKey => ({
	profile,
	route: name,
});
