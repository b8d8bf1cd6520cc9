import type {Route} from '../config/route.ts';
import {stop} from './delivery-draft.ts';
import type {DeliveryDraft} from './delivery-draft.ts';
import {findRoute} from './find-route.ts';
import type {RequestedRoute} from './find-route.ts';
import {headerOf} from './headers.ts';
import type {ReceiverServices} from './receiver-services.ts';
import {handshakeReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';

const requestOrigin = 'webhook-request-origin';

const requestRate = 'webhook-request-rate';

/** A name in the DNS, perhaps with a port; at most 255 characters. */
const dnsName = /^[a-z0-9._-]{1,249}(?::\d{1,5})?$/i;

/**
 * Tells a sender of CloudEvents that a route wants its events, before it sends any; `undefined` when this is no such question, or no such route wants them. Nobody signs it: it
 * says no more than that, and spends none of the rate.
 *
 * @see manual/receiver.md#cloudevents, CloudEvents HTTP 1.1 Web Hooks §4
 */
export function shakeHands(
	draft: DeliveryDraft,
	request: RequestedRoute & {readonly method: string},
	services: Pick<ReceiverServices, 'routes' | 'multiplexing' | 'compile'>,
): Reply | undefined {
	const {headers} = draft;
	const origin = headerOf(headers, requestOrigin) ?? '';
	const asked =
		request.method === 'OPTIONS' && dnsName.test(origin) && request.route !== undefined
			? services.routes().routes.get(request.route)
			: undefined;
	if (!asked || !mayCome(origin, asked)) {
		return undefined;
	}

	const found = findRoute(draft, request, services);
	if (found.kind !== 'served') {
		return refusals.method;
	}

	const {rateLimit, overflow} = found.route;
	return stop(
		draft,
		handshakeReply({
			'WebHook-Allowed-Origin': origin,
			...(headerOf(headers, requestRate) !== undefined && {
				'WebHook-Allowed-Rate': overflow === 'queue' ? '*' : String(rateLimit),
			}),
			Allow: 'POST',
		}),
		{step: 'event', detail: `a handshake of ${origin}: its events may come`},
	);
}

const mayCome = (origin: string, {cloudevents}: Pick<Route, 'cloudevents'>): boolean =>
	typeof cloudevents === 'boolean'
		? cloudevents
		: cloudevents.some(allowed => allowed.toLowerCase() === origin.toLowerCase());
