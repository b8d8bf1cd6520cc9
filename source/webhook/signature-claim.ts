import {type KeyObject, createHash, createHmac, timingSafeEqual, verify} from 'node:crypto';
import type {Route} from '../config/route.ts';
import type {TimeFormat} from '../config/senders/sender.ts';
import type {SenderName} from '../config/senders/senders.ts';
import type {RequestHeaders} from './request-content.ts';
import type {SignatureKeys} from './signature.ts';

export type SignatureScheme =
	| 'standard-webhooks'
	| 'hub-256'
	| 'token'
	| 'v2'
	| 'v1'
	| SenderName
	| 'custom';

/** A received request. `body` is the raw body: signatures are computed over bytes, never over decoded text. */
export type SignedRequest = {
	readonly headers: RequestHeaders;
	readonly body: Buffer;
	/** The query with its question mark; absent if there is none. */
	readonly query?: string;
};

/** The URL of `request` as the sender knows it: `public_url` of the route with the received query. */
export function addressOf(
	{publicUrl}: Pick<Route, 'publicUrl'>,
	{query = ''}: SignedRequest,
): string | undefined {
	return publicUrl === undefined ? undefined : publicUrl.replace(/\?.*$/, '') + query;
}

/** `detail` is for the operator, never for the client. It holds no untrusted text. */
export type SignatureVerdict =
	| {
			readonly ok: true;
			readonly scheme: SignatureScheme;
			readonly detail: string;
			/** The header of the delivery identifier that the signature covers; absent for schemes that sign none. */
			readonly signedIdHeader?: string;
	  }
	| {readonly ok: false; readonly detail: string};

/** How far a signed timestamp may be before or after the server's clock, seconds. @see manual/receiver.md#settings */
const toleranceSeconds = 300;

const wholeSeconds = /^\d{1,12}$/;

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Why a signed time is refused; `undefined`: it is accepted. Seconds are 1 to 12 digits. `header`: the name of the header or item with the time, for the sentence. */
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
	if (format !== 'iso' && wholeSeconds.test(text)) {
		return Number(text);
	}

	if (format === 'any' && milliseconds.test(text)) {
		return Math.floor(Number(text) / 1000);
	}

	const time = format !== undefined && isoTime.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

/** A clock skew in words; `skew` and `most` in seconds. */
export const describeSkew = (skew: number, most: number): string =>
	`skew ${skew > 0 ? '+' : ''}${skew} s, at most ${most} s either side`;

/** Names as people write them. */
export const algorithmNames: Readonly<Record<HmacAlgorithm, string>> = {
	sha1: 'SHA-1',
	sha256: 'SHA-256',
	sha512: 'SHA-512',
};

/** The expected form of a signature in words: `a SHA-256 digest in hex after "sha256="`. */
export const describeForm = ({
	algorithm,
	form: {prefix, encoding, isEd25519},
}: Pick<HmacClaim, 'algorithm' | 'form'>): string =>
	`${isEd25519 ? 'an Ed25519 signature' : `a ${algorithmNames[algorithm]} digest`} in ${encoding}${prefix === '' ? '' : ` after "${prefix}"`}`;

export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha512';

export type DigestEncoding = 'hex' | 'base64';

/** Bytes of a digest. */
export const digestSizes: Readonly<Record<HmacAlgorithm, number>> = {
	sha1: 20,
	sha256: 32,
	sha512: 64,
};

/** Decodes a digest of `size` bytes; `undefined` for any other text. Hex in either case; base64 only in canonical form. */
export function decodeDigest(
	text: string,
	encoding: DigestEncoding,
	size: number,
): Buffer | undefined {
	const length = encoding === 'hex' ? size * 2 : Math.ceil(size / 3) * 4;
	if (text.length !== length) {
		return undefined;
	}

	// `Buffer` stops at an invalid hex digit, ignores invalid base64 characters, and decodes several base64 texts to the same bytes.
	const bytes = Buffer.from(text, encoding);
	const isWhole =
		bytes.length === size && (encoding === 'hex' || bytes.toString(encoding) === text);
	return isWhole ? bytes : undefined;
}

/** The signed text around the body. */
type SignedContent = {
	readonly algorithm: HmacAlgorithm;
	/** Latin-1, as header values on the wire. */
	readonly before: string;
	readonly after: string;
};

