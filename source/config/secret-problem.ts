/** Standard Webhooks: what follows is the base64 of a key; of a public one (ed25519) after `whpk_`. */
export const keyPrefix = 'whsec_';
export const publicPrefix = 'whpk_';
const publicKeyBytes = 32;

/** A request with a wrong signature is compared with all of them. */
const maxSecrets = 20;

/** An Ed25519 signature costs as much as ten HMACs. */
const maxPublicKeys = 5;

/** Bytes: a shorter key can be guessed. */
const minKeyBytes = 8;

/**
 * The key that `whsec_` and base64 stand for, at least 8 bytes. `undefined` for any other secret, also for one that is not strictly base64 after it: a lenient decoder stops at
 * the first `=`, and what it has by then may be a single byte.
 */
export function decodedKeyOf(secret: string): Buffer | undefined {
	const bytes = secret.startsWith(keyPrefix) ? bytesOf(secret.slice(keyPrefix.length)) : undefined;
	return bytes && bytes.length >= minKeyBytes ? bytes : undefined;
}

const hexKey = /^[0-9a-f]{64}$/i;

/**
 * Why `secret` could never verify anything, or would let anybody guess it: what follows a complaint about a route. `undefined`: it may. Holds nothing of the secret. Where the route
 * says how its sender signs (`hasSignature`), a secret is used as it is written.
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
		/** The sender signs with a key whose public part is the secret, in hex. */
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

/** Why a route cannot have all of these secrets: it has more than 20, or more than 5 public keys, which with `isHexKey` all are. What follows a complaint about it; `undefined`: it may. */
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

/** What standard base64, padded or not, stands for; `undefined` for anything else and for nothing. */
function bytesOf(encoded: string): Buffer | undefined {
	const [, digits = '', padding = ''] = /^([A-Za-z0-9+/]+)(={0,2})$/.exec(encoded) ?? [];
	const isWhole = padding === '' || (digits.length + padding.length) % 4 === 0;
	return digits !== '' && digits.length % 4 !== 1 && isWhole
		? Buffer.from(digits, 'base64')
		: undefined;
}
