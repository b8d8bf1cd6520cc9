import {hash, randomBytes} from 'node:crypto';
import {crc32} from 'node:zlib';
import type {KeyKind} from './api-key.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = digits.length;
const randomLength = 30;
const checksumLength = 6;
/** The largest multiple of 62 that a byte can be below: bytes above it would make some digits more likely. */
const evenBytes = 256 - (256 % base);

/** What `api.key_prefix` may be. */
export const keyPrefixPattern = /^[a-z][a-z0-9]{0,15}$/;

const keyPattern = /^[a-z][a-z0-9]{0,15}_(?<kind>live|test)_[0-9A-Za-z]{36}$/;

/** The longest key, in characters; nothing longer is looked at. */
export const maxKeyLength = 16 + '_live_'.length + randomLength + checksumLength;

/**
 * A new key: `<prefix>_live_` or `<prefix>_test_`, 30 random characters of base 62 (178 bits), and the CRC-32 of all that as six more, so that a key that was cut or
 * mistyped is known without asking anywhere.
 *
 * @see manual/api-keys.md#what-a-key-looks-like
 */
export function mintKey({kind, prefix}: {readonly kind: KeyKind; readonly prefix: string}): string {
	const start = `${prefix}_${kind}_${randomDigits(randomLength)}`;
	return `${start}${checksumOf(start)}`;
}

/** A new identifier of a key: public, short enough to be typed. */
export const mintKeyId = (): string => `key_${randomDigits(12)}`;

/** Which kind a text is that has the form and the checksum of a key, whoever made it. */
export function kindOfKey(text: string): KeyKind | undefined {
	const kind = text.length > maxKeyLength ? undefined : keyPattern.exec(text)?.groups?.['kind'];
	const start = text.slice(0, -checksumLength);
	if ((kind !== 'live' && kind !== 'test') || text !== `${start}${checksumOf(start)}`) {
		return undefined;
	}

	return kind;
}

/** Lower-case hex SHA-256: a key has too much chance in it to be guessed, so that no slow hash is needed. */
export const hashOfKey = (key: string): string => hash('sha256', key);

/** For a person to know it again: `svc_live_pdvC…fuC0`. */
export function hintOfKey(key: string): string {
	const start = key.lastIndexOf('_') + 1;
	return `${key.slice(0, start + 4)}…${key.slice(-4)}`;
}

function checksumOf(text: string): string {
	let rest = crc32(text);
	let result = '';
	for (let place = 0; place < checksumLength; place += 1) {
		result = `${digits[rest % base]}${result}`;
		rest = Math.floor(rest / base);
	}

	return result;
}

function randomDigits(length: number): string {
	let result = '';
	while (result.length < length) {
		for (const byte of randomBytes(length)) {
			if (byte < evenBytes && result.length < length) {
				result += digits[byte % base];
			}
		}
	}

	return result;
}
