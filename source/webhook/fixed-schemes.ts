import type {Ed25519Form} from '../config/senders/sender.ts';
import type {SenderName} from '../config/senders/senders.ts';
import {headerOf} from './request-content.ts';
import {type HmacClaim, type Scheme, decodeDigest, digestSizes} from './signature-claim.ts';

const hubPrefix = 'sha256=';

/** Code host A: `X-Hub-Signature-256: sha256=<hex>` over the raw body. @see manual/signatures.md#schemes */
export const hubScheme: Scheme = {
	header: 'x-hub-signature-256',
	read: value => ({
		claim: {
			...plainClaim,
			scheme: 'hub-256',
			header: 'x-hub-signature-256',
			form: {prefix: hubPrefix, encoding: 'hex'},
			digests: value.startsWith(hubPrefix) ? digestsOf(value.slice(hubPrefix.length)) : [],
		},
	}),
};

/** Generic V2: `<timestamp>.<body>`, the timestamp signed as it was sent. @see manual/signatures.md#schemes */
export const v2Scheme: Scheme = {
	header: 'x-webhook-signature-v2',
	read(value, headers) {
		const timestamp = headerOf(headers, 'x-webhook-timestamp');
		return {
			claim: {
				...plainClaim,
				scheme: 'v2',
				header: 'x-webhook-signature-v2',
				digests: digestsOf(value),
				before: `${timestamp ?? ''}.`,
				timestamp: {header: 'x-webhook-timestamp', text: timestamp},
			},
		};
	},
};

/** Generic V1 (legacy): the body alone, no replay protection. @see manual/signatures.md#schemes */
export const v1Scheme: Scheme = {
	header: 'x-webhook-signature',
	read: value => ({
		claim: {
			...plainClaim,
			scheme: 'v1',
			header: 'x-webhook-signature',
			digests: digestsOf(value),
		},
	}),
};

const plainClaim = {
	algorithm: 'sha256',
	form: {prefix: '', encoding: 'hex'},
	ed25519Signatures: [],
	before: '',
	after: '',
	keys: 'plain',
} as const satisfies Partial<HmacClaim>;

function digestsOf(text: string): readonly Buffer[] {
	const digest = decodeDigest(text, 'hex', digestSizes.sha256);
	return digest === undefined ? [] : [digest];
}

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
