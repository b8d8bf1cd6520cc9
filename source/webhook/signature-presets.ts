import type {SignatureSpec} from '../config/route.ts';
import {customScheme} from './custom-scheme.ts';
import {problemOfLinearBody} from './linear-timestamp.ts';
import type {Scheme} from './signature-claim.ts';
import {stripeScheme} from './stripe-scheme.ts';

/** The schemes that a route may name instead of describing them. @see manual/signatures.md#the-signature-of-a-route */
export const presets: Readonly<Record<Exclude<SignatureSpec['kind'], 'custom'>, Scheme>> = {
	/** https://docs.stripe.com/webhooks#verify-manually */
	stripe: stripeScheme,
	/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
	slack: customScheme({
		scheme: 'slack',
		header: 'x-slack-signature',
		algorithm: 'sha256',
		prefix: 'v0=',
		encoding: 'hex',
		timestampHeader: 'x-slack-request-timestamp',
		signed: 'v0:{timestamp}:{body}',
	}),
	/** https://shopify.dev/docs/apps/build/webhooks/subscribe/https */
	shopify: customScheme({
		scheme: 'shopify',
		header: 'x-shopify-hmac-sha256',
		algorithm: 'sha256',
		prefix: '',
		encoding: 'base64',
		signed: '{body}',
	}),
	/** https://linear.app/developers/webhooks#securing-webhooks */
	linear: customScheme({
		scheme: 'linear',
		header: 'linear-signature',
		algorithm: 'sha256',
		prefix: '',
		encoding: 'hex',
		signed: '{body}',
		problemOfBody: problemOfLinearBody,
	}),
};

const customSchemes = new WeakMap<SignatureSpec, Scheme>();

/** The scheme that `spec` names or describes; made once per object. */
export function schemeOf(spec: SignatureSpec): Scheme {
	if (spec.kind !== 'custom') {
		return presets[spec.kind];
	}

	const known = customSchemes.get(spec);
	if (known) {
		return known;
	}

	const scheme = customScheme({...spec, scheme: 'custom'});
	customSchemes.set(spec, scheme);
	return scheme;
}
