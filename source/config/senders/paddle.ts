import {hmacSha256, type SenderPreset} from './sender.ts';

/** During a rotation there is an `h1` for each secret. @see https://developer.paddle.com/webhooks/signature-verification */
export const paddle: SenderPreset = {
	description:
		'`Paddle-Signature: ts=…;h1=…`, 300 s; event and identifier are `event_type` and `event_id` of the body',
	signature: hmacSha256('paddle-signature', {
		prefix: 'h1=',
		separator: ';',
		timestampItem: 'ts=',
		signed: '{timestamp}:{body}',
	}),
	names: {eventFields: ['event_type'], idFields: ['event_id']},
	subjects: [['{data.id}[ {data.status}]', 'notification_id']],
};
