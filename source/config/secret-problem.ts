/** Prefixes of Standard Webhooks: base64 of a secret key follows `whsec_`, base64 of a public Ed25519 key `whpk_`. */
export const keyPrefix = 'whsec_';
export const publicPrefix = 'whpk_';
const publicKeyBytes = 32;

/** Most secrets of a route: a request with a wrong signature is compared with all of them. */
const maxSecrets = 20;

/** Most public keys of a route: an Ed25519 signature costs as much as ten HMACs. */
const maxPublicKeys = 5;

/** Shortest key in bytes: shorter ones can be guessed. */
const minKeyBytes = 8;

/**
 * The key that follows `whsec_` in base64, at least 8 bytes. `undefined` for any other secret, and for invalid base64: a lenient decoder stops at the first `=`, perhaps
 * after a single byte.
 */
export function decodedKeyOf(secret: string): Buffer | undefined {
	const bytes = secret.startsWith(keyPrefix) ? bytesOf(secret.slice(keyPrefix.length)) : undefined;
	return bytes && bytes.length >= minKeyBytes ? bytes : undefined;
}

const hexKey = /^[0-9a-f]{64}$/i;

/**
 * Why `secret` could never verify a signature, or could be guessed, as part of a complaint about a route; `undefined`: it is usable. Does not repeat the secret. With
 * `hasSignature` (the route configures the signature of its sender) a secret is used as written.
 *
 * @see manual/signatures.md#schemes
 */
export function problemWithSecret(
	secret: string,
	{
		hasSignature,
		isHexKey = false,
	}: {
		readonly hasSignature: boolean;
		/** The secret is a public key in hex, with which the sender's signatures are verified. */
		readonly isHexKey?: boolean;
	},
): string | undefined {
	if (isHexKey) {
		return hexKey.test(secret)
			? undefined
			: 'a secret that is no public key of 64 hex digits: copy it from the sender';
	}

	if (secret.startsWith(publicPrefix)) {
		return hasSignature
			? `a public key ("${publicPrefix}") beside "signature": only Standard Webhooks signs with one`
			: problemWithPublicKey(secret.slice(publicPrefix.length));
	}

	return hasSignature || !secret.startsWith(keyPrefix)
		? undefined
		: problemWithKey(secret.slice(keyPrefix.length));
}

/**
 * Why a route cannot have all of these secrets, as part of a complaint about it: more than 20, or more than 5 public keys (with `isHexKey` all are public keys).
 * `undefined`: it can.
 */
export function problemWithSecrets(
	secrets: readonly string[],
	{isHexKey}: {readonly isHexKey: boolean},
): string | undefined {
	const publicKeys = secrets.filter(secret => isHexKey || secret.startsWith(publicPrefix)).length;
	if (publicKeys > maxPublicKeys) {
		const form = isHexKey ? '64 hex digits' : `"${publicPrefix}"`;
		return `${publicKeys} public keys (${form}), at most ${maxPublicKeys} are allowed`;
	}

	return secrets.length > maxSecrets
		? `${secrets.length} secrets, at most ${maxSecrets} are allowed`
		: undefined;
}

function problemWithKey(encoded: string): string | undefined {
	const bytes = bytesOf(encoded);
	if (!bytes) {
		return `a secret with "${keyPrefix}" that is not base64 after it: copy it again from the sender`;
	}

	return bytes.length < minKeyBytes
		? `a secret with "${keyPrefix}" that is the base64 of fewer than ${minKeyBytes} bytes, which can be guessed: copy it again from the sender`
		: undefined;
}

const problemWithPublicKey = (encoded: string): string | undefined =>
	bytesOf(encoded)?.length === publicKeyBytes
		? undefined
		: `a secret with "${publicPrefix}" that is not the base64 of a public key of ${publicKeyBytes} bytes after it: copy it again from the sender`;

/** The decoded bytes of standard base64, padded or not; `undefined` for any other text and for an empty one. */
function bytesOf(encoded: string): Buffer | undefined {
	const [, digits = '', padding = ''] = /^([A-Za-z0-9+/]+)(={0,2})$/.exec(encoded) ?? [];
	const isWhole = padding === '' || (digits.length + padding.length) % 4 === 0;
	return digits !== '' && digits.length % 4 !== 1 && isWhole
		? Buffer.from(digits, 'base64')
		: undefined;
}
