import {createHash} from 'node:crypto';
import type {AddressedRequest, SenderPreset} from './sender.ts';

/** Many times what there is. Whoever knows no secret must not have millions sorted. */
const maxFields = 1000;

const formType = /^application\/x-www-form-urlencoded/i;

/** The address, and behind it the fields of a form by their names, each followed by its value. Of any other body the address holds the digest. */
function contentOf({url, body, contentType}: AddressedRequest): string | undefined {
	if (!formType.test(contentType ?? '')) {
		const digest = createHash('sha256').update(body).digest('hex');
		return URL.parse(url)?.searchParams.get('bodySHA256')?.toLowerCase() === digest
			? url
			: undefined;
	}

	const form = body.toString();
	if (form.split('&', maxFields + 1).length > maxFields) {
		return undefined;
	}

	// Of several values of one name each counts once, in their order.
	const fields = [...new URLSearchParams(form)].toSorted(inOrder);
	const parts = new Map(fields.map(pair => [JSON.stringify(pair), pair.join('')]));
	return url + [...parts.values()].join('');
}

const inOrder = (
	[name, value]: readonly [string, string],
	[otherName, otherValue]: readonly [string, string],
): number => compare(name, otherName) || compare(value, otherValue);

/** By code units, as their libraries sort. */
function compare(left: string, right: string): number {
	if (left === right) {
		return 0;
	}

	return left < right ? -1 : 1;
}

/** The secret is the auth token of the account. @see https://www.twilio.com/docs/usage/security#validating-requests */
export const twilio: SenderPreset = {
	description:
		'`X-Twilio-Signature` (HMAC-SHA1) of the address, which `public_url` says as Twilio was given it, and of the form; of JSON by `bodySHA256`. The event is `EventType`, `MessageStatus`, `SmsStatus` or `CallStatus`; the identifier is `I-Twilio-Idempotency-Token`, which is not signed. `svc webhook test` cannot sign like this',
	signature: {
		header: 'x-twilio-signature',
		algorithm: 'sha1',
		prefix: '',
		encoding: 'base64',
		signed: '{body}',
		contentOf,
	},
	names: {
		eventFields: ['EventType', 'MessageStatus', 'SmsStatus', 'CallStatus'],
		idHeaders: ['i-twilio-idempotency-token'],
	},
};
