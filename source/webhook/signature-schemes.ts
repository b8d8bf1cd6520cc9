import type {SignatureSpec} from '../config/route.ts';
import {formOf, senderNames, senders, type SenderName} from '../config/senders/senders.ts';
import {hubScheme, v1Scheme, v2Scheme, standardScheme} from './fixed-schemes.ts';
import {formScheme} from './form-scheme.ts';
import {headerOf, type RequestHeaders} from './request-content.ts';
import {type Scheme, tokenScheme, type Reading} from './signature-claim.ts';

/** The scheme of each sender that a route may name. @see manual/signatures.md#the-signature-of-a-route */
// Every name has an entry.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const senderSchemes = Object.fromEntries(
	senderNames.map(name => [name, formScheme(name, senders[name].signature)]),
) as Readonly<Record<SenderName, Scheme>>;

const ownSchemes = new WeakMap<SignatureSpec, Scheme>();

/** The scheme that `spec` names or describes; made once per object. */
export function schemeOf(spec: SignatureSpec): Scheme {
	if (spec.kind !== 'custom' && spec.header === undefined) {
		return senderSchemes[spec.kind];
	}

	const known = ownSchemes.get(spec);
	if (known) {
		return known;
	}

	const scheme = formScheme(spec.kind, formOf(spec));
	ownSchemes.set(spec, scheme);
	return scheme;
}

/** In the order of precedence: the first scheme whose header is present decides alone. @see manual/signatures.md#schemes */
export const recognisedSchemes: readonly Scheme[] = [
	standardScheme('svix'),
	standardScheme('webhook'),
	hubScheme,
	tokenScheme('x-forge2-token'),
	tokenScheme('x-gitlab-token'),
	v2Scheme,
	v1Scheme,
];

const unsigned: Reading = {problem: 'no signature header'};

/** What the headers claim: by the scheme of the route when it names one, else by the first one that is recognised. */
export function readClaim(
	spec: SignatureSpec | undefined,
	headers: RequestHeaders,
	url?: string,
): Reading {
	if (spec !== undefined) {
		const {header, read} = schemeOf(spec);
		const value = headerOf(headers, header);
		return value === undefined ? {problem: `${header} is missing`} : read(value, headers, url);
	}

	for (const {header, read} of recognisedSchemes) {
		const value = headers[header];
		if (value !== undefined) {
			return typeof value === 'string' ? read(value, headers) : unsigned;
		}
	}

	return unsigned;
}