/** HMAC of `before`, the raw body and `after`. */
export function hmacOf(
	key: KeyObject,
	{algorithm, before, after}: SignedContent,
	body: Buffer,
): Buffer {
	const hmac = createHmac(algorithm, key);
	if (before !== '') {
		hmac.update(before, 'latin1');
	}

	hmac.update(body);
	if (after !== '') {
		hmac.update(after, 'latin1');
	}

	return hmac.digest();
}

/** Compares digests of equal length in constant time. */
export const sameDigest = (left: Buffer, right: Buffer): boolean =>
	left.length === right.length && timingSafeEqual(left, right);

/** A signature as read from a request, with what it should cover. Nothing is verified yet. */
export type HmacClaim = SignedContent & {
	readonly scheme: Exclude<SignatureScheme, 'token'>;
	/** Lower-case name of the header that holds the signature. */
	readonly header: string;
	/** The form of a digest in the header. */
	readonly form: {
		readonly prefix: string;
		readonly encoding: DigestEncoding;
		readonly isEd25519?: true;
	};
	/** The digests in the header, of which one has to be valid. Empty if none has the expected form. */
	readonly digests: readonly Buffer[];
	/** Ed25519 signatures of the same content, of which one has to be valid. */
	readonly ed25519Signatures: readonly Buffer[];
	/** The list in `SignatureKeys` that the digests are checked with. */
	readonly keys: 'standard' | 'plain' | 'literal';
	/** Absent for schemes without a signed time. */
	readonly timestamp?: {
		readonly header: string;
		readonly text: string | undefined;
		readonly format?: TimeFormat;
	};
	/** Makes the signed content, for schemes that do not sign the body itself; `undefined` never matches. */
	readonly contentOf?: (body: Buffer) => string | undefined;
	/** Checks a body whose signature is valid; returns why it is refused all the same. */
	readonly problemOfBody?: (body: Buffer, nowMs: number) => string | undefined;
	readonly signedIdHeader?: string;
};

/** A header with the secret itself; only its digest is kept. */
export type TokenClaim = {
	readonly scheme: 'token';
	readonly header: string;
	/** The configured prefix of the secret. */
	readonly prefix?: string;
	/** The configured prefix, set when the value of the header lacks it. */
	readonly lacksPrefix?: string;
	readonly digest: Buffer;
};

export type Claim = HmacClaim | TokenClaim;

/** A claim, or why there is none. */
export type ClaimReading = {readonly claim: Claim} | {readonly problem: string};

/** A signature scheme: its header, and how to read the value. */
export type Scheme = {
	/** Lower case. */
	readonly header: string;
	/** `url`: the URL as the sender knows it, where the route has a `public_url`. */
	readonly read: (value: string, headers: RequestHeaders, url?: string) => ClaimReading;
};

/** A token scheme under `header`. Tokens are hashed, so that the time of a comparison does not depend on their length. */
export const tokenScheme = (header: string): Scheme => ({
	header,
	read: value => ({
		claim: {
			scheme: 'token',
			header,
			digest: createHash('sha256').update(value, 'latin1').digest(),
		},
	}),
});

/** The position (from 1) of the secret that confirms `claim` for `body`; 0: none does. Does not check timestamps. */
export function positionOfMatch(claim: Claim, keys: SignatureKeys, body: Buffer): number {
	if (claim.scheme === 'token') {
		return claim.lacksPrefix === undefined
			? (keys.tokens.find(({value}) => sameDigest(value, claim.digest))?.position ?? 0)
			: 0;
	}

	return positionOfDigest(claim, keys, body) || positionOfEd25519(claim, keys, body);
}

function positionOfDigest(claim: HmacClaim, keys: SignatureKeys, body: Buffer): number {
	const {digests} = claim;
	const said = claim.contentOf?.(body);
	if (digests.length === 0 || (claim.contentOf && said === undefined)) {
		return 0;
	}

	const content = said === undefined ? body : Buffer.from(said);

	for (const {value, position} of keys[claim.keys]) {
		const digest = hmacOf(value, claim, content);
		if (digests.some(claimed => sameDigest(claimed, digest))) {
			return position;
		}
	}

	return 0;
}

function positionOfEd25519(
	{ed25519Signatures, before}: HmacClaim,
	keys: SignatureKeys,
	body: Buffer,
): number {
	if (ed25519Signatures.length === 0 || keys.publicKeys.length === 0) {
		return 0;
	}

	const content = Buffer.concat([Buffer.from(before, 'latin1'), body]);
	const key = keys.publicKeys.find(({value}) =>
		ed25519Signatures.some(signature => verify(null, content, value, signature)),
	);
	return key?.position ?? 0;
}
