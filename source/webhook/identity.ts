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
	/** As sent: not cleaned. Never empty. */
	readonly name: string;
	/** A header, `event_type`, `type`, `body.<field>`, `body`, or `none`. */
	readonly source: string;
};

/** `source` for an event that names no type. */
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

/** Whether the event is a `ping` by which a code host checks the connection; routes without `events` ignore it. @see manual/receiver.md#events-and-identifiers */
export const isConnectivityCheck = ({name, source}: EventType): boolean =>
	name === 'ping' && (source === 'x-forge-event' || source === 'x-github-event');

/** `idSource` of a generated identifier. */
const randomSource = 'random';

/**
 * The sender's delivery identifier, from the first non-empty header of `sources`; without one a random identifier. An identifier that is too long or not printable ASCII is
 * replaced by its digest, so that different ones stay different.
 *
 * For a scheme that signs the identifier, pass only the signed header: with any other header, a captured request could be sent as a new delivery while its timestamp is valid.
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

/** `id`, or its digest if `redact` finds a secret in it. Duplicates are still recognised by the digest, which does not disclose the secret. */
export const redactedIdentifier = (id: string, redact: Redact): string =>
	redact(id) === id ? id : digestOf(id);

/** The stored form of an identifier: itself when it is 1 to 256 characters of printable ASCII, else its digest. */
const identifierOf = (id: string): string => (isPlain(id) ? id : digestOf(id));

const digestOf = (id: string) => `sha256-${createHash('sha256').update(id).digest('hex')}`;

/** The settings of a route that say where to find event type and delivery identifier. */
export type NamingRoute = Pick<
	Route,
	'signature' | 'cloudevents' | 'eventHeaders' | 'eventFields' | 'idHeaders' | 'idFields'
>;

/** A received event. */
type Event = {readonly headers: RequestHeaders; readonly payload: JsonValue};

type Identifier = {readonly deliveryId: string; readonly idSource: string};

/**
 * The event type on `route`: from the payload fields, then the headers, that the route or its sender preset names (fields first, since headers are not signed); else by the
 * general rule of `eventTypeOf`. At most 256 characters.
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
 * The delivery identifier from the headers that the route or its sender preset names; else from the general headers, else random. If the route has identifiers in signed bodies
 * (`idFields`), the name of the header becomes part of an identifier from a header: otherwise an attacker could add a header to a captured request, and so take the identifier
 * of a future event.
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
 * The delivery identifier from the field of the signed body that the route or its sender preset (stripe `id`, slack `event_id`) names. It takes precedence over headers, which
 * can be added to a captured request. `undefined`: the headers decide.
 */
export function bodyIdOf(route: NamingRoute, {headers, payload}: Event): Identifier | undefined {
	const {idFields = []} = namesFor(route, headers);
	const found = firstOf(idFields, field => textAt(payload, field));
	return found && {...found, idSource: `body.${found.idSource}`};
}

/** Where to find event type and delivery identifier. Settings of the route override those of its sender preset. */
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

/** The first identifier whose parts all have values, joined by spaces; `idSource` is the name of its last part. */
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

/** A string, or a safe integer as text: larger integers lose digits, so two events could look alike. Else empty. */
function textAt(payload: JsonValue, field: string): string {
	const value = lookUp(payload, field.split('.'));
	if (typeof value === 'string') {
		return value;
	}

	return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : '';
}
