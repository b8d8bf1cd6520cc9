import type {SignatureSpec} from '../config/route.ts';
import {headerOf} from './headers.ts';
import type {HmacClaim, Scheme} from './signature-claim.ts';
import {decodeDigest, digestSizes} from './signature-digest.ts';

/** A scheme in the words of a route, and what only the presets have. */
type Description = Omit<Extract<SignatureSpec, {kind: 'custom'}>, 'kind'> &
	Pick<HmacClaim, 'scheme' | 'problemOfBody'>;

/** Rotations send two; a header of 16 KiB must not cost hundreds of comparisons. */
const mostSignatures = 16;

/**
 * A scheme that is an HMAC of the body, perhaps with a timestamp, in one header. A sender that rotates its secret, or a header that comes twice, gives
 * several signatures separated by commas: any of them passes. A description that `{body}` does not stand in exactly once fits no request.
 *
 * @see manual/signatures.md#the-signature-of-a-route
 */
export function customScheme(description: Description): Scheme {
	const {scheme, header, algorithm, prefix, encoding, timestampHeader} = description;
	const [before, after, ...more] = wireText(description.signed).split('{body}');
	const size = digestSizes[algorithm];
	const form = {prefix, encoding};

	return {
		header,
		read(value, headers) {
			if (before === undefined || after === undefined || more.length > 0) {
				return {problem: `${scheme}: {body} is to stand in "signed" exactly once`};
			}

			const timestamp =
				timestampHeader === undefined ? undefined : headerOf(headers, timestampHeader);
			const fill = (text: string) => text.replaceAll('{timestamp}', timestamp ?? '');
			return {
				claim: {
					scheme,
					header,
					algorithm,
					form,
					digests: itemsOf(value, prefix).flatMap(item => decodeDigest(item, encoding, size) ?? []),
					seals: [],
					before: fill(before),
					after: fill(after),
					keys: 'literal',
					...(timestampHeader !== undefined && {
						timestamp: {header: timestampHeader, text: timestamp},
					}),
					...(description.problemOfBody && {problemOfBody: description.problemOfBody}),
				},
			};
		},
	};
}

/** Configured text as its UTF-8 bytes, one a character: the form in which header text comes. */
const wireText = (text: string) => Buffer.from(text).toString('latin1');

/** The signatures in a header, without their prefix. A prefix that holds a comma itself is looked for in the whole header only. */
function itemsOf(value: string, prefix: string): readonly string[] {
	const items = prefix.includes(',')
		? [value]
		: value.split(',', mostSignatures).map(item => item.trim());
	return items.filter(item => item.startsWith(prefix)).map(item => item.slice(prefix.length));
}
