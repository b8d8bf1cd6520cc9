import {createHash} from 'node:crypto';
import type {AddressedRequest, SenderPreset} from './sender.ts';

const formType = /^application\/x-www-form-urlencoded/i;

/** The address, and behind it the fields of a form by their names, each followed by its value. Of any other body the address holds the digest. */
function contentOf({url, body, contentType}: AddressedRequest): string | undefined {
	if (!formType.test(contentType ?? '')) {
		const digest = createHash('sha256').update(body).digest('hex');
		return URL.parse(url)?.searchParams.get('bodySHA256')?.toLowerCase() === digest
			? url
			: undefined;
	}

	const fields = new URLSearchParams(body.toString());
	const names = [...new Set(fields.keys())].toSorted((a, b) => (a < b ? -1 : 1));
	const parts = names.flatMap(name =>
		[...new Set(fields.getAll(name))]
			.toSorted((a, b) => (a < b ? -1 : 1))
			.map(value => name + value),
	);
	return url + parts.join('');
}

/** The secret is the auth token of the account. @see https://www.twilio.com/docs/usage/security#validating-requests */
export const twilio: SenderPreset = {
	description:
		'`X-Twilio-Signature` (HMAC-SHA1) of the address, which `public_url` says as Twilio was given it, and of the form; of JSON by `bodySHA256`. The identifier is `I-Twilio-Idempotency-Token`, which is not signed. `svc webhook test` cannot sign like this',
	signature: {
		header: 'x-twilio-signature',
		algorithm: 'sha1',
		prefix: '',
		encoding: 'base64',
		signed: '{body}',
		contentOf,
	},
	names: {idHeaders: ['i-twilio-idempotency-token']},
};
