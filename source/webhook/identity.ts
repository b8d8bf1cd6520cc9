import {createHash, randomUUID} from 'node:crypto';
import {codeHostEventHeaders} from '../core/form-payload.ts';
import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import type {Redact} from '../core/redact.ts';
import {deliveryIdHeaders, headerOf} from './headers.ts';
import type {RequestHeaders} from './headers.ts';

export const maxNameLength = 256;

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
export type EventType = {
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
	for (const source of codeHostEventHeaders) {
		const name = headerOf(headers, source);
		if (name) {
			return {name: name.slice(0, maxNameLength), source};
		}
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

/** The first code host's check that it can reach us: no route without `events` wants a run for it. @see manual/receiver.md#events-and-identifiers */
export const isConnectivityCheck = ({name, source}: EventType): boolean =>
	name === 'ping' && (source === 'x-forge-event' || source === 'x-github-event');

/** What gave an identifier that nobody sent. */
export const randomSource = 'random';

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
): {
	readonly deliveryId: string;
	readonly idSource: string;
} {
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
export const identifierOf = (id: string): string => (isPlain(id) ? id : digestOf(id));

const digestOf = (id: string) => `sha256-${createHash('sha256').update(id).digest('hex')}`;
