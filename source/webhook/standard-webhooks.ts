import {headerOf} from './headers.ts';
import type {Scheme} from './signature-claim.ts';
import {decodeDigest, digestSizes} from './signature-digest.ts';

const prefix = 'v1,';

const ed25519Prefix = 'v1a,';

const ed25519Bytes = 64;

/** More signatures than a rotation ever holds; a header of 16 KiB must not cost hundreds of comparisons. */
const maxSignatures = 16;

/** Each costs as much as ten HMACs, for every public key. */
const maxEd25519Signatures = 4;

/**
 * Standard Webhooks under either family of header names: `<id>.<timestamp>.<raw body>`. Of the space-separated list any `v1` (HMAC-SHA256, `whsec_`) and any
 * `v1a` (Ed25519, `whpk_`; the first 4) passes. The family of the signature header gives the other two headers as well.
 *
 * @see manual/signatures.md#schemes, manual/receiver.md#order-of-decisions
 */
export function standardScheme(family: 'svix' | 'webhook'): Scheme {
	const header = `${family}-signature`;
	const idHeader = `${family}-id`;
	const timestampHeader = `${family}-timestamp`;

	return {
		header,
		read(value, headers) {
			const id = headerOf(headers, idHeader);
			if (!id) {
				return {problem: `${idHeader} is missing`};
			}

			const timestamp = headerOf(headers, timestampHeader);
			const items = value.split(' ', maxSignatures);
			return {
				claim: {
					scheme: 'standard-webhooks',
					header,
					algorithm: 'sha256',
					form: {prefix, encoding: 'base64'},
					digests: decodeItems(items, prefix, digestSizes.sha256),
					ed25519Signatures: decodeItems(items, ed25519Prefix, ed25519Bytes).slice(
						0,
						maxEd25519Signatures,
					),
					before: `${id}.${timestamp ?? ''}.`,
					after: '',
					keys: 'standard',
					timestamp: {header: timestampHeader, text: timestamp},
					signedIdHeader: idHeader,
				},
			};
		},
	};
}

const decodeItems = (
	items: readonly string[],
	itemPrefix: string,
	size: number,
): readonly Buffer[] =>
	items.flatMap(item => {
		const bytes = item.startsWith(itemPrefix)
			? decodeDigest(item.slice(itemPrefix.length), 'base64', size)
			: undefined;
		return bytes === undefined ? [] : [bytes];
	});
