import {createSecretKey} from 'node:crypto';
import type {Route} from '../config/route.ts';
import {hubScheme} from '../webhook/plain-schemes.ts';
import {hmacOf} from '../webhook/signature-digest.ts';
import {schemeOf} from '../webhook/signature-presets.ts';

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

	const scheme = signature ? schemeOf(signature) : hubScheme;
	const timestamp = String(Math.floor(nowMs / 1000));
	const isStripe = signature?.kind === 'stripe';
	const stamped = isStripe ? `t=${timestamp},` : '';
	const headers = {...timestampHeader(signature, timestamp)};
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

function timestampHeader(
	signature: Route['signature'],
	timestamp: string,
): Readonly<Record<string, string>> {
	switch (signature?.kind) {
		case 'slack':
			return {'x-slack-request-timestamp': timestamp};
		case 'custom':
			return signature.timestampHeader === undefined
				? {}
				: {[signature.timestampHeader]: timestamp};
		case 'stripe':
		case 'shopify':
		case 'linear':
		case undefined:
			return {};
	}
}
