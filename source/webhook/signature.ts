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
 * Whether `request` was signed with a secret of `route`, by the scheme that the route names or else the one whose header is present. A secret that a
 * rotation replaced passes until its time is over. Pure; never throws, whatever the headers hold. `nowMs` is the server's wall clock, milliseconds since 1970.
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

/** The secret that the signature of `request` was made with, as it is written; of a request without one (a replay) the first of the route. */
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

/** Whether `text` is a secret of `route`, or a retired one that still passes. Compares in constant time. */
export function isSecretOf(route: Route, text: string, nowMs: number): boolean {
	const digest = createHash('sha256').update(text).digest();
	const retired = retiredKeysOf(route).filter(({until}) => nowMs <= until);
	return [signatureKeysOf(route), ...retired.map(({keys}) => keys)].some(({tokens}) =>
		tokens.some(({value}) => sameDigest(value, digest)),
	);
}

/** What is wrong with a claim whatever the secret is. */
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

/** Empty for the secret that a sender normally has. */
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

/** The secrets of a route, for a sentence. */
const nameOf = (count: number): string => (count === 1 ? 'the secret' : `any of ${count} secrets`);

function passed(claim: Claim, holder: string): SignatureVerdict {
	const {scheme} = claim;
	const detail = `${scheme}${holder}`;
	return scheme === 'token' || claim.signedIdHeader === undefined
		? {ok: true, scheme, detail}
		: {ok: true, scheme, detail, signedIdHeader: claim.signedIdHeader};
}

/** Something made of a secret, and which secret of the list that was, counted from 1. */
export type Held<Value> = {readonly value: Value; readonly position: number};

/** The secrets of a route in the forms that the schemes need; empty keys and `INSECURE_NO_AUTH` are left out, so that they never match. */
export type SignatureKeys = {
	/** Standard Webhooks: what follows `whsec_`, base64-decoded, if that is at least 8 bytes; any other secret as UTF-8. */
	readonly standard: ReadonlyArray<Held<KeyObject>>;
	/**
	 * The schemes that a header tells of: every secret as it is written, since most of their senders know nothing of the prefix; and, because "`whsec_` secrets are base64-decoded",
	 * the decoded key beside it. Only one of at least 16 bytes, so that the second key is no easier to guess than the first.
	 */
	readonly plain: ReadonlyArray<Held<KeyObject>>;
	/** The schemes that a route names: every secret as it is written, and nothing else. Their senders sign with the text that they show. */
	readonly literal: ReadonlyArray<Held<KeyObject>>;
	/** SHA-256 of each secret, so that comparing tokens tells nothing of their length. */
	readonly tokens: ReadonlyArray<Held<Buffer>>;
	/** Ed25519 keys: of Standard Webhooks `whpk_` and base64, of a sender with keys in hex every secret. Public: they are in none of the other lists. */
	readonly publicKeys: ReadonlyArray<Held<KeyObject>>;
	/** Secrets in the list. */
	readonly count: number;
};

/** The keys of a secret that a rotation replaced. They pass until `until`, milliseconds since 1970. */
export type RetiredKeys = {readonly keys: SignatureKeys; readonly until: number};

/** Bytes. */
const minSecondKeyBytes = 16;

const publicKeyBytes = 32;

const maxRetired = 20;

const maxRetiredPublicKeys = 5;

/** The keys of the secrets of `route`, made once per route object. */
export const signatureKeysOf: (route: Route) => SignatureKeys = oncePer(({secrets, signature}) =>
	makeSignatureKeys(secrets, takesHexKeys(signature)),
);

/**
 * The keys of its retired secrets, also of those whose time is over; made when a signature first needs them. The 20 that pass longest, and of public keys among them, `whpk_` or in hex, 5: every request that
 * nobody signed is compared with all of them.
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

/** The keys of a list of secrets, any of which passes; with `areHexKeys` each is a public key in hex and nothing else. @see manual/signatures.md#schemes */
function makeSignatureKeys(secrets: readonly string[], areHexKeys: boolean): SignatureKeys {
	// Everybody knows the literal that switches validation off: it is the key of nothing.
	const held = secrets
		.map((value, index) => ({value, position: index + 1}))
		.filter(({value}) => value !== insecureSecret);
	// A public key as the key of an HMAC would let everybody sign.
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

/** The same bytes as the key of whatever scheme there is, to find out what a sender did with a secret. */
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

/** A key object costs half of a buffer at each signature. */
const usable = (keys: ReadonlyArray<Held<Buffer>>): ReadonlyArray<Held<KeyObject>> =>
	mapHeld(keys, key => (key.length === 0 ? undefined : createSecretKey(key)));

/** What is no key of 32 bytes never matches. */
function publicKeyOf(bytes: Buffer): KeyObject | undefined {
	return bytes.length === publicKeyBytes
		? createPublicKey({
				key: {kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url')},
				format: 'jwk',
			})
		: undefined;
}
