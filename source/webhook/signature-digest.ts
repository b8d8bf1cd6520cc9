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

/** The digest of `size` bytes that `text` is; `undefined` when it is anything else. Hex of either case, base64 with or without padding. */
export function decodeDigest(
	text: string,
	encoding: DigestEncoding,
	size: number,
): Buffer | undefined {
	const isRightLength =
		encoding === 'hex' ? text.length === size * 2 : text.length <= Math.ceil(size / 3) * 4;
	if (!isRightLength) {
		return undefined;
	}

	// Decoding stops at, or leaves out, what is no digit: the result is too short then.
	const bytes = Buffer.from(text, encoding);
	return bytes.length === size ? bytes : undefined;
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
