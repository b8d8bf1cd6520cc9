import {insecureSecret} from '../config/route-refusals.ts';
import type {Route} from '../config/route.ts';
import {senderNames, senderOf} from '../config/senders/senders.ts';
import {escapeLine} from '../core/untrusted.ts';
import {type RequestHeaders, headerOf} from './request-content.ts';
import {type Claim, type Scheme, addressOf} from './signature-claim.ts';
import {type RefusedSignature, isRight} from './signature-probe.ts';
import {recognisedSchemes, schemeOf, senderSchemes} from './signature-schemes.ts';
import {type SignatureKeys, makeRawKeys, retiredKeysOf, signatureKeysOf} from './signature.ts';
import {inWords} from './time-in-words.ts';

/** Most other routes whose secrets are tried. */
const maxOthers = 50;

const maxRouteLength = 64;

type Hypothesis = readonly [finding: string, keys: SignatureKeys];

/** Tries retired secrets, misreadings of a secret, and secrets of other routes on a claim. Returns a sentence about the first that matches; `undefined`: none does. */
export function explainSecret(refusal: RefusedSignature, claim: Claim): string | undefined {
	const {probe} = refusal;
	const {body} = refusal.request;
	for (const [finding, keys] of hypothesesOf(refusal, claim)) {
		if (probe(claim, keys, body)) {
			return finding;
		}
	}

	return undefined;
}

function* hypothesesOf(refusal: RefusedSignature, claim: Claim): Generator<Hypothesis> {
	yield* previousSecrets(refusal);
	yield* misreadSecrets(refusal.route, claim);
	yield* othersSecrets(refusal);
}

/** How long rotations keep former secrets. */
const memoryMs = 30 * 24 * 3_600_000;

/** Retired secrets. Only expired ones can match here: the others were tried before. */
function* previousSecrets({route, nowMs}: RefusedSignature): Generator<Hypothesis> {
	for (const {keys, until} of retiredKeysOf(route)) {
		const overMs = nowMs - until;
		if (overMs <= memoryMs) {
			yield [`matches the previous secret, which ended ${inWords(overMs)} ago`, keys];
		}
	}
}

const secretPrefix = 'whsec_';

const base64Text = /^[\w+/-]{4,}={0,2}$/;

/** Ways in which senders and people misread a secret. */
const misreadings: ReadonlyArray<{
	readonly finding: string;
	/** The misread bytes; `undefined` when the secret cannot be misread that way. */
	readonly read: (secret: string, claim: Claim) => Buffer | undefined;
}> = [
	{
		finding: 'matches if whsec_ is not decoded: the sender signs with the secret as it is written',
		read: (secret, claim) =>
			secret.startsWith(secretPrefix) && claim.scheme === 'standard-webhooks'
				? Buffer.from(secret)
				: undefined,
	},
	{
		finding:
			'matches if the secret is decoded from base64: it is to be written with whsec_ before it',
		read: (secret, claim) =>
			base64Text.test(secret) && !secret.startsWith(secretPrefix) && claim.scheme !== 'token'
				? Buffer.from(secret, 'base64')
				: undefined,
	},
	{
		finding: 'matches the secret without the blanks around it',
		read: secret => (secret.trim() === secret ? undefined : Buffer.from(secret.trim())),
	},
	{
		finding: 'matches the secret with a line feed behind it: the sender read it from a file',
		read: (secret, claim) => (claim.scheme === 'token' ? undefined : Buffer.from(`${secret}\n`)),
	},
];

function* misreadSecrets({secrets}: Route, claim: Claim): Generator<Hypothesis> {
	const own = secrets.filter(secret => secret !== insecureSecret);
	for (const {finding, read} of misreadings) {
		const readings = own.flatMap(secret => read(secret, claim) ?? []);
		if (readings.length > 0) {
			yield [finding, makeRawKeys(readings)];
		}
	}
}

function* othersSecrets({route, others}: RefusedSignature): Generator<Hypothesis> {
	let tried = 0;
	for (const other of others) {
		if (tried >= maxOthers) {
			return;
		}

		if (other.name !== route.name || other.profile !== route.profile) {
			tried += 1;
			yield [`matches the secret of route ${nameOf(other, route)}`, signatureKeysOf(other)];
		}
	}
}

function nameOf({name, profile}: Route, {profile: own}: Route): string {
	const text = escapeLine(name, maxRouteLength);
	return profile === own
		? `"${text}"`
		: `"${text}" of profile "${escapeLine(profile, maxRouteLength)}"`;
}

/** A scheme whose header the request has, but which the route does not use, and what to do about it. */
type Candidate = {readonly scheme: Scheme; readonly advice: string};

const maxNames = 5;

const maxHeaderLength = 40;

/** Usual names of headers with a signature or a token. */
const signatureName =
	/signature|hmac|token|secret|digest|^authorization$|(?:^|-)(?:sig|auth)(?:-|$)/;

/** Sentences on the signature headers of a request that lacks the expected one. Never empty. */
export function explainUnsigned(refusal: RefusedSignature): readonly string[] {
	const match = findOtherScheme(refusal);
	if (match !== undefined) {
		return [match];
	}

	const candidates = candidatesOf(refusal);
	return candidates.length === 0
		? [describeNames(refusal.request.headers)]
		: candidates.map(({scheme, advice}) => `${scheme.header} is there: ${advice}`);
}

/** A sentence on the first scheme that the route does not use and that would confirm the signature; `undefined`: none would. */
export function findOtherScheme(refusal: RefusedSignature): string | undefined {
	const found = candidatesOf(refusal).find(({scheme: {header, read}}) => {
		const {route, request} = refusal;
		const {headers} = request;
		const reading = read(headerOf(headers, header) ?? '', headers, addressOf(route, request));
		return 'claim' in reading && isRight(refusal, reading.claim);
	});
	return found && `${found.scheme.header} matches: ${found.advice}`;
}

function candidatesOf({
	route: {signature},
	request: {headers},
}: RefusedSignature): readonly Candidate[] {
	const isThere = ({header}: Scheme) => headerOf(headers, header) !== undefined;
	const recognised = recognisedSchemes.filter(scheme => isThere(scheme));
	const decider = signature === undefined ? recognised[0] : schemeOf(signature);
	const others = recognised.filter(({header}) => header !== decider?.header);

	return [
		...senderNames
			.filter(kind => kind !== signature?.kind || signature.header !== undefined)
			.filter(kind => !senderOf(kind)?.hasCommonHeader && isThere(senderSchemes[kind]))
			.map(kind => ({scheme: senderSchemes[kind], advice: `the route needs "signature: ${kind}"`})),
		...others.map(scheme => ({
			scheme,
			advice:
				signature === undefined
					? `${decider?.header} decides alone`
					: 'the route needs no "signature"',
		})),
	];
}

function describeNames(headers: RequestHeaders): string {
	const names = Object.keys(headers).filter(name => signatureName.test(name));
	const shown = names.slice(0, maxNames).map(name => escapeLine(name, maxHeaderLength));
	const more = names.length - shown.length;
	return names.length === 0
		? 'no header looks like a signature'
		: `headers that look like one: ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
