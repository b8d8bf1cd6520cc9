import type {Route} from '../config/route.ts';
import {positionOfMatch, type Claim, type SignedRequest} from './signature-claim.ts';
import {retiredKeysOf, signatureKeysOf, type SignatureKeys} from './signature.ts';

/** Whether one of `keys` confirms `claim` for `body`; false once the budget is spent. */
export type Probe = (claim: Claim, keys: SignatureKeys, body: Buffer) => boolean;

/** A refused request and its context. */
export type RefusedSignature = {
	readonly request: SignedRequest;
	readonly route: Route;
	readonly others: Iterable<Route>;
	/** Milliseconds since 1970. */
	readonly nowMs: number;
	readonly probe: Probe;
};

/** Largest body that is hashed again for an explanation, bytes. */
export const maxProbedBodyBytes = 262_144;

/** Most bytes hashed for one explanation, about 10 ms. */
const budgetBytes = 8_388_608;

/** The cost of an HMAC (and, below, of an Ed25519 signature) besides that of its content, in hashed bytes. */
const costOfDigest = 512;

const costOfEd25519 = 65_536;

/** A probe with a budget for the explanation of one request. */
export function createProbe(body: Buffer): Probe {
	let left = body.length > maxProbedBodyBytes ? 0 : budgetBytes;
	return (claim, keys, content) => {
		left -= costOf(claim, keys, content);
		return left >= 0 && positionOfMatch(claim, keys, content) > 0;
	};
}

function costOf(claim: Claim, keys: SignatureKeys, body: Buffer): number {
	if (claim.scheme === 'token') {
		return costOfDigest;
	}

	const digests = keys[claim.keys].length * (body.length + costOfDigest);
	const signatures =
		claim.ed25519Signatures.length * keys.publicKeys.length * (body.length + costOfEd25519);
	return digests + signatures;
}

/** Whether a valid secret of the route confirms `claim`, ignoring its timestamp. */
export function isRight(
	{request: {body}, route, nowMs, probe}: RefusedSignature,
	claim: Claim,
): boolean {
	return (
		probe(claim, signatureKeysOf(route), body) ||
		retiredKeysOf(route).some(({keys, until}) => nowMs <= until && probe(claim, keys, body))
	);
}
