import {hmacSha256, type SenderPreset} from './sender.ts';

/** @see https://developer.pagerduty.com/docs/verifying-webhook-signatures */
export const pagerduty: SenderPreset = {
	description:
		'`X-PagerDuty-Signature: v1=…`, one of several signatures must match; event and identifier are `event.event_type` and `event.id` of the body',
	signature: hmacSha256('x-pagerduty-signature', {prefix: 'v1='}),
	names: {eventFields: ['event.event_type'], idFields: ['event.id']},
	subjects: [
		['#{event.data.number} {event.data.status}[ · {event.data.title}]', 'event.event_type'],
		['{event.data.incident.summary}', 'event.event_type'],
	],
};
