import type {StoredDelivery} from '../delivery.ts';
import {isDeepValue, type JsonValue, isJsonObject, parsedJson} from '../json.ts';
import {codeHostPayload, compilePayloadPath} from '../payload.ts';
import type {FilterOperator, Term, TermResult} from './filter.ts';
import {compares, fitsAny, patternsOf} from './terms.ts';

/** A payload takes up to thirty times the bytes of its body, and the thread that searches has 256 MiB. Where that is not enough, the whole process ends. */
const maxPayloadBytes = 2 * 1024 * 1024;

/** What is looked at of a body as text. */
const maxTextBytes = 8 * 1024 * 1024;

/** What was received, read when it is first asked for. */
export type ReceivedBody = {
	/** The first 8 MiB of the body as text. */
	text(): string;
	/** Its payload; `undefined` where it is no JSON, or has more than 2 MiB. */
	payload(): JsonValue | undefined;
};

/** What can be asked for what was received; nothing is there where it was not kept. */
type WithBody = {readonly received?: (() => ReceivedBody | undefined) | undefined};

/** The body of a delivery as terms read it; `undefined` when it was not kept. */
export function receivedBody(
	stored: Pick<StoredDelivery, 'body' | 'headers'>,
): ReceivedBody | undefined {
	const {body} = stored;
	if (!body) {
		return undefined;
	}

	let text: string | undefined;
	let payload: {readonly value: JsonValue | undefined} | undefined;
	const decoded = () => {
		text ??= new TextDecoder().decode(body.subarray(0, maxTextBytes));
		return text;
	};

	return {
		text: decoded,
		payload() {
			payload ??= {
				value:
					body.byteLength > maxPayloadBytes
						? undefined
						: parsedJson(codeHostPayload(stored) ?? decoded()),
			};
			return payload.value;
		},
	};
}

/** `payload.pull_request.draft:true`: text as `textTerm` has it, numbers, `true`, `false` and `null` as they are; `*` means that it is there. */
export const payloadTerm: Term<WithBody> = {
	value: 'text',
	says: 'a field of the payload, by its path; `*`: it is there',
	example: 'payload.pull_request.draft:true',
	takesPath: true,
	understand(value, operator, path) {
		if (path === '') {
			return {problem: 'payload takes a path: payload.action:opened'};
		}

		const read = compilePayloadPath(`payload.${path}`);
		const test = fieldTest(value, operator);
		if (typeof test === 'string') {
			return {problem: test};
		}

		const asked = {
			field: {path: path.split('.'), ...(operator === ':' && {patterns: patternsOf(value)})},
		};
		return bodyResult(received => {
			const payload = received.payload();
			const field = payload === undefined ? undefined : read(payload);
			return field !== undefined && test(field);
		}, asked);
	},
};

/** What is asked of a field, or what is wrong with the question. */
function fieldTest(
	value: string,
	operator: FilterOperator,
): ((field: JsonValue) => boolean) | string {
	if (operator !== ':') {
		const wanted = value.trim() === '' ? Number.NaN : Number(value);
		const compare = compares[operator];
		return Number.isNaN(wanted)
			? `"${value}" is not a number here`
			: field => typeof field === 'number' && compare(field, wanted);
	}

	const patterns = patternsOf(value);
	return field => {
		if (typeof field === 'string') {
			return fitsAny(patterns, field);
		}

		return typeof field === 'object' && field !== null
			? fitsAny(patterns, textIn(field))
			: patterns.some(pattern => pattern === '*' || pattern === String(field));
	};
}

/** JSON of a list or an object. Of one that would exhaust the stack there is no text, only that it is there: one such payload must not end every search. */
const textIn = (field: JsonValue): string => (isDeepValue(field) ? '' : JSON.stringify(field));

/** `~ text`: looks in the body as it was received, and in the texts of its payload. */
export const bodyTerm: Term<WithBody> = {
	value: 'text',
	says: 'text anywhere in what was received',
	example: '~ "flaky test"',
	understand(value) {
		const wanted = value.toLowerCase();
		return bodyResult(
			received => {
				const text = received.text();
				return text.toLowerCase().includes(wanted) || (text.includes('\\') && isTold(received));
			},
			{text: wanted},
		);

		/** What JSON escapes stands there in other letters. */
		function isTold(received: ReceivedBody): boolean {
			const payload = received.payload();
			return payload !== undefined && holdsText(payload, wanted);
		}
	},
};

/** Whether a text of `payload`, or the name of a field, holds `wanted`; however deep it is. */
function holdsText(payload: JsonValue, wanted: string): boolean {
	const open: JsonValue[] = [payload];
	const isText = (text: string) => text.toLowerCase().includes(wanted);
	for (let value = open.pop(); value !== undefined; value = open.pop()) {
		if (typeof value === 'string' && isText(value)) {
			return true;
		}

		if (isJsonObject(value) && Object.keys(value).some(isText)) {
			return true;
		}

		if (typeof value === 'object' && value !== null) {
			// One by one: a list may be longer than a call has arguments.
			for (const inner of Object.values(value)) {
				open.push(inner);
			}
		}
	}

	return false;
}

const bodyResult = (
	test: (received: ReceivedBody) => boolean,
	asked: AskedBody,
): TermResult<WithBody> => ({
	test({received}) {
		const body = received?.();
		return body !== undefined && test(body);
	},
	condition: {kind: 'body', ...asked},
	readsBody: true,
});

/**
 * What a word of a filter asks of one field, as data: whoever has many rows may ask them with it before an item is made of each. Fields have the names
 * of the terms that bring them.
 */
export type Condition = {
	/** It must not hold. */
	readonly isNegated?: boolean;
} & (
	| {
			/** One of the patterns fits, as `textTerm` says; they are in lower case. */
			readonly kind: 'text';
			readonly field: string;
			readonly patterns: readonly string[];
	  }
	| {
			readonly kind: 'number';
			readonly field: string;
			/** At least this; exclusive with `isOver`. */
			readonly from?: number;
			/** At most this; exclusive with `isUnder`. */
			readonly to?: number;
			readonly isOver?: boolean;
			readonly isUnder?: boolean;
	  }
	/** At least what `from` says for the present, milliseconds since 1970. */
	| {readonly kind: 'since'; readonly field: string; readonly from: (now: number) => number}
	/** The text, in lower case, stands in the haystack. */
	| {readonly kind: 'word'; readonly text: string}
	/** Something was received and is kept. A word that reads it says nothing more here; the negation of it says nothing at all. */
	| ({readonly kind: 'body'} & AskedBody)
);

/** What stands in a body that a word lets pass, unless JSON or a form writes it in other letters. */
export type AskedBody = {
	/** In lower case, whatever the case of the body. */
	readonly text?: string;
	/** A field of the payload. */
	readonly field?: {
		/** Names of fields that lead to it; numbers may be places in lists. */
		readonly path: readonly string[];
		/** One of the patterns fits it, as `payloadTerm` says; they are in lower case. */
		readonly patterns?: readonly string[];
	};
};
