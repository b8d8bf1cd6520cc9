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

/** Whether a text is printable ASCII of 1 to 256 characters: safe to store, compare and show. */
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

/** The source of the type of an event without a name. */
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

/** The connectivity check of the first code host: a route without `events` does not run for it. @see manual/receiver.md#events-and-identifiers */
export const isConnectivityCheck = ({name, source}: EventType): boolean =>
	name === 'ping' && (source === 'x-forge-event' || source === 'x-github-event');

/** The source of a generated identifier. */
const randomSource = 'random';

/**
 * The delivery identifier by the sender and its header; a random one when there is none. An identifier that is too long
 * or not printable ASCII is replaced by its digest, so that different ones stay different.
 *
 * The first present header of `sources` wins. A scheme with a signed identifier passes only
 * the signed header: with any other header, a captured request could be sent as a new delivery while its timestamp is valid.
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

/** `id`, or its digest when `redact` finds a secret in it: a sender that puts a secret there is still recognised, without disclosing it. */
export const redactedIdentifier = (id: string, redact: Redact): string =>
	redact(id) === id ? id : digestOf(id);

/** The stored form of an identifier: itself when it is 1 to 256 characters of printable ASCII, else its digest. */
const identifierOf = (id: string): string => (isPlain(id) ? id : digestOf(id));

const digestOf = (id: string) => `sha256-${createHash('sha256').update(id).digest('hex')}`;

/** The settings of a route that say where its sender names event and delivery. */
export type NamingRoute = Pick<
	Route,
	'signature' | 'cloudevents' | 'eventHeaders' | 'eventFields' | 'idHeaders' | 'idFields'
>;

/** A received event. */
type Event = {readonly headers: RequestHeaders; readonly payload: JsonValue};

type Identifier = {readonly deliveryId: string; readonly idSource: string};

/**
 * The event type on `route`: from the fields, then the headers, of its settings or its sender (fields first, since headers are not signed); else the first non-empty of the general headers, `event_type`
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
 * The delivery identifier from the headers of `route` or its sender; else from the first of the general headers, else a random one. On routes with identifiers in signed bodies, an identifier from a
 * header includes the name of the header: otherwise a captured request without an identifier could claim the one of a future event.
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
 * The delivery identifier in the body, on a route whose settings or sender (stripe `id`, slack `event_id`) name its field. It takes precedence over headers, which
 * could be added to a captured request. `undefined`: the headers decide.
 */
export function bodyIdOf(route: NamingRoute, {headers, payload}: Event): Identifier | undefined {
	const {idFields = []} = namesFor(route, headers);
	const found = firstOf(idFields, field => textAt(payload, field));
	return found && {...found, idSource: `body.${found.idSource}`};
}

/** Where events of `route` with these `headers` are named; settings of the route override those of its sender. */
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

/** The first identifier with all its parts; `idSource` is the name of the last part. */
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

/** A text, or an exact number (an inexact one may stand for two events); else empty. */
function textAt(payload: JsonValue, field: string): string {
	const value = lookUp(payload, field.split('.'));
	if (typeof value === 'string') {
		return value;
	}

	return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : '';
}
