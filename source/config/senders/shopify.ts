import {hmacSha256, type SenderPreset} from './sender.ts';

/** @see https://shopify.dev/docs/apps/build/webhooks/subscribe/https */
export const shopify: SenderPreset = {
	description:
		'`X-Shopify-Hmac-Sha256`; event and identifier come from `X-Shopify-Topic` and `X-Shopify-Webhook-Id`, which are unsigned: set `dedupe_body: true`',
	signature: hmacSha256('x-shopify-hmac-sha256', {encoding: 'base64'}),
	names: {eventHeaders: ['x-shopify-topic'], idHeaders: ['x-shopify-webhook-id']},
	subjects: [
		['{name}[ {financial_status}][ {fulfillment_status}]', 'admin_graphql_api_id'],
		['{title}[ {status}]', 'admin_graphql_api_id'],
		['{id}[ {status}]', 'admin_graphql_api_id'],
	],
};
