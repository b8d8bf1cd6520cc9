import {hmacSha256, type SenderPreset} from './sender.ts';

/** During a rotation there is a `v1` for each secret; there may also be `v0` ones, for tests. @see https://docs.stripe.com/webhooks#verify-manually */
export const stripe: SenderPreset = {
	description:
		'`Stripe-Signature: t=…,v1=…`, 300 s; event and identifier are `type` and `id` of the body, which is signed',
	signature: hmacSha256('stripe-signature', {
		prefix: 'v1=',
		timestampItem: 't=',
		signed: '{timestamp}.{body}',
	}),
	names: {eventFields: ['type'], idFields: ['id']},
	subjects: [
		['{data.object.id}[ {data.object.status}][ · {data.object.description}]', 'api_version'],
	],
};
