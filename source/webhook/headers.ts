import {cloudEventNames} from '../config/senders/cloudevents.ts';
import {senderNames, senderOf} from '../config/senders/senders.ts';
import {codeHostEventHeaders} from '../core/form-payload.ts';
import type {Redact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';

/** Request headers with lower-case names, as `node:http` gives them; a repeated one is joined by `, `. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of one header; `undefined` when it is absent. `name` is lower case. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	return typeof value === 'string' ? value : undefined;
}

/** Headers that name the delivery, first non-empty one wins. @see manual/receiver.md#events-and-identifiers, manual/receiver.md#order-of-decisions */
export const deliveryIdHeaders = [
	'x-forge-delivery',
	'x-github-delivery',
	'x-gitea-delivery',
	'x-forgejo-delivery',
	'svix-id',
	'webhook-id',
	'x-gitlab-event-uuid',
	'x-request-id',
] as const;

/** Event and delivery of the senders that a route can name. */
const senderHeaders = [
	...senderNames.map(name => senderOf(name)?.names ?? {}),
	cloudEventNames(undefined),
].flatMap(({eventHeaders: events = [], idHeaders: ids = []}) => [...events, ...ids.flat()]);

const storedHeaders: readonly string[] = [
	'content-type',
	'user-agent',
	...codeHostEventHeaders,
	...deliveryIdHeaders,
	...senderHeaders,
];

const storedNames: ReadonlySet<string> = new Set(storedHeaders);

const maxStoredValueLength = 512;

/** Whether a header may be stored and shown: never a secret, a token or a signature. */
export const isStoredHeader = (name: string): boolean => storedNames.has(name);

/** What is looked at of a value: enough to know a secret that is cut. */
const lookedAt = 2048;

/**
 * The headers that are kept with a delivery, redacted and cleaned, at most 512 characters each. Those of `further` are kept as they came or not at all: a filter that is asked again
 * must not see another value.
 */
export function headersToStore(
	headers: RequestHeaders,
	redact: Redact,
	further: readonly string[] = [],
): Readonly<Record<string, string>> {
	const kept: Record<string, string> = {};
	// A request has fewer headers than there are names to look for.
	for (const name in headers) {
		const value = storedNames.has(name) ? headerOf(headers, name) : undefined;
		if (value !== undefined) {
			kept[name] = escapeLine(redact(value.slice(0, lookedAt)), maxStoredValueLength);
		}
	}

	for (const name of further) {
		const value = headerOf(headers, name);
		if (value !== undefined && isKeptWhole(value, redact)) {
			kept[name] = value;
		}
	}

	return kept;
}

const isKeptWhole = (value: string, redact: Redact) =>
	value.length <= maxStoredValueLength && escapeLine(redact(value), maxStoredValueLength) === value;
