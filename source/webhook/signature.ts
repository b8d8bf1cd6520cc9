import {type KeyObject, createHash, createPublicKey, createSecretKey} from 'node:crypto';
import {insecureSecret} from '../config/route-refusals.ts';
import type {Route} from '../config/route.ts';
import {decodedKeyOf, keyPrefix, publicPrefix} from '../config/secret-problem.ts';
import {takesHexKeys} from '../config/senders/senders.ts';
import {oncePer} from '../core/derive.ts';
import {
	type Claim,
	type SignatureVerdict,
	type SignedRequest,
	addressOf,
	describeForm,
	positionOfMatch,
	problemOfTimestamp,
	sameDigest,
} from './signature-claim.ts';
import {readClaim} from './signature-schemes.ts';
import {inWords} from './time-in-words.ts';

/**
 * Verifies the signature of `request` with the secrets of `route`, by the scheme that the route names, else by the first scheme whose header is present. A retired secret
 * passes until it expires. Pure; never throws, whatever the headers hold. `nowMs`: wall clock, milliseconds since 1970.
 *
 * @see manual/signatures.md#schemes
 */
export function verifySignature(
	route: Route,
	request: SignedRequest,
	nowMs: number,
): SignatureVerdict {
	const reading = readClaim(route.signature, request.headers, addressOf(route, request));
	if ('problem' in reading) {
		return refused(reading.problem);
	}

	const {claim} = reading;
	const {body} = request;
	const problem = problemOfClaim(claim, nowMs);
	if (problem !== undefined) {
		return refused(problem);
	}

	const keys = signatureKeysOf(route);
	const position = positionOfMatch(claim, keys, body);
	const holder =
		position === 0 ? findRetired(route, claim, {body, nowMs}) : describeSecret(position, keys);
	if (holder === undefined) {
		return refused(describeMismatch(claim, keys));
	}

	const bodyProblem = claim.scheme === 'token' ? undefined : claim.problemOfBody?.(body, nowMs);
	return bodyProblem === undefined ? passed(claim, holder) : refused(bodyProblem);
}

const refused = (detail: string): SignatureVerdict => ({ok: false, detail});

/** The key of the secret (as written) that signed `request`; of the first secret if none did, as in a replay. */
export function signingKeyOf(route: Route, request: SignedRequest): KeyObject | undefined {
	const reading = readClaim(route.signature, request.headers, addressOf(route, request));
	const retired = retiredKeysOf(route).map(({keys}) => keys);
	for (const held of [signatureKeysOf(route), ...retired]) {
		const position = 'claim' in reading ? positionOfMatch(reading.claim, held, request.body) : 0;
		const key = held.literal.find(one => one.position === position);
		if (key) {
			return key.value;
		}
	}

	return signatureKeysOf(route).literal[0]?.value;
}

/** Whether `text` is a secret of `route`, or a retired one that has not expired. Compares in constant time. */
export function isSecretOf(route: Route, text: string, nowMs: number): boolean {
	const digest = createHash('sha256').update(text).digest();
	const retired = retiredKeysOf(route).filter(({until}) => nowMs <= until);
	return [signatureKeysOf(route), ...retired.map(({keys}) => keys)].some(({tokens}) =>
		tokens.some(({value}) => sameDigest(value, digest)),
	);
}

/** Why a claim is refused whatever the secret: prefix, timestamp, or form of the signature. */
function problemOfClaim(claim: Claim, nowMs: number): string | undefined {
	if (claim.scheme === 'token') {
		return claim.lacksPrefix === undefined
			? undefined
			: `${claim.header} does not begin with "${claim.prefix}"`;
	}

	const {timestamp, digests, ed25519Signatures} = claim;
	const problem = timestamp && problemOfTimestamp(timestamp, nowMs);
	return problem === undefined && digests.length === 0 && ed25519Signatures.length === 0
		? `${claim.scheme}: the header is not ${describeForm(claim)}`
		: problem;
}

/** Names the secret that matched; empty for the first one, which senders normally use. */
const describeSecret = (position: number, {count}: SignatureKeys): string =>
	position === 1 ? '' : ` with secret ${position} of ${count}`;

function findRetired(
	route: Route,
	claim: Claim,
	{body, nowMs}: {readonly body: Buffer; readonly nowMs: number},
): string | undefined {
	if (route.retiredSecrets.length === 0) {
		return undefined;
	}

	const found = retiredKeysOf(route).find(
		({keys, until}) => nowMs <= until && positionOfMatch(claim, keys, body) > 0,
	);
	return found && ` with the retired secret, ${inWords(found.until - nowMs)} left`;
}

function describeMismatch(claim: Claim, keys: SignatureKeys): string {
	if (claim.scheme === 'token') {
		return `${claim.header}: does not equal ${nameOf(keys.count)}`;
	}

	return claim.digests.length === 0 && keys.publicKeys.length === 0
		? `${claim.header} holds only v1a signatures, and the secret is no public key (whpk_)`
		: `${claim.scheme}: does not match ${nameOf(keys.count)}`;
}

/** The secrets of a route in words. */
const nameOf = (count: number): string => (count === 1 ? 'the secret' : `any of ${count} secrets`);

function passed(claim: Claim, holder: string): SignatureVerdict {
	const {scheme} = claim;
	const detail = `${scheme}${holder}`;
	return scheme === 'token' || claim.signedIdHeader === undefined
		? {ok: true, scheme, detail}
		: {ok: true, scheme, detail, signedIdHeader: claim.signedIdHeader};
}

/** A value derived from a secret, with the position of the secret in the list, from 1. */
export type Held<Value> = {readonly value: Value; readonly position: number};

