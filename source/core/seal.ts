import {
	createCipheriv,
	createDecipheriv,
	randomBytes,
	scrypt,
	type ScryptOptions,
} from 'node:crypto';
import {promisify} from 'node:util';

/** Prefix of a sealed text, with the format version; nonce, tag and ciphertext follow in base64url. */
const sealedPrefix = 'svc-sealed:1:';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts texts with one key. */
export type Sealer = {
	/** Encrypts `text` to `svc-sealed:1:…`, which can be decrypted only with the same `place`. */
	seal(text: string, place: readonly string[]): string;
	/** Decrypts a sealed text; `undefined` for another key, another place, or a changed text. */
	open(sealed: string, place: readonly string[]): string | undefined;
};

/** Whether a value is a sealed text. */
export const isSealed = (text: unknown): text is string =>
	typeof text === 'string' && text.startsWith(sealedPrefix);

/**
 * AES-256-GCM with a random nonce for each text; the key is derived from `password` and `salt` by scrypt (N = 2^15, 32 MiB, about 80 ms).
 *
 * @see NIST SP 800-38D, RFC 7914
 */
export async function createSealer(password: string, salt: string): Promise<Sealer> {
	const key = await deriveKey(password, salt);
	return {
		seal(text, place) {
			const nonce = randomBytes(nonceBytes);
			const encrypt = createCipheriv(cipher, key, nonce).setAAD(contextOf(place));
			const body = [encrypt.update(text, 'utf8'), encrypt.final()];
			const sealed = Buffer.concat([nonce, encrypt.getAuthTag(), ...body]);
			return `${sealedPrefix}${sealed.toString('base64url')}`;
		},
		open(sealed, place) {
			const bytes = Buffer.from(sealed.slice(sealedPrefix.length), 'base64url');
			const bodyAt = nonceBytes + tagBytes;
			if (!isSealed(sealed) || bytes.length < bodyAt) {
				return undefined;
			}

			try {
				const decrypt = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
					.setAAD(contextOf(place))
					.setAuthTag(bytes.subarray(nonceBytes, bodyAt));
				const body = [decrypt.update(bytes.subarray(bodyAt)), decrypt.final()];
				return Buffer.concat(body).toString('utf8');
			} catch {
				return undefined;
			}
		},
	};
}

const contextOf = (place: readonly string[]): Buffer => Buffer.from(JSON.stringify(place));

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

const deriveKey = async (password: string, salt: string): Promise<Buffer> =>
	derive(password.normalize('NFC'), salt, keyBytes, {N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26});
