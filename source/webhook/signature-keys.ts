import {createHash, createSecretKey} from 'node:crypto';
import type {KeyObject} from 'node:crypto';
import type {Route} from '../config/route.ts';

/** The secrets of a route in the forms that the schemes need; empty keys are left out, so that they never match. */
export type SignatureKeys = {
	/** Standard Webhooks: what follows `whsec_`, base64-decoded; any other secret as UTF-8. */
	readonly standard: readonly KeyObject[];
	/** The other HMAC schemes: the same keys and, since their senders know nothing of the prefix, `whsec_…` as it is written. */
	readonly plain: readonly KeyObject[];
	/** SHA-256 of each secret, so that comparing tokens tells nothing of their length. */
	readonly tokens: readonly Buffer[];
};

const prefix = 'whsec_';

const keysOfRoutes = new WeakMap<Route, SignatureKeys>();

/** The keys of `route`, made once per route object. */
export function signatureKeysOf(route: Route): SignatureKeys {
	const known = keysOfRoutes.get(route);
	if (known) {
		return known;
	}

	const keys = makeSignatureKeys(route.secrets);
	keysOfRoutes.set(route, keys);
	return keys;
}

/** A key object costs half of a buffer at each signature. */
const usable = (keys: readonly Buffer[]): readonly KeyObject[] =>
	keys.filter(key => key.length > 0).map(key => createSecretKey(key));

/** The keys of a list of secrets, any of which passes. @see Decisions 3 */
export function makeSignatureKeys(secrets: readonly string[]): SignatureKeys {
	const literal = secrets.filter(secret => secret !== '').map(secret => Buffer.from(secret));
	const decoded = secrets
		.filter(secret => secret.startsWith(prefix))
		.map(secret => Buffer.from(secret.slice(prefix.length), 'base64'));
	const unprefixed = secrets
		.filter(secret => secret !== '' && !secret.startsWith(prefix))
		.map(secret => Buffer.from(secret));

	return {
		standard: usable([...unprefixed, ...decoded]),
		plain: usable([...literal, ...decoded]),
		tokens: literal.map(secret => createHash('sha256').update(secret).digest()),
	};
}
