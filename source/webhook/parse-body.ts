import {isUtf8} from 'node:buffer';
import {isDeepJson} from '../core/json-depth.ts';
import {isJsonObject} from '../core/json.ts';
import type {JsonObject, JsonValue} from '../core/json.ts';

export type ParsedBody =
	| {readonly ok: true; readonly payload: JsonValue; readonly kind: 'JSON' | 'form'}
	/** `error` is for the client and repeats nothing of what it sent. */
	| {readonly ok: false; readonly error: string};

const formType = 'application/x-www-form-urlencoded';

const refuse = (error: string): ParsedBody => ({ok: false, error});

/**
 * The payload of a body: JSON of any shape whatever the content type says, except that a form becomes an object. A JSON object that is only called
 * a form stays one.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#bodies
 */
export function parseBody(body: Buffer, contentType: string | undefined): ParsedBody {
	if (body.length === 0) {
		return refuse('Empty body');
	}

	if (!isUtf8(body)) {
		return refuse('Body is not UTF-8');
	}

	const text = body.toString();
	if (!isForm(contentType)) {
		return parseJson(text);
	}

	// Clients such as curl call any body a form unless they are told otherwise. No form begins like this.
	const json = text.startsWith('{') ? parseJson(text) : undefined;
	return json?.ok ? json : parseForm(text);
}

const isForm = (contentType = '') =>
	contentType.length >= formType.length &&
	contentType.slice(0, formType.length).toLowerCase() === formType;

function parseJson(text: string): ParsedBody {
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns JSON
		return {ok: true, payload: JSON.parse(text) as JsonValue, kind: 'JSON'};
	} catch {
		return refuse('Malformed JSON body');
	}
}

function parseForm(text: string): ParsedBody {
	try {
		// URLSearchParams accepts anything; this throws for a broken escape and for escapes that are no UTF-8.
		decodeURIComponent(text);
	} catch {
		return refuse('Malformed form body');
	}

	// fromEntries defines own properties, so a field named __proto__ stays a field.
	const fields = Object.fromEntries(new URLSearchParams(text));
	return {ok: true, payload: withPayloadObject(fields), kind: 'form'};
}

/**
 * A form whose field `payload` holds a JSON object (the default of the first code host) gives that object, so that `payload.<x>` reaches into it. What
 * is nested more than 128 levels deep stays text: a script gets a form written out as JSON, which would exhaust the stack.
 */
function withPayloadObject(fields: Readonly<Record<string, string>>): JsonObject {
	const text = Object.hasOwn(fields, 'payload') ? fields['payload'] : undefined;
	if (!text?.startsWith('{') || isDeepJson(text)) {
		return fields;
	}

	const parsed = parseJson(text);
	return parsed.ok && isJsonObject(parsed.payload) ? {...fields, payload: parsed.payload} : fields;
}
