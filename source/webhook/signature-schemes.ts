import type {SignatureSpec} from '../config/route.ts';
import {headerOf} from './headers.ts';
import type {RequestHeaders} from './headers.ts';
import {hubScheme, v1Scheme, v2Scheme} from './plain-schemes.ts';
import {tokenScheme} from './signature-claim.ts';
import type {Reading, Scheme} from './signature-claim.ts';
import {schemeOf} from './signature-forms.ts';
import {standardScheme} from './standard-webhooks.ts';

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
