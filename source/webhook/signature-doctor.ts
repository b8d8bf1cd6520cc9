import type {Route} from '../config/route.ts';
import type {Clock} from '../core/clock.ts';
import {explainContent} from './explain-content.ts';
import {explainUnsigned, findOtherScheme, explainSecret} from './explain-secret.ts';
import {withoutPrefix} from './form-scheme.ts';
import {headerOf} from './request-content.ts';
import {
	type Claim,
	type DigestEncoding,
	type HmacAlgorithm,
	type HmacClaim,
	type SignedRequest,
	addressOf,
	algorithmNames,
	decodeDigest,
	digestSizes,
} from './signature-claim.ts';
import {type RefusedSignature, createProbe, isRight} from './signature-probe.ts';
import {readClaim} from './signature-schemes.ts';
import {verifySignature} from './signature.ts';

/** Most explanations a second, since strangers can cause them; further refusals are not explained. */
const maxPerSecond = 5;

/** Time budget for explanations in one second, milliseconds. It is checked before each explanation, so the last one may exceed it, as a large JSON body does. */
const maxMsPerSecond = 50;

/** Most sentences of one explanation. */
const maxFindings = 4;

type Circumstances = {
	readonly route: Route;
	/** Routes whose secrets are tried, at most the first 50; `route` itself is skipped. */
	readonly others: Iterable<Route>;
};

export type SignatureDoctor = {
	/**
	 * Returns `refusal` (the detail of the verdict) followed by an explanation, as one line for the operator. Returns `refusal` alone after five explanations, or 50 ms of
	 * them, within a second. The line contains no secret, no digest and no value of a header.
	 */
	explain(
		request: SignedRequest,
		circumstances: Circumstances & {readonly refusal: string},
	): string;
};

/** Explains refused signatures: at most five per second, and no further one in a second after 50 ms. */
export function createSignatureDoctor({clock}: {readonly clock: Clock}): SignatureDoctor {
	let since = -Infinity;
	let explained = 0;
	let spentMs = 0;

	return {
		explain(request, {route, others, refusal}) {
			const now = clock.monotonic();
			if (now - since >= 1000) {
				since = now;
				explained = 0;
				spentMs = 0;
			}

			if (explained >= maxPerSecond || spentMs >= maxMsPerSecond) {
				return refusal;
			}

			explained += 1;
			const findings = explainRefusal(request, {route, others, nowMs: clock.now()});
			spentMs += clock.monotonic() - now;
			return findings.length === 0 ? refusal : findings.join('; ');
		},
	};
}

/**
 * Why the signature of `request` is refused: the detail of the verdict, then at most three sentences on what would have passed; empty if it is valid. Pure. Bounded: bodies
 * above 256 KiB are judged by their headers alone, and at most 8 MiB are hashed.
 *
 * @see manual/signatures.md#refused-signatures
 */
export function explainRefusal(
	request: SignedRequest,
	{route, others, nowMs}: Circumstances & {readonly nowMs: number},
): readonly string[] {
	const verdict = verifySignature(route, request, nowMs);
	if (verdict.ok) {
		return [];
	}

	const findings = [verdict.detail];
	const refusal: RefusedSignature = {
		request,
		route,
		others,
		nowMs,
		probe: createProbe(request.body),
	};
	for (const finding of findingsOf(refusal)) {
		findings.push(finding);
		if (findings.length >= maxFindings) {
			break;
		}
	}

	return findings;
}

/** The findings, the most certain first; a generator, so that each is computed on demand. */
function* findingsOf(refusal: RefusedSignature): Generator<string> {
	const {route, request} = refusal;
	const reading = readClaim(route.signature, request.headers, addressOf(route, request));
	if ('problem' in reading) {
		yield* explainUnsigned(refusal);
		return;
	}

	const {claim, finding} = explainForm(refusal, reading.claim);
	if (finding !== undefined) {
		yield finding;
	}

	if (isRight(refusal, claim)) {
		yield finding === undefined
			? 'the signature itself is right: a late retry, a replay, or a clock that is wrong'
			: 'it is right otherwise';
		return;
	}

	const proof =
		explainSecret(refusal, claim) ?? explainContent(refusal, claim) ?? findOtherScheme(refusal);
	if (proof !== undefined) {
		yield proof;
	}
}

