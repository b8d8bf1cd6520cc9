import type {HmacClaim} from './signature-claim.ts';
import type {HmacAlgorithm} from './signature-digest.ts';

/** Names as people write them. */
export const algorithmNames: Readonly<Record<HmacAlgorithm, string>> = {
	sha1: 'SHA-1',
	sha256: 'SHA-256',
	sha512: 'SHA-512',
};

/** How a signature is to be written, for a sentence: `a SHA-256 digest in hex after "sha256="`. */
export const describeForm = ({
	algorithm,
	form: {prefix, encoding, isEd25519},
}: Pick<HmacClaim, 'algorithm' | 'form'>): string =>
	`${isEd25519 ? 'an Ed25519 signature' : `a ${algorithmNames[algorithm]} digest`} in ${encoding}${prefix === '' ? '' : ` after "${prefix}"`}`;
