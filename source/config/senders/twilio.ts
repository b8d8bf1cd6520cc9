import {createHash} from 'node:crypto';
import type {AddressedRequest, SenderPreset} from './sender.ts';

/** Far more fields than Twilio sends: a sender without the secret must not make us sort millions. */
const maxFields = 1000;

const formType = /^application\/x-www-form-urlencoded/i;

/**
 * The signed content: the address, followed by the fields of a form, sorted by name, each name followed by its value. If it contains a digest of the body, that digest must
 * match.
 */
function contentOf({url, body, contentType}: AddressedRequest): string | undefined {
	const isForm = formType.test(contentType ?? '');
	const fields = isForm ? fieldsOf(body.toString()) : '';
	if (fields === undefined) {
		return undefined;
	}

	// Searches the fields, too: the end of an address that was signed for JSON could be sent as the name of a field.
	const signed = digestIn(url) === undefined ? url + fields : url;
	const digest = digestIn(signed);
	if (digest === undefined) {
		return isForm ? signed : undefined;
	}

	return digest.toLowerCase() === createHash('sha256').update(body).digest('hex')
		? signed
		: undefined;
}

const digestIn = (address: string): string | undefined =>
	URL.parse(address)?.searchParams.get('bodySHA256') ?? undefined;

function fieldsOf(form: string): string | undefined {
	if (form.split('&', maxFields + 1).length > maxFields) {
		return undefined;
	}

	// Equal pairs of name and value count once; several values of one name are sorted.
	const fields = [...new URLSearchParams(form)].toSorted(inOrder);
	const parts = new Map(fields.map(pair => [JSON.stringify(pair), pair.join('')]));
	return [...parts.values()].join('');
}

const inOrder = (
	[name, value]: readonly [string, string],
	[otherName, otherValue]: readonly [string, string],
): number => compare(name, otherName) || compare(value, otherValue);

/** Compares by code units, as Twilio's libraries sort. */
const compare = (left: string, right: string): number =>
	Number(left > right) - Number(left < right);

/** The secret is the auth token of the account. @see https://www.twilio.com/docs/usage/security#validating-requests */
export const twilio: SenderPreset = {
	description:
		'`X-Twilio-Signature` (HMAC-SHA1) of the address (`public_url`, exactly as Twilio was given it) and of the fields of a form; JSON is covered by its hash `bodySHA256` in the address. The event is `EventType`, `MessageStatus`, `SmsStatus` or `CallStatus`; the identifier is `I-Twilio-Idempotency-Token`, which is unsigned. `svc webhook test` cannot make this signature',
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
	subjects: [
		// Without the text of a message: it may be a login code.
		['{From}[ {CallStatus}][ {MessageStatus}]', 'AccountSid'],
	],
};
