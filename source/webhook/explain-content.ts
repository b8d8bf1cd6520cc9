import {bodyVariantsOf} from './body-variants.ts';
import {headerOf} from './headers.ts';
import type {Claim, HmacClaim} from './signature-claim.ts';
import {signatureKeysOf} from './signature-keys.ts';
import type {RefusedSignature} from './signature-probe.ts';

/** What was signed instead of what came in: other bytes of the same content, or the body with or without its timestamp. */
export function explainContent(refusal: RefusedSignature, claim: Claim): string | undefined {
	if (claim.scheme === 'token') {
		return undefined;
	}

	const {request, route, probe} = refusal;
	const keys = signatureKeysOf(route);
	const {body} = request;
	for (const [finding, variant] of claimVariantsOf(claim, timestampOf(refusal))) {
		if (probe(variant, keys, body)) {
			return finding;
		}
	}

	for (const {name, bytes} of bodyVariantsOf(body)) {
		if (probe(claim, keys, bytes)) {
			return `matches ${name}`;
		}
	}

	return undefined;
}

/** A timestamp that the scheme does not sign. */
const timestampOf = ({request: {headers}}: RefusedSignature) =>
	headerOf(headers, 'x-webhook-timestamp');

function* claimVariantsOf(
	claim: HmacClaim,
	timestamp: string | undefined,
): Generator<readonly [finding: string, claim: HmacClaim]> {
	if (claim.before !== '' || claim.after !== '') {
		yield [
			'matches the body alone: the sender did not sign what belongs before it',
			{...claim, before: '', after: ''},
		];
	} else if (timestamp !== undefined) {
		yield [
			'matches the timestamp and the body: that is X-Webhook-Signature-V2',
			{...claim, before: `${timestamp}.`},
		];
	}
}
