import {createHmac, timingSafeEqual} from 'node:crypto';
import type {KeyObject} from 'node:crypto';
import type {RequestHeaders} from './headers.ts';
import type {SignatureKeys} from './signature-keys.ts';

export type SignatureScheme = 'standard-webhooks' | 'hub-256' | 'token' | 'v2' | 'v1';

/** What came in. `body` is the raw body: signatures are computed over bytes, never over decoded text. */
export type SignedRequest = {readonly headers: RequestHeaders; readonly body: Buffer};

/** `detail` is for the person at the terminal, never for the client. It holds nothing that a stranger wrote. */
export type SignatureVerdict =
	| {
			readonly ok: true;
			readonly scheme: SignatureScheme;
			readonly detail: string;
			/** The header of the delivery identifier that the signature covers; absent for schemes that sign none. */
			readonly signedIdHeader?: string;
	  }
	| {readonly ok: false; readonly detail: string};

/** Checks one scheme whose header is present with `value`. */
export type SignatureCheck = (question: {
	readonly value: string;
	readonly header: string;
	readonly request: SignedRequest;
	readonly keys: SignatureKeys;
	readonly nowMs: number;
}) => SignatureVerdict;

/** Seconds that a signed timestamp may differ from the server's clock, either side. @see Interface 8 */
const toleranceSeconds = 300;

const longestTimestamp = 12;

const zero = 0x30;

const nine = 0x39;

/** `undefined` when `timestamp` is acceptable, else why not. Only digits, at most 12 of them. */
export function problemOfTimestamp(
	timestamp: string | undefined,
	header: string,
	nowMs: number,
): string | undefined {
	if (timestamp === undefined) {
		return `${header} is missing`;
	}

	if (!isDigits(timestamp)) {
		return `${header} is not a number of seconds`;
	}

	const skew = Number(timestamp) - Math.floor(nowMs / 1000);
	return Math.abs(skew) <= toleranceSeconds
		? undefined
		: `${header}: skew ${skew > 0 ? '+' : ''}${skew} s, at most ${toleranceSeconds} s either side`;
}

function isDigits(text: string): boolean {
	if (text.length === 0 || text.length > longestTimestamp) {
		return false;
	}

	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code < zero || code > nine) {
			return false;
		}
	}

	return true;
}

const digestBytes = 32;

/** The 32 bytes of a hex digest; `undefined` when `text` is anything else. */
export function digestOfHex(text: string): Buffer | undefined {
	if (text.length !== digestBytes * 2) {
		return undefined;
	}

	// Decoding stops at the first character that is no hex digit.
	const bytes = Buffer.from(text, 'hex');
	return bytes.length === digestBytes ? bytes : undefined;
}

/** HMAC-SHA256 of `prefix` (header text, one byte a character as on the wire) followed by the body. */
export function digestOf(key: KeyObject, prefix: string, body: Buffer): Buffer {
	const hmac = createHmac('sha256', key);
	if (prefix !== '') {
		hmac.update(prefix, 'latin1');
	}

	return hmac.update(body).digest();
}

/** Compares digests of equal length in constant time. */
export const sameDigest = (left: Buffer, right: Buffer): boolean =>
	left.length === right.length && timingSafeEqual(left, right);
