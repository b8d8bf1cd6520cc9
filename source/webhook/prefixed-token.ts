import {createHash} from 'node:crypto';
import type {TokenForm} from '../config/senders/sender.ts';
import type {Scheme, TokenClaim} from './signature-claim.ts';

/**
 * A header that is the secret itself, behind a prefix whose case does not matter (RFC 9110 §11.1). Only the digest of the secret is kept. What follows `Basic` is decoded: there the
 * secret is `user:password` (RFC 7617).
 *
 * @see manual/signatures.md#tokens
 */
export const prefixedTokenScheme = ({header, prefix}: TokenForm): Scheme => {
	const wanted = prefix.trim().toLowerCase();
	return {
		header,
		read: value => ({
			claim: value.toLowerCase().startsWith(wanted)
				? tokenClaim(header, prefix, value.slice(wanted.length).trimStart())
				: {...tokenClaim(header, prefix, value), lacksPrefix: wanted},
		}),
	};
};

/** The claim that a header makes which lacks its prefix: what stands there alone, or behind another word. */
export function withoutPrefix({header, prefix = ''}: TokenClaim, value: string): TokenClaim {
	const word = value.lastIndexOf(' ');
	return tokenClaim(header, prefix, value.slice(word + 1));
}

function tokenClaim(header: string, prefix: string, token: string): TokenClaim {
	const decoded =
		prefix.trim().toLowerCase() === 'basic' ? Buffer.from(token, 'base64') : undefined;
	// Decoding takes several texts for the same bytes.
	const bytes = decoded?.toString('base64') === token ? decoded : Buffer.from(token, 'latin1');
	return {scheme: 'token', header, prefix, digest: createHash('sha256').update(bytes).digest()};
}

/** What a sender writes into the header. */
export function tokenText({prefix}: TokenForm, secret: string): string {
	const scheme = prefix.trim();
	const token = scheme.toLowerCase() === 'basic' ? Buffer.from(secret).toString('base64') : secret;
	return /\w$/.test(scheme) ? `${scheme} ${token}` : `${prefix}${token}`;
}
