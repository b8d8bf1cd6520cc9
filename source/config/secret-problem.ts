/** Standard Webhooks: what follows is the base64 of a key; of a public one (ed25519) after `whpk_`. */
export const keyPrefix = 'whsec_';
export const publicPrefix = 'whpk_';
const publicKeyBytes = 32;

/**
 * Why `secret` could never verify anything: what follows a complaint about a route. `undefined`: it may. Holds nothing of the secret. Where the route says how its sender signs
 * (`hasSignature`), a secret is used as it is written.
 *
 * @see Decisions 3
 */
export function problemWithSecret(
	secret: string,
	{hasSignature}: {readonly hasSignature: boolean},
): string | undefined {
	if (secret.startsWith(publicPrefix)) {
		return hasSignature
			? `a public key ("${publicPrefix}") beside "signature": only Standard Webhooks signs with one`
			: problemWithPublicKey(secret.slice(publicPrefix.length));
	}

	return hasSignature || !secret.startsWith(keyPrefix) || bytesOf(secret.slice(keyPrefix.length))
		? undefined
		: `a secret with "${keyPrefix}" that is not base64 after it: copy it again from the sender`;
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