/** A digest found in a header. */
type Found = {
	readonly algorithm: HmacAlgorithm;
	readonly encoding: DigestEncoding;
	/** Untrusted: compare it, but do not show it. */
	readonly prefix: string;
	readonly digest: Buffer;
};

const milliseconds = /^\d{13}$/;

/** Most items of a header that are read. */
const maxItems = 16;

/** Finds an error in the form of a signature, such as another encoding, length or prefix. Returns it with the claim as the sender probably meant it. */
function explainForm(
	{request: {headers}}: RefusedSignature,
	claim: Claim,
): {readonly claim: Claim; readonly finding: string | undefined} {
	const value = headerOf(headers, claim.header) ?? '';
	if (value === '') {
		return {claim, finding: `${claim.header} is empty`};
	}

	if (claim.scheme === 'token') {
		return claim.lacksPrefix === undefined
			? {claim, finding: undefined}
			: {
					claim: withoutPrefix(claim, value),
					finding: describePrefix(value.includes(' ') ? 'another' : '', claim.prefix ?? ''),
				};
	}

	if (claim.form.isEd25519) {
		return {claim, finding: undefined};
	}

	const {text = '', format} = claim.timestamp ?? {};
	if (format !== 'any' && milliseconds.test(text)) {
		return {claim, finding: 'the timestamp looks like milliseconds, seconds are expected'};
	}

	const [first, ...more] =
		claim.digests.length === 0 && claim.ed25519Signatures.length === 0 ? digestsIn(value) : [];
	if (!first) {
		return {claim, finding: undefined};
	}

	const alike = more.filter(({algorithm}) => algorithm === first.algorithm);
	return {
		claim: {
			...claim,
			algorithm: first.algorithm,
			digests: [first, ...alike].map(({digest}) => digest),
		},
		finding: describeDifference(claim, first) ?? 'the header holds more than one signature',
	};
}

function describeDifference({algorithm, form}: HmacClaim, found: Found): string | undefined {
	const differences = [
		found.algorithm !== algorithm &&
			`it is as long as a ${algorithmNames[found.algorithm]} digest, not ${algorithmNames[algorithm]}`,
		found.encoding !== form.encoding && `it is ${found.encoding}, not ${form.encoding}`,
		found.prefix !== form.prefix && describePrefix(found.prefix, form.prefix),
	].filter(difference => difference !== false);
	return differences.length === 0 ? undefined : differences.join(', ');
}

function describePrefix(found: string, expected: string): string {
	if (expected === '') {
		return 'it has a prefix, none is expected';
	}

	return found === ''
		? `the prefix "${expected}" is missing`
		: `it has another prefix than "${expected}"`;
}

const digestsIn = (value: string): readonly Found[] =>
	[value, ...value.split(/[\s,;]/, maxItems)].flatMap(item => {
		const found = findDigest(item, '');
		const prefix = /^[\w.-]{1,32}[=:,]/.exec(item)?.[0];
		return found.length === 0 && prefix !== undefined
			? findDigest(item.slice(prefix.length), prefix)
			: found;
	});

const algorithms = ['sha256', 'sha1', 'sha512'] as const satisfies readonly HmacAlgorithm[];

const encodings = ['hex', 'base64'] as const satisfies readonly DigestEncoding[];

const findDigest = (text: string, prefix: string): readonly Found[] =>
	algorithms.flatMap(algorithm =>
		encodings.flatMap(encoding => {
			const digest = decodeDigest(text, encoding, digestSizes[algorithm]);
			return digest === undefined ? [] : [{algorithm, encoding, prefix, digest}];
		}),
	);
