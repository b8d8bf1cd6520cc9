import {insecureSecret} from '../config/route-refusals.ts';
import type {Route} from '../config/route.ts';
import {deliveryIdHeaders} from './headers.ts';
import {deliveryIdOf} from './identity.ts';
import type {PipelineParts} from './pipeline-parts.ts';
import {refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {idHeadersFor} from './sender-identity.ts';
import {verifySignature} from './signature.ts';
import {cleanDetail, nameVisit, note, stop} from './visit.ts';
import type {Visit} from './visit.ts';

/**
 * Whether the sender knows a secret of the route. The answer when it does not: the client learns nothing more, the trace says why. Otherwise `undefined`, and the identifier
 * is the one that senders of this route give it, or that the signature covers.
 *
 * @see manual/signatures.md#schemes, manual/receiver.md#order-of-decisions
 */
export function authenticate(
	visit: Visit,
	{route, body}: {readonly route: Route; readonly body: Buffer},
	parts: PipelineParts,
): Reply | undefined {
	if (route.insecure) {
		if (!parts.isLoopback) {
			return stop(visit, refusals.signature, {
				step: 'signature',
				detail: `${insecureSecret}: the receiver does not listen on loopback`,
			});
		}

		note(visit, 'signature', {verdict: 'skip', detail: insecureSecret});
		nameDelivery(visit, idHeadersFor(route));
		return undefined;
	}

	const request = {headers: visit.headers, body};
	const verdict = verifySignature(route, request, parts.clock.now());
	if (!verdict.ok) {
		const others = parts.routes().routes.values();
		const reason = parts.doctor.explain(request, {route, others, refusal: verdict.detail});
		return stop(visit, refusals.signature, {
			step: 'signature',
			detail: cleanDetail(visit, reason),
		});
	}

	note(visit, 'signature', {verdict: 'pass', detail: verdict.detail});
	if (verdict.scheme === 'v1') {
		parts.warnOnce(
			route.name,
			`Route "${route.name}" is signed with X-Webhook-Signature (V1), which has no replay protection and is deprecated: use X-Webhook-Signature-V2`,
		);
	}

	const {signedIdHeader} = verdict;
	visit.hasSignedId = signedIdHeader !== undefined;
	nameDelivery(visit, signedIdHeader === undefined ? idHeadersFor(route) : [signedIdHeader]);
	return undefined;
}

function nameDelivery(visit: Visit, sources: readonly string[]): void {
	if (sources !== deliveryIdHeaders) {
		nameVisit(visit, deliveryIdOf(visit.headers, sources));
	}
}
