import type {Route} from '../config/route.ts';
import {senderOf} from '../config/senders/senders.ts';
import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import {deliveryIdHeaders, eventHeaders} from './headers.ts';
import {identifierOf} from './identity.ts';

/** The headers that name the event on `route`; `eventHeaders` itself unless its sender has one of its own. */
export const eventHeadersFor = ({signature}: Route): readonly string[] =>
	withOwn(senderOf(signature?.kind)?.eventHeader, eventHeaders);

/** The headers that name the delivery on `route`; `deliveryIdHeaders` itself unless its sender has one of its own. */
export const idHeadersFor = ({signature}: Route): readonly string[] =>
	withOwn(senderOf(signature?.kind)?.idHeader, deliveryIdHeaders);

/** Headers that only count on routes whose `signature` says who sends stand before the general ones. */
const withOwn = (own: string | undefined, general: readonly string[]): readonly string[] =>
	own === undefined ? general : [own, ...general];

/**
 * The delivery identifier in the body on routes of a sender that writes one there (stripe `id`, slack `event_id`). The body is signed, so this one narrows
 * the identifier to it: any header could be added to a captured request. `undefined`: the headers decide.
 */
export function signedIdOf(
	{signature}: Route,
	payload: JsonValue,
): {readonly deliveryId: string; readonly idSource: string} | undefined {
	const field = senderOf(signature?.kind)?.idField;
	if (field === undefined || !isJsonObject(payload) || !Object.hasOwn(payload, field)) {
		return undefined;
	}

	const id = payload[field];
	return typeof id === 'string' && id !== ''
		? {deliveryId: identifierOf(id), idSource: `body.${field}`}
		: undefined;
}
