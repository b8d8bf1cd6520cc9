import {createHash, randomUUID} from 'node:crypto';
import type {Route} from '../config/route.ts';
import {cloudEventNames} from '../config/senders/cloudevents.ts';
import type {Names} from '../config/senders/sender.ts';
import {senderOf} from '../config/senders/senders.ts';
import {derive} from '../core/derive.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {codeHostEventHeaders, lookUp} from '../core/payload.ts';
import type {Redact} from '../core/redact.ts';
import {deliveryIdHeaders, headerOf, type RequestHeaders} from './request-content.ts';

const maxNameLength = 256;

const firstPrintable = 0x20;

const lastPrintable = 0x7e;

/** Printable ASCII, 1 to 256 characters: may be stored, compared and shown as it is. */
function isPlain(text: string): boolean {
	if (text.length === 0 || text.length > maxNameLength) {
		return false;
	}

	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code < firstPrintable || code > lastPrintable) {
			return false;
		}
	}

	return true;
}

/** The resolved event type and where it was found. */
type EventType = {
	/** As sent; never empty; not cleaned. */
	readonly name: string;
	/** Name of the header, `event_type`, `type`, or `none`. */
	readonly source: string;
};

/** What names an event that nothing names. */
export const unnamedSource = 'none';

/**
 * The event type by the general rule: first non-empty of `codeHostEventHeaders`, then the payload's `event_type`, then its `type`, else `unknown`.
 * At most 256 characters.
 *
 * @see manual/receiver.md#events-and-identifiers
 */
export function eventTypeOf(headers: RequestHeaders, payload: JsonValue): EventType {
	const said = eventInHeaders(headers, codeHostEventHeaders);
	if (said) {
		return said;
	}

	if (isJsonObject(payload)) {
		for (const source of ['event_type', 'type']) {
			const name = Object.hasOwn(payload, source) ? payload[source] : undefined;
			if (typeof name === 'string' && name !== '') {
				return {name: name.slice(0, maxNameLength), source};
			}
		}
	}

	return {name: 'unknown', source: unnamedSource};
}

function eventInHeaders(
	headers: RequestHeaders,
	sources: readonly string[],
): EventType | undefined {
	for (const source of sources) {
		const name = headerOf(headers, source);
		if (name) {
			return {name: name.slice(0, maxNameLength), source};
		}
	}

	return undefined;
}

/** The first code host's check that it can reach us: no route without `events` wants a run for it. @see manual/receiver.md#events-and-identifiers */
export const isConnectivityCheck = ({name, source}: EventType): boolean =>
	name === 'ping' && (source === 'x-forge-event' || source === 'x-github-event');

/** What gave an identifier that nobody sent. */
const randomSource = 'random';

/**
 * The sender's delivery identifier and the header that gave it; a random one when there is none. An identifier that is too long
 * or holds anything but printable ASCII is replaced by its digest, so that two different ones never become one.
 *
 * The first of `sources` that is present wins. The contract says so of all identifier headers; a scheme that signs its own identifier narrows that to
 * the signed one: any other header could be added to a captured request, which would pass as a new delivery for as long as its timestamp holds.
 *
 * @see manual/receiver.md#events-and-identifiers
 */
export function deliveryIdOf(
	headers: RequestHeaders,
	sources: readonly string[] = deliveryIdHeaders,
): Identifier {
	for (const idSource of sources) {
		const id = headerOf(headers, idSource);
		if (id) {
			return {deliveryId: identifierOf(id), idSource};
		}
	}

	return {deliveryId: randomUUID(), idSource: randomSource};
}

/** `id`, or its digest when `redact` finds a secret in it: whoever fills in a header wrongly is still known again, and shows nothing. */
export const redactedIdentifier = (id: string, redact: Redact): string =>
	redact(id) === id ? id : digestOf(id);

/** An identifier as it is stored, compared and shown: itself when it is 1 to 256 characters of printable ASCII, else its digest. */
const identifierOf = (id: string): string => (isPlain(id) ? id : digestOf(id));

const digestOf = (id: string) => `sha256-${createHash('sha256').update(id).digest('hex')}`;

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

	return eventInHeaders(headers, eventHeaders) ?? eventTypeOf(headers, payload);
}

/**
 * The delivery identifier that the headers of `route` give, or its sender's; else the first of the general ones, else a random one. Where identifiers stand in signed bodies, one of a
 * header holds its name: whoever captured a request without one could otherwise add the identifier of an event that is yet to come.
 *
 * @see manual/receiver.md#events-and-identifiers
 */
export function headerIdOf(route: NamingRoute, headers: RequestHeaders): Identifier {
	const {idHeaders = [], idFields = []} = namesFor(route, headers);
	const found = firstOf(idHeaders, name => headerOf(headers, name) ?? '') ?? deliveryIdOf(headers);
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
export const namesFor = (route: NamingRoute, headers: RequestHeaders): Names =>
	namesOf(route, route.cloudevents ? headerOf(headers, 'content-type') : undefined);

const namesOf = derive(
	(
		{signature, cloudevents, eventHeaders, eventFields, idHeaders, idFields}: NamingRoute,
		contentType: string | undefined,
	): Names => ({
		...(cloudevents ? cloudEventNames(contentType) : senderOf(signature?.kind)?.names),
		...(eventHeaders && {eventHeaders}),
		...(eventFields && {eventFields}),
		...(idHeaders && {idHeaders}),
		...(idFields && {idFields}),
		...((eventFields ?? eventHeaders) && {eventIn: () => undefined}),
	}),
);

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
