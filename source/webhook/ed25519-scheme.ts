import type {Ed25519Form} from '../config/senders/sender.ts';
import type {SenderName} from '../config/senders/senders.ts';
import {headerOf} from './headers.ts';
import type {Scheme} from './signature-claim.ts';
import {decodeDigest} from './signature-digest.ts';

const signatureBytes = 64;

/** An Ed25519 signature of `<timestamp><body>` in one header. The secrets of such a route are public keys: none of them is the key of an HMAC. */
export const ed25519Scheme = (
	scheme: SenderName | 'custom',
	{header, timestampHeader}: Ed25519Form,
): Scheme => ({
	header,
	read(value, headers) {
		const text = headerOf(headers, timestampHeader);
		const signature = decodeDigest(value, 'hex', signatureBytes);
		return {
			claim: {
				scheme,
				header,
				algorithm: 'sha512',
				form: {prefix: '', encoding: 'hex', isEd25519: true},
				digests: [],
				ed25519Signatures: signature ? [signature] : [],
				before: text ?? '',
				after: '',
				keys: 'literal',
				timestamp: {header: timestampHeader, text},
			},
		};
	},
});
