import type {Route} from '../config/route.ts';
import type {Clock} from '../core/clock.ts';
import {explainContent} from './explain-content.ts';
import {explainForm} from './explain-form.ts';
import {explainUnsigned, findOtherScheme, explainSecret} from './explain-secret.ts';
import {addressOf} from './signature-claim.ts';
import type {SignedRequest} from './signature-claim.ts';
import {createProbe, isRight} from './signature-probe.ts';
import type {RefusedSignature} from './signature-probe.ts';
import {readClaim} from './signature-schemes.ts';
import {verifySignature} from './signature.ts';

/** Explanations a second. Strangers cause them: what is beyond is refused without. */
const maxPerSecond = 5;

/** Milliseconds of a second that explanations may take; the one that goes beyond is the last. A large JSON body takes as much. */
const maxMsPerSecond = 50;

/** Sentences of one explanation. */
const maxFindings = 4;

type Circumstances = {
	readonly route: Route;
	/** The routes whose secrets may have been meant; the first 50 are tried. May hold `route` itself. */
	readonly others: Iterable<Route>;
};

export type SignatureDoctor = {
	/**
	 * `refusal`, the detail of the verdict, and what else is known of it, as one line for the person at the terminal; `refusal` alone once five
	 * others were explained within the second, or 50 ms were spent on them. No secret, no digest and no value of a header is in it.
	 */
	explain(
		request: SignedRequest,
		circumstances: Circumstances & {readonly refusal: string},
	): string;
};

/** Explains refused signatures, at most five a second and 50 ms of it. */
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
 * Why the signature of `request` is refused: the detail of the verdict, then at most three sentences that say what would have passed. Empty when it
 * is not refused. Pure. Bounded: bodies above 256 KiB are judged by their headers alone, and what is hashed is at most 8 MiB.
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

/** The surest first; each is worked out only when it is asked for. */
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
