import type {StoredDelivery} from '../delivery.ts';
import {isDeepValue, type JsonValue, isJsonObject, parsedJson} from '../json.ts';
import {codeHostPayload, compilePayloadPath} from '../payload.ts';
import type {FilterOperator, Term, TermResult} from './filter.ts';
import {compares, fitsAny, patternsOf} from './terms.ts';

/** Largest body that is parsed: parsing takes up to thirty times its size in memory, and a search thread that exceeds its 256 MiB ends the whole process. */
const maxPayloadBytes = 2 * 1024 * 1024;

/** Most bytes of a body that are searched as text. */
const maxTextBytes = 8 * 1024 * 1024;

/** A received body, decoded on first use. */
export type ReceivedBody = {
	/** The first 8 MiB of the body as text. */
	text(): string;
	/** The body as JSON; `undefined` for invalid JSON, and above 2 MiB. */
	payload(): JsonValue | undefined;
};

/** An item that may have a received body. */
type WithBody = {readonly received?: (() => ReceivedBody | undefined) | undefined};

/** Prepares the body of a delivery for terms; `undefined` if the body was not kept. */
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

/** `payload.pull_request.draft:true`: texts are compared as by `textTerm`, numbers, `true`, `false` and `null` by their JSON; `*` tests for presence. */
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

/** Makes the test of a field, or returns the problem as a string. */
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

/** The JSON of a list or an object; empty if it is nested too deeply, since that would exhaust the stack and end every search. */
const textIn = (field: JsonValue): string => (isDeepValue(field) ? '' : JSON.stringify(field));

/** `~ text`: searches the received body, and the texts of its payload. */
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

		/** Whether the parsed payload contains the text, which the body may contain only in escaped form. */
		function isTold(received: ReceivedBody): boolean {
			const payload = received.payload();
			return payload !== undefined && holdsText(payload, wanted);
		}
	},
};

/** Whether a text or the name of a field in `payload` contains `wanted`, at any depth. */
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
			// Pushes one by one: a list may have more elements than a call may have arguments.
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
 * A word of a filter as data, with which a store can select rows before it builds items from them. Fields have the names
 * of their terms.
 */
export type Condition = {
	/** Whether the condition must not hold. */
	readonly isNegated?: boolean;
} & (
	| {
			/** Lower-case patterns, one of which must fit as in `textTerm`. */
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
	/** At least `from(now)`, milliseconds since 1970. */
	| {readonly kind: 'since'; readonly field: string; readonly from: (now: number) => number}
	/** The haystack contains the lower-case text. */
	| {readonly kind: 'word'; readonly text: string}
	/** The body was kept, and contains the parts in `AskedBody`. If negated, every item meets the condition. */
	| ({readonly kind: 'body'} & AskedBody)
);

/** Parts that every matching body contains, unless JSON or a form encodes them differently. */
export type AskedBody = {
	/** Lower-case text; case does not count. */
	readonly text?: string;
	/** A field of the payload. */
	readonly field?: {
		/** The names on the path of the field; numbers may be list indexes. */
		readonly path: readonly string[];
		/** Lower-case patterns, one of which must fit as in `payloadTerm`. */
		readonly patterns?: readonly string[];
	};
};
