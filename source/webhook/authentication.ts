import {insecureSecret} from '../config/route-refusals.ts';
import type {Route} from '../config/route.ts';
import {cleanDetail, nameDraft, note, stop} from './delivery-draft.ts';
import type {DeliveryDraft} from './delivery-draft.ts';
import {deliveryIdOf} from './identity.ts';
import type {ReceiverServices} from './receiver-services.ts';
import {refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {headerIdOf} from './sender-identity.ts';
import {verifySignature} from './signature.ts';
import {isFromForeignPage} from './web-page.ts';

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