/** The keys made from the secrets of a route, in one list per use. Empty secrets and `INSECURE_NO_AUTH` are left out, so that they never match. */
export type SignatureKeys = {
	/** For Standard Webhooks: the base64-decoded part after `whsec_` if it has at least 8 bytes; any other secret as UTF-8. */
	readonly standard: ReadonlyArray<Held<KeyObject>>;
	/**
	 * For schemes recognised by their header: every secret as written, since most senders do not know the prefix `whsec_`; also the decoded key of a `whsec_` secret, if it has
	 * at least 16 bytes, so that it is no easier to guess.
	 */
	readonly plain: ReadonlyArray<Held<KeyObject>>;
	/** For schemes that a route names: every secret exactly as written, since their senders sign with that text. */
	readonly literal: ReadonlyArray<Held<KeyObject>>;
	/** SHA-256 of each secret, so that the time of a comparison does not depend on their length. */
	readonly tokens: ReadonlyArray<Held<Buffer>>;
	/** Ed25519 keys: `whpk_` and base64 for Standard Webhooks, or every secret for a sender with keys in hex. Being public, they are in none of the other lists. */
	readonly publicKeys: ReadonlyArray<Held<KeyObject>>;
	/** Number of configured secrets. */
	readonly count: number;
};

/** The keys of a retired secret, valid until `until`, milliseconds since 1970. */
export type RetiredKeys = {readonly keys: SignatureKeys; readonly until: number};

/** Least size of a decoded key in `plain`. */
const minSecondKeyBytes = 16;

const publicKeyBytes = 32;

const maxRetired = 20;

const maxRetiredPublicKeys = 5;

/** The keys of the secrets of `route`, made once per route object. */
export const signatureKeysOf: (route: Route) => SignatureKeys = oncePer(({secrets, signature}) =>
	makeSignatureKeys(secrets, takesHexKeys(signature)),
);

/**
 * The keys of the retired secrets of `route`, including expired ones; made on first use. Only the 20 that expire last, with at most 5 public keys among them, since every
 * invalid request is checked against all of them.
 */
export const retiredKeysOf: (route: Route) => readonly RetiredKeys[] = oncePer(route =>
	longestLasting(route).map(({secret, until}) => ({
		keys: makeSignatureKeys([secret], takesHexKeys(route.signature)),
		until,
	})),
);

function longestLasting(route: Route): Route['retiredSecrets'] {
	const areHexKeys = takesHexKeys(route.signature);
	const sorted = route.retiredSecrets.toSorted((a, b) => b.until - a.until).slice(0, maxRetired);
	const publicKeys = sorted.filter(({secret}) => areHexKeys || secret.startsWith(publicPrefix));
	const beyond = new Set(publicKeys.slice(maxRetiredPublicKeys));
	return sorted.filter(retired => !beyond.has(retired));
}

/** The keys of a list of secrets, any of which is valid. `areHexKeys`: all are public keys in hex. @see manual/signatures.md#schemes */
function makeSignatureKeys(secrets: readonly string[], areHexKeys: boolean): SignatureKeys {
	// The literal that switches validation off is public: it is never a key.
	const held = secrets
		.map((value, index) => ({value, position: index + 1}))
		.filter(({value}) => value !== insecureSecret);
	// With a public key as the key of an HMAC, anyone could sign.
	const shared = held.filter(
		({value}) => !areHexKeys && value !== '' && !value.startsWith(publicPrefix),
	);
	const literal = mapHeld(shared, secret => Buffer.from(secret));
	const unprefixed = mapHeld(
		shared.filter(({value}) => !value.startsWith(keyPrefix)),
		secret => Buffer.from(secret),
	);
	const decoded = mapHeld(shared, decodedKeyOf);
	const literalKeys = usable(literal);

	return {
		standard: usable([...unprefixed, ...decoded]),
		plain: [
			...literalKeys,
			...usable(decoded.filter(({value}) => value.length >= minSecondKeyBytes)),
		],
		literal: literalKeys,
		tokens: mapHeld(literal, secret => createHash('sha256').update(secret).digest()),
		publicKeys: areHexKeys
			? mapHeld(held, secret => publicKeyOf(Buffer.from(secret, 'hex')))
			: mapHeld(
					held.filter(({value}) => value.startsWith(publicPrefix)),
					secret => publicKeyOf(Buffer.from(secret.slice(publicPrefix.length), 'base64')),
				),
		count: secrets.length,
	};
}

/** Keys made from raw bytes, for all schemes but Ed25519: they show how a sender used a secret. */
export function makeRawKeys(secrets: readonly Buffer[]): SignatureKeys {
	const held = secrets.map((value, index) => ({value, position: index + 1}));
	const keys = usable(held);
	return {
		standard: keys,
		plain: keys,
		literal: keys,
		tokens: mapHeld(held, secret => createHash('sha256').update(secret).digest()),
		publicKeys: [],
		count: secrets.length,
	};
}

function mapHeld<From, To>(
	held: ReadonlyArray<Held<From>>,
	change: (value: From) => To | undefined,
): ReadonlyArray<Held<To>> {
	return held.flatMap(({value, position}) => {
		const changed = change(value);
		return changed === undefined ? [] : [{value: changed, position}];
	});
}

/** Makes key objects, which halve the cost of each signature compared with buffers; leaves out empty keys. */
const usable = (keys: ReadonlyArray<Held<Buffer>>): ReadonlyArray<Held<KeyObject>> =>
	mapHeld(keys, key => (key.length === 0 ? undefined : createSecretKey(key)));

/** An Ed25519 public key; `undefined`, which never matches, for anything but 32 bytes. */
function publicKeyOf(bytes: Buffer): KeyObject | undefined {
	return bytes.length === publicKeyBytes
		? createPublicKey({
				key: {kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url')},
				format: 'jwk',
			})
		: undefined;
}
