import {createHash, type KeyObject} from 'node:crypto';
import {insecureSecret} from '../config/route-refusals.ts';
import type {Route} from '../config/route.ts';
import {isFromForeignPage} from './exchange.ts';
import {deliveryIdOf, headerIdOf} from './identity.ts';
import {
	cleanDetail,
	nameDraft,
	note,
	stop,
	type DeliveryDraft,
	type ReceiverServices,
} from './receive-context.ts';
import {refusals, type Reply} from './replies.ts';
import {
	addressOf,
	problemOfTimestamp,
	type SignatureVerdict,
	type SignedRequest,
} from './signature-check.ts';
import {positionOfMatch, type Claim, sameDigest, describeForm} from './signature-claim.ts';
import {retiredKeysOf, signatureKeysOf, type SignatureKeys} from './signature-keys.ts';
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

/**
 * Whether the sender knows a secret of the route. The answer when it does not: the client learns nothing more, the trace says why. Otherwise `undefined`, and the identifier
 * is the one that senders of this route give it, or that the signature covers.
 *
 * @see manual/signatures.md#schemes, manual/receiver.md#order-of-decisions
 */
export function authenticate(
	draft: DeliveryDraft,
	{
		route,
		body,
		path,
	}: {
		readonly route: Route;
		readonly body: Buffer;
		/** As it was asked for, with its query. */
		readonly path: string;
	},
	services: ReceiverServices,
): Reply | undefined {
	if (route.insecure) {
		if (!services.isLoopback) {
			return stop(draft, refusals.signature, {
				step: 'signature',
				detail: `${insecureSecret}: the receiver does not listen on loopback`,
			});
		}

		if (isFromForeignPage(draft.headers)) {
			return stop(draft, refusals.signature, {
				step: 'signature',
				detail: `${insecureSecret}: sent by a page in a browser, which is not of this machine`,
			});
		}

		note(draft, 'signature', {verdict: 'skip', detail: insecureSecret});
		nameDraft(draft, headerIdOf(route, draft.headers));
		return undefined;
	}

	const request = {headers: draft.headers, body, query: /\?.*$/.exec(path)?.[0] ?? ''};
	const verdict = verifySignature(route, request, services.clock.now());
	if (!verdict.ok) {
		const others = services.routes().routes.values();
		const reason = services.doctor.explain(request, {route, others, refusal: verdict.detail});
		return stop(draft, refusals.signature, {
			step: 'signature',
			detail: cleanDetail(draft, reason),
		});
	}

	note(draft, 'signature', {verdict: 'pass', detail: verdict.detail});
	if (verdict.scheme === 'v1') {
		services.warnOnce(
			route.name,
			`Route "${route.name}" is signed with X-Webhook-Signature (V1), which has no replay protection and is deprecated: use X-Webhook-Signature-V2`,
		);
	}

	const {signedIdHeader} = verdict;
	draft.hasSignedId = signedIdHeader !== undefined;
	nameDraft(
		draft,
		signedIdHeader === undefined
			? headerIdOf(route, draft.headers)
			: deliveryIdOf(draft.headers, [signedIdHeader]),
	);
	return undefined;
}
