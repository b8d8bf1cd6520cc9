import type {Route} from '../config/route.ts';
import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import {deliveryIdHeaders, eventHeaders} from './headers.ts';
import {identifierOf} from './identity.ts';

type Kind = NonNullable<Route['signature']>['kind'];

/** Headers that only count on routes whose `signature` says who sends. They stand before the general ones. */
const ownEventHeaders: Partial<Record<Kind, readonly string[]>> = {
	shopify: ['x-shopify-topic', ...eventHeaders],
	linear: ['linear-event', ...eventHeaders],
};

const ownIdHeaders: Partial<Record<Kind, readonly string[]>> = {
	shopify: ['x-shopify-webhook-id', ...deliveryIdHeaders],
	linear: ['linear-delivery', ...deliveryIdHeaders],
};

/** Where the body, which is signed, holds the identifier: the same one at each retry. */
const idFields: Partial<Record<Kind, string>> = {
	stripe: 'id',
	slack: 'event_id',
};

/** The headers that name the event on `route`; `eventHeaders` itself unless its sender has one of its own. */
export const eventHeadersFor = ({signature}: Route): readonly string[] =>
	(signature && ownEventHeaders[signature.kind]) ?? eventHeaders;

/** The headers that name the delivery on `route`; `deliveryIdHeaders` itself unless its sender has one of its own. */
export const idHeadersFor = ({signature}: Route): readonly string[] =>
	(signature && ownIdHeaders[signature.kind]) ?? deliveryIdHeaders;

/**
 * The delivery identifier in the body on routes of a sender that writes one there (stripe `id`, slack `event_id`). The body is signed, so this one narrows
 * the identifier to it: any header could be added to a captured request. `undefined`: the headers decide.
 */
export function signedIdOf(
	{signature}: Route,
	payload: JsonValue,
): {readonly deliveryId: string; readonly idSource: string} | undefined {
	const field = signature && idFields[signature.kind];
	if (field === undefined || !isJsonObject(payload) || !Object.hasOwn(payload, field)) {
		return undefined;
	}

	const id = payload[field];
	return typeof id === 'string' && id !== ''
		? {deliveryId: identifierOf(id), idSource: `body.${field}`}
		: undefined;
}
