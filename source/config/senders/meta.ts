import {hmacSha256, type SenderPreset} from './sender.ts';

/** Facebook, Instagram, WhatsApp, Threads. The secret is the app secret. @see https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
export const meta: SenderPreset = {
	description:
		'`X-Hub-Signature-256: sha256=…`; the event is `object` of the body (`page`, `whatsapp_business_account`); no identifier: set `dedupe_body: true`; the `GET` that verifies the address [is answered](receiver.md#challenges) if its verify token is a secret of the route',
	signature: hmacSha256('x-hub-signature-256', {prefix: 'sha256='}),
	hasCommonHeader: true,
	names: {eventFields: ['object']},
	subjects: ['{object} {entry.0.changes.0.field}[ {entry.0.id}]', '{object} {entry.0.id}'],
	greet({query, isSecret}) {
		if (query.get('hub.mode') !== 'subscribe') {
			return undefined;
		}

		return isSecret(query.get('hub.verify_token') ?? '')
			? {text: query.get('hub.challenge') ?? ''}
			: {problem: 'hub.verify_token is no secret of the route'};
	},
};
