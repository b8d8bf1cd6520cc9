import type {SignatureSpec} from '../config/route.ts';
import {type SenderName, formOf, senderNames, senders} from '../config/senders/senders.ts';
import {oncePer} from '../core/derive.ts';
import {formScheme} from './form-scheme.ts';
import {type RequestHeaders, headerOf} from './request-content.ts';
import {
	type HmacClaim,
	type ClaimReading,
	type Scheme,
	decodeDigest,
	digestSizes,
	tokenScheme,
} from './signature-claim.ts';

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

/** Generic V2: signs `<timestamp>.<body>`, with the timestamp exactly as it was sent. @see manual/signatures.md#schemes */
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

/** Generic V1 (legacy): signs the body alone, without replay protection. @see manual/signatures.md#schemes */
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

const prefix = 'v1,';

const ed25519Prefix = 'v1a,';

const ed25519Bytes = 64;

/** Most signatures that are compared: more than any rotation needs, while a header of 16 KiB could hold hundreds. */
const maxSignatures = 16;

/** Most Ed25519 signatures: each costs as much as ten HMACs, for every public key. */
const maxEd25519Signatures = 4;

/**
 * Standard Webhooks: `<id>.<timestamp>.<raw body>`, with headers of either family. In the space-separated list any `v1` (HMAC-SHA256, `whsec_`) and any `v1a` (Ed25519,
 * `whpk_`; the first 4) passes. The other two headers must be of the same family as the signature header.
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

/** The scheme of each sender that a route may name. @see manual/signatures.md#the-signature-of-a-route */
// Every name has an entry.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const senderSchemes = Object.fromEntries(
	senderNames.map(name => [name, formScheme(name, senders[name].signature)]),
) as Readonly<Record<SenderName, Scheme>>;

const ownSchemeOf = oncePer((spec: SignatureSpec) => formScheme(spec.kind, formOf(spec)));

/** The scheme that `spec` names or describes; made once per object. */
export const schemeOf = (spec: SignatureSpec): Scheme =>
	spec.kind !== 'custom' && spec.header === undefined
		? senderSchemes[spec.kind]
		: ownSchemeOf(spec);

/** The schemes of routes without `signature`, in order of precedence: the first whose header is present decides alone. @see manual/signatures.md#schemes */
export const recognisedSchemes: readonly Scheme[] = [
	standardScheme('svix'),
	standardScheme('webhook'),
	hubScheme,
	tokenScheme('x-forge2-token'),
	tokenScheme('x-gitlab-token'),
	v2Scheme,
	v1Scheme,
];

const unsigned: ClaimReading = {problem: 'no signature header'};

/** Reads the claim in the headers by the scheme that the route names, else by the first recognised scheme. */
export function readClaim(
	spec: SignatureSpec | undefined,
	headers: RequestHeaders,
	url?: string,
): ClaimReading {
	if (spec !== undefined) {
		const {header, read} = schemeOf(spec);
		const value = headerOf(headers, header);
		return value === undefined ? {problem: `${header} is missing`} : read(value, headers, url);
	}

	for (const {header, read} of recognisedSchemes) {
		const value = headers[header];
		if (value !== undefined) {
			return typeof value === 'string' ? read(value, headers) : unsigned;
		}
	}

	return unsigned;
}
