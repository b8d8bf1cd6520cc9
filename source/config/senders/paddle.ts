import type {SenderPreset} from './sender.ts';

/** While a secret is rotated there is an `h1` for each. @see https://developer.paddle.com/webhooks/signature-verification */
export const paddle: SenderPreset = {
	description:
		'`Paddle-Signature: ts=…;h1=…`, 300 s; event and identifier are `event_type` and `event_id` of the body',
	signature: {
		header: 'paddle-signature',
		algorithm: 'sha256',
		prefix: 'h1=',
		encoding: 'hex',
		separator: ';',
		timestampItem: 'ts=',
		signed: '{timestamp}:{body}',
	},
	names: {eventFields: ['event_type'], idFields: ['event_id']},
	subjects: [{text: '{data.id}', more: [' {data.status}'], needs: 'notification_id'}],
};
