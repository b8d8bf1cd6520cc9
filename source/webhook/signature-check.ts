import type {SenderName} from '../config/senders/senders.ts';
import type {RequestHeaders} from './headers.ts';

export type SignatureScheme =
	| 'standard-webhooks'
	| 'hub-256'
	| 'token'
	| 'v2'
	| 'v1'
	| SenderName
	| 'custom';

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

/** Seconds that a signed timestamp may differ from the server's clock, either side. @see manual/receiver.md#settings */
const toleranceSeconds = 300;

const maxTimestampLength = 12;

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
		: `${header}: ${describeSkew(skew, toleranceSeconds)}`;
}

/** A skew for a sentence; both in seconds. */
export const describeSkew = (skew: number, most: number): string =>
	`skew ${skew > 0 ? '+' : ''}${skew} s, at most ${most} s either side`;

function isDigits(text: string): boolean {
	if (text.length === 0 || text.length > maxTimestampLength) {
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
