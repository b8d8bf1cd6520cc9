import type {Route} from '../config/route.ts';
import type {TimeFormat} from '../config/senders/sender.ts';
import type {SenderName} from '../config/senders/senders.ts';
import type {RequestHeaders} from './request-content.ts';

export type SignatureScheme =
	| 'standard-webhooks'
	| 'hub-256'
	| 'token'
	| 'v2'
	| 'v1'
	| SenderName
	| 'custom';

/** What came in. `body` is the raw body: signatures are computed over bytes, never over decoded text. */
export type SignedRequest = {
	readonly headers: RequestHeaders;
	readonly body: Buffer;
	/** With its question mark; absent without one. */
	readonly query?: string;
};

/** The address of `request` as its sender knows it: what the route says, with the query that came. */
export function addressOf(
	{publicUrl}: Pick<Route, 'publicUrl'>,
	{query = ''}: SignedRequest,
): string | undefined {
	return publicUrl === undefined ? undefined : publicUrl.replace(/\?.*$/, '') + query;
}

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

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** `undefined` when the time is acceptable, else why not. Seconds: only digits, at most 12 of them. `header` says where the time stands. */
export function problemOfTimestamp(
	{
		text,
		header,
		format,
	}: {readonly text: string | undefined; readonly header: string; readonly format?: TimeFormat},
	nowMs: number,
): string | undefined {
	if (text === undefined) {
		return `${header} is missing`;
	}

	const seconds = secondsOf(text, format);
	if (seconds === undefined) {
		return `${header} is not a ${timeNames[format ?? 'seconds']}`;
	}

	const skew = seconds - Math.floor(nowMs / 1000);
	return Math.abs(skew) <= toleranceSeconds
		? undefined
		: `${header}: ${describeSkew(skew, toleranceSeconds)}`;
}

const timeNames: Readonly<Record<TimeFormat | 'seconds', string>> = {
	seconds: 'number of seconds',
	iso: 'time such as 2026-12-24T18:00:00Z',
	any: 'number of seconds or milliseconds, nor a time such as 2026-12-24T18:00:00Z',
};

const milliseconds = /^\d{13}$/;

function secondsOf(text: string, format: TimeFormat | undefined): number | undefined {
	if (format !== 'iso' && isDigits(text)) {
		return Number(text);
	}

	if (format === 'any' && milliseconds.test(text)) {
		return Math.floor(Number(text) / 1000);
	}

	const time = format !== undefined && isoTime.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
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
