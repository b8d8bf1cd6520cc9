import {codeOf, messageOf} from './errors.ts';

/** What OpenSSL calls a certificate whose issuer nobody here knows. */
export const unknownAuthorityCodes = [
	'SELF_SIGNED_CERT_IN_CHAIN',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'CERT_UNTRUSTED',
] as const;

const codes: ReadonlySet<string> = new Set(unknownAuthorityCodes);

/** Its words, for libraries that put a code of their own in the place of its. */
const words =
	/self.signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/i;

/** Whether an error says that a certificate was not issued by an authority that is known here. */
export const isUnknownAuthority = (error: unknown): boolean =>
	codes.has(codeOf(error)) || words.test(messageOf(error));
