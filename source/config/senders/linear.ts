import {hmacSha256, type SenderPreset} from './sender.ts';

/** Linear's own library allows the same difference of the time. @see https://linear.app/developers/webhooks#securing-webhooks */
export const linear: SenderPreset = {
	description:
		'`Linear-Signature`; `webhookTimestamp` of the body, if present, 60 s; event and identifier come from `Linear-Event` and `Linear-Delivery`, which are unsigned',
	signature: hmacSha256('linear-signature', {
		bodyTime: {field: 'webhookTimestamp', toleranceMs: 60_000},
	}),
	names: {eventHeaders: ['linear-event'], idHeaders: ['linear-delivery']},
	subjects: [
		['{data.issue.identifier} comment {action}[ · {data.body}]', 'webhookTimestamp'],
		['{data.identifier} {action}[ · {data.title}]', 'webhookTimestamp'],
		['{type} {action}[ · {data.name}]', 'webhookTimestamp'],
	],
};
