import {hmacSha256, type SenderPreset} from './sender.ts';

/** Authors of triggers choose their bodies, so no field is an identifier. @see https://developer.zendesk.com/documentation/webhooks/verifying/ */
export const zendesk: SenderPreset = {
	description:
		'`X-Zendesk-Webhook-Signature` with `X-Zendesk-Webhook-Signature-Timestamp` (ISO 8601), 300 s; the identifier is `X-Zendesk-Webhook-Invocation-Id`, which is unsigned',
	signature: hmacSha256('x-zendesk-webhook-signature', {
		encoding: 'base64',
		timestampHeader: 'x-zendesk-webhook-signature-timestamp',
		timeFormat: 'iso',
		signed: '{timestamp}{body}',
	}),
	names: {eventFields: ['type'], idHeaders: ['x-zendesk-webhook-invocation-id']},
	subjects: [['#{detail.id}[ {detail.status}][ · {detail.subject}]', 'zendesk_event_version']],
};
