import type {Route} from '../config/route.ts';
import {cloudEventNames} from '../config/senders/cloudevents.ts';
import type {Names} from '../config/senders/sender.ts';
import {senderOf} from '../config/senders/senders.ts';
import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import {lookUp} from '../core/payload-path.ts';
import {deliveryIdHeaders, headerOf} from './headers.ts';
import type {RequestHeaders} from './headers.ts';
import {deliveryIdOf, eventTypeOf, identifierOf, maxNameLength, randomSource} from './identity.ts';
import type {EventType} from './identity.ts';

/** What of a route says where its sender names event and delivery. */
export type NamingRoute = Pick<
	Route,
	'signature' | 'cloudevents' | 'eventHeaders' | 'eventFields' | 'idHeaders' | 'idFields'
>;

/** What came in. */
type Event = {readonly headers: RequestHeaders; readonly payload: JsonValue};

type Identifier = {readonly deliveryId: string; readonly idSource: string};

/**
 * The event type on `route`: where its keys or its sender say, in the body before the headers because nobody signs those; else the first non-empty of the general headers, `event_type`
 * and `type`, else `unknown`. At most 256 characters.
 *
 * @see manual/receiver.md#events-and-identifiers
 */
export function eventOf(route: NamingRoute, {headers, payload}: Event): EventType {
	const {eventFields = [], eventIn, eventHeaders = []} = namesFor(route, headers);
	for (const field of eventFields) {
		const name = textAt(payload, field);
		if (name !== '') {
			return {name: name.slice(0, maxNameLength), source: `body.${field}`};
		}
	}

	const said = isJsonObject(payload) ? eventIn?.(payload) : undefined;
	if (said) {
		return {name: said.slice(0, maxNameLength), source: 'body'};
	}

	for (const source of eventHeaders) {
		const name = headerOf(headers, source);
		if (name) {
			return {name: name.slice(0, maxNameLength), source};
		}
	}

	return eventTypeOf(headers, payload);
}

/**
 * The delivery identifier that the headers of `route` give, or its sender's; else the first of the general ones, else a random one. Where identifiers stand in signed bodies, one of a
 * header holds its name: whoever captured a request without one could otherwise add the identifier of an event that is yet to come.
 *
 * @see manual/receiver.md#events-and-identifiers
 */
export function headerIdOf(route: NamingRoute, headers: RequestHeaders): Identifier {
	const {idHeaders = [], idFields = []} = namesFor(route, headers);
	const found =
		firstOf(idHeaders, name => headerOf(headers, name) ?? '') ??
		deliveryIdOf(headers, deliveryIdHeaders);
	return idFields.length === 0 || found.idSource === randomSource
		? found
		: {...found, deliveryId: identifierOf(`${found.idSource}:${found.deliveryId}`)};
}

/**
 * The delivery identifier in the body on a route whose keys or whose sender (stripe `id`, slack `event_id`) say that there is one; it narrows the identifier to itself: where the body
 * is signed, any header could be added to a captured request. `undefined`: the headers decide.
 */
export function bodyIdOf(route: NamingRoute, {headers, payload}: Event): Identifier | undefined {
	const {idFields = []} = namesFor(route, headers);
	const found = firstOf(idFields, field => textAt(payload, field));
	return found && {...found, idSource: `body.${found.idSource}`};
}

/** Where events of `route` that come with `headers` are named; each key of the route stands in for what its sender does. */
export function namesFor(
	{signature, cloudevents, eventHeaders, eventFields, idHeaders, idFields}: NamingRoute,
	headers: RequestHeaders,
): Names {
	return {
		...(cloudevents
			? cloudEventNames(headerOf(headers, 'content-type'))
			: senderOf(signature?.kind)?.names),
		...(eventHeaders && {eventHeaders}),
		...(eventFields && {eventFields}),
		...(idHeaders && {idHeaders}),
		...(idFields && {idFields}),
		...((eventFields ?? eventHeaders) && {eventIn: () => undefined}),
	};
}

/** The first that is there with all its parts; `idSource` is the name of its last one. */
function firstOf(
	all: NonNullable<Names['idFields']>,
	read: (name: string) => string,
): Identifier | undefined {
	for (const names of all.map(one => [one].flat())) {
		const values = names.map(name => read(name));
		if (values.every(value => value !== '')) {
			return {deliveryId: identifierOf(values.join(' ')), idSource: names.at(-1) ?? ''};
		}
	}

	return undefined;
}

/** A text, or a number that is exact: another one could be that of two events. Else empty. */
function textAt(payload: JsonValue, field: string): string {
	const value = lookUp(payload, field.split('.'));
	if (typeof value === 'string') {
		return value;
	}

	return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : '';
}
