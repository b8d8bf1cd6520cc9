import {createHash, verify} from 'node:crypto';
import type {TimeFormat} from '../config/senders/sender.ts';
import type {RequestHeaders} from './headers.ts';
import type {SignatureScheme} from './signature-check.ts';
import {hmacOf, sameDigest} from './signature-digest.ts';
import type {DigestEncoding, SignedContent} from './signature-digest.ts';
import type {SignatureKeys} from './signature-keys.ts';

/** What a request says of its HMAC signature. Nothing of it is believed before a key confirms it. */
export type HmacClaim = SignedContent & {
	readonly scheme: Exclude<SignatureScheme, 'token'>;
	/** Lower-case name of the header that holds the signature. */
	readonly header: string;
	/** How a digest is written there. */
	readonly form: {
		readonly prefix: string;
		readonly encoding: DigestEncoding;
		readonly isEd25519?: true;
	};
	/** Any of them passes; empty when the header holds none in that form. */
	readonly digests: readonly Buffer[];
	/** Ed25519 signatures of the same content; any of them passes too. */
	readonly ed25519Signatures: readonly Buffer[];
	/** Which form of the secrets is the key. */
	readonly keys: 'standard' | 'plain' | 'literal';
	/** Absent for schemes that sign none. */
	readonly timestamp?: {
		readonly header: string;
		readonly text: string | undefined;
		readonly format?: TimeFormat;
	};
	/** What is signed in place of the body; `undefined`: nothing that could be right. */
	readonly contentOf?: (body: Buffer) => string | undefined;
	/** What is wrong with a body whose signature is right. */
	readonly problemOfBody?: (body: Buffer, nowMs: number) => string | undefined;
	readonly signedIdHeader?: string;
};

/** The header is the secret itself; only its digest is kept. */
export type TokenClaim = {
	readonly scheme: 'token';
	readonly header: string;
	/** What stands before it, as it is configured. */
	readonly prefix?: string;
	/** That is not there. */
	readonly lacksPrefix?: string;
	readonly digest: Buffer;
};

export type Claim = HmacClaim | TokenClaim;

/** A claim, or why there is none. */
export type Reading = {readonly claim: Claim} | {readonly problem: string};

/** A scheme: the header that tells of it, and how its `value` reads. */
export type Scheme = {
	/** Lower case. */
	readonly header: string;
	/** `url`: the address as the sender knows it, where the route says so. */
	readonly read: (value: string, headers: RequestHeaders, url?: string) => Reading;
};

/** A token scheme under `header`. Tokens are hashed, so that the time tells nothing of their length. */
export const tokenScheme = (header: string): Scheme => ({
	header,
	read: value => ({
		claim: {
			scheme: 'token',
			header,
			digest: createHash('sha256').update(value, 'latin1').digest(),
		},
	}),
});

/** The position of the secret that confirms `claim` for `body`; 0 when none does. Says nothing of timestamps. */
export function positionOfMatch(claim: Claim, keys: SignatureKeys, body: Buffer): number {
	if (claim.scheme === 'token') {
		return claim.lacksPrefix === undefined
			? (keys.tokens.find(({value}) => sameDigest(value, claim.digest))?.position ?? 0)
			: 0;
	}

	return positionOfDigest(claim, keys, body) || positionOfEd25519(claim, keys, body);
}

function positionOfDigest(claim: HmacClaim, keys: SignatureKeys, body: Buffer): number {
	const {digests} = claim;
	const said = claim.contentOf?.(body);
	if (digests.length === 0 || (claim.contentOf && said === undefined)) {
		return 0;
	}

	const content = said === undefined ? body : Buffer.from(said);

	for (const {value, position} of keys[claim.keys]) {
		const digest = hmacOf(value, claim, content);
		if (digests.some(claimed => sameDigest(claimed, digest))) {
			return position;
		}
	}

	return 0;
}

function positionOfEd25519(
	{ed25519Signatures, before}: HmacClaim,
	keys: SignatureKeys,
	body: Buffer,
): number {
	if (ed25519Signatures.length === 0 || keys.publicKeys.length === 0) {
		return 0;
	}

	const content = Buffer.concat([Buffer.from(before, 'latin1'), body]);
	const key = keys.publicKeys.find(({value}) =>
		ed25519Signatures.some(signature => verify(null, content, value, signature)),
	);
	return key?.position ?? 0;
}
