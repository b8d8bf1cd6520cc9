import {isUtf8} from 'node:buffer';
import {cloudEventNames} from '../config/senders/cloudevents.ts';
import {senderNames, senderOf} from '../config/senders/senders.ts';
import {
	isDeepJson,
	type JsonObject,
	type JsonValue,
	parsedJson,
	parsedObject,
} from '../core/json.ts';
import {codeHostEventHeaders, isFormType, payloadOfForm} from '../core/payload.ts';
import type {Redact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';

/** Request headers with lower-case names, as `node:http` gives them; a repeated one is joined by `, `. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of one header; `undefined` when it is absent. `name` is lower case. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	return typeof value === 'string' ? value : undefined;
}

/** Headers with the delivery identifier; the first non-empty one wins. @see manual/receiver.md#events-and-identifiers, manual/receiver.md#order-of-decisions */
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

/** Headers in which known senders name event type and delivery identifier. */
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

/** Whether a header is stored and shown with every delivery: never one with a secret, a token or a signature. */
export const isStoredHeader = (name: string): boolean => storedNames.has(name);

/** Values are cut to this length before redaction. It exceeds the stored length, so that a secret which crosses that limit is still recognised. */
const lookedAt = 2048;

/**
 * The headers to be stored with a delivery, redacted and cleaned, at most 512 characters each. Headers in `further` are stored unchanged or not at all, since filters must see
 * the same value in a replay.
 */
export function headersToStore(
	headers: RequestHeaders,
	redact: Redact,
	further: readonly string[] = [],
): Readonly<Record<string, string>> {
	const kept: Record<string, string> = {};
	// Loops over the headers: a request has fewer headers than there are stored names.
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

export type ParsedBody =
	| {
			readonly ok: true;
			readonly payload: JsonValue;
			readonly kind: 'JSON' | 'form' | 'JSON in a form';
			/** The JSON as received; `undefined` for the fields of a form. */
			readonly rawJson: Buffer | undefined;
	  }
	/** `error` is for the client, and repeats no content of the request. */
	| {readonly ok: false; readonly error: string};

const refuse = (error: string): ParsedBody => ({ok: false, error});

/**
 * Parses a body as JSON, whatever the content type; with the content type of a form, a body that is no JSON object or list becomes an object of its fields. In a form of a code
 * host (with its event header) the payload is the JSON in the field `payload`.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#bodies
 */
export function parseBody(body: Buffer, headers: RequestHeaders): ParsedBody {
	if (body.length === 0) {
		return refuse('Empty body');
	}

	if (!isUtf8(body)) {
		return refuse('Body is not UTF-8');
	}

	const text = body.toString();
	if (!isFormType(headerOf(headers, 'content-type'))) {
		return parseJson(text, body);
	}

	// A body that looks like JSON is parsed as JSON first: clients such as curl label any body as a form, and no form begins with `{` or `[`. Since the content type is not
	// signed, it must not decide whether an identifier in the body is found.
	const json = /^\s*[{[]/.test(text) ? parseJson(text, body) : undefined;
	return json?.ok
		? json
		: parseForm(
				text,
				codeHostEventHeaders.some(name => headerOf(headers, name)),
			);
}

function parseJson(text: string, rawJson: Buffer): ParsedBody {
	const payload = parsedJson(text);
	return payload === undefined
		? refuse('Malformed JSON body')
		: {ok: true, payload, kind: 'JSON', rawJson};
}

function parseForm(text: string, isOfCodeHost: boolean): ParsedBody {
	try {
		// URLSearchParams accepts anything; decodeURIComponent throws for broken escapes, and for escapes that are no UTF-8.
		decodeURIComponent(text);
	} catch {
		return refuse('Malformed form body');
	}

	const json = isOfCodeHost ? payloadOfForm(text) : undefined;
	if (json !== undefined) {
		const parsed = parseJson(json, Buffer.from(json));
		return parsed.ok ? {...parsed, kind: 'JSON in a form'} : parsed;
	}

	// fromEntries defines own properties, so a field named __proto__ stays a field.
	const fields = Object.fromEntries(new URLSearchParams(text));
	return {ok: true, payload: withPayloadObject(fields), kind: 'form', rawJson: undefined};
}

/**
 * Parses a JSON object in the field `payload` of forms by other senders, so that `payload.<x>` can read its members. Above 128 levels it stays text: scripts receive a form as
 * JSON, and writing deeper JSON would exhaust the stack.
 */
function withPayloadObject(fields: Readonly<Record<string, string>>): JsonObject {
	const text = Object.hasOwn(fields, 'payload') ? fields['payload'] : undefined;
	if (!text?.startsWith('{') || isDeepJson(text)) {
		return fields;
	}

	const payload = parsedObject(text);
	return payload ? {...fields, payload} : fields;
}
