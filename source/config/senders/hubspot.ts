import {hmacSha256, type AddressedRequest, type SenderPreset} from './sender.ts';

/** Escapes that are decoded in the address before it is signed; others stay. */
const unescaped = /%(?:3a|2f|3f|40|21|24|27|28|29|2a|2c|3b)/gi;

const contentOf = ({url, body}: AddressedRequest): string =>
	`POST${url.replaceAll(unescaped, decodeURIComponent)}${body.toString()}`;

/** The secret is the client secret of the app. @see https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests */
export const hubspot: SenderPreset = {
	description:
		'`X-HubSpot-Signature-v3` of the address (`public_url`, exactly as HubSpot was given it), the body, and `X-HubSpot-Request-Timestamp` (milliseconds, 300 s); the event is `subscriptionType` of the first element; no identifier: set `dedupe_body: true`. `svc webhook test` cannot make this signature',
	signature: hmacSha256('x-hubspot-signature-v3', {
		encoding: 'base64',
		timestampHeader: 'x-hubspot-request-timestamp',
		timeFormat: 'any',
		signed: '{body}{timestamp}',
		contentOf,
	}),
	names: {eventFields: ['0.subscriptionType']},
	subjects: ['{0.subscriptionType} {0.objectId}'],
};
