import {createHmac, timingSafeEqual} from 'node:crypto';
import type {KeyObject} from 'node:crypto';

export type HmacAlgorithm = 'sha1' | 'sha256' | 'sha512';

export type DigestEncoding = 'hex' | 'base64';

/** Bytes of a digest. */
export const digestSizes: Readonly<Record<HmacAlgorithm, number>> = {
	sha1: 20,
	sha256: 32,
	sha512: 64,
};

/** The digest of `size` bytes that `text` is; `undefined` when it is anything else. Hex of either case; base64 exactly as it is written. */
export function decodeDigest(
	text: string,
	encoding: DigestEncoding,
	size: number,
): Buffer | undefined {
	const length = encoding === 'hex' ? size * 2 : Math.ceil(size / 3) * 4;
	if (text.length !== length) {
		return undefined;
	}

	// Decoding hex stops at what is no digit. Decoding base64 takes other characters too, and several texts for the same bytes.
	const bytes = Buffer.from(text, encoding);
	const isWhole =
		bytes.length === size && (encoding === 'hex' || bytes.toString(encoding) === text);
	return isWhole ? bytes : undefined;
}

/** What is signed beside the body. */
export type SignedContent = {
	readonly algorithm: HmacAlgorithm;
	/** One byte a character, as header text is on the wire. */
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
