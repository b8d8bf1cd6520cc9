import {headerOf} from './headers.ts';
import type {HmacClaim, Scheme} from './signature-claim.ts';
import {decodeDigest, digestSizes} from './signature-digest.ts';

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
