import {createSecretKey} from 'node:crypto';
import type {Route} from '../config/route.ts';
import {hubScheme} from '../webhook/plain-schemes.ts';
import {hmacOf} from '../webhook/signature-digest.ts';
import {formOf, schemeOf} from '../webhook/signature-forms.ts';

/** Begins a key with which signatures are checked and none can be made. */
const publicPrefix = 'whpk_';

/**
 * The headers that sign `body` as the senders of `route` do: by the scheme that it names, else as GitHub does. `undefined` when the gateway
 * holds no secret to sign with. A timestamp, where the scheme has one, is `nowMs`.
 */
export function signatureHeaders(
	{signature, secrets}: Pick<Route, 'signature' | 'secrets'>,
	body: string,
	nowMs: number,
): Readonly<Record<string, string>> | undefined {
	const secret = secrets.find(text => text !== '' && !text.startsWith(publicPrefix));
	if (secret === undefined) {
		return undefined;
	}

	const form = signature && formOf(signature);
	const scheme = signature ? schemeOf(signature) : hubScheme;
	const timestamp = String(Math.floor(nowMs / 1000));
	const stamped = form?.timestampItem === undefined ? '' : `${form.timestampItem}${timestamp},`;
	const headers = form?.timestampHeader === undefined ? {} : {[form.timestampHeader]: timestamp};
	// What the receiver would read of such headers says what is to be signed, and how it is written down.
	const reading = scheme.read(stamped, headers);
	if ('problem' in reading || reading.claim.scheme === 'token') {
		return undefined;
	}

	const {claim} = reading;
	const digest = hmacOf(createSecretKey(Buffer.from(secret)), claim, Buffer.from(body));
	const {prefix, encoding} = claim.form;
	return {...headers, [scheme.header]: `${stamped}${prefix}${digest.toString(encoding)}`};
}
