import {withoutPrefix} from './form-scheme.ts';
import {headerOf} from './request-content.ts';
import {
	type Claim,
	type HmacClaim,
	decodeDigest,
	digestSizes,
	type DigestEncoding,
	type HmacAlgorithm,
	algorithmNames,
} from './signature-claim.ts';
import type {RefusedSignature} from './signature-probe.ts';

/** A digest that a header holds in some form. */
type Found = {
	readonly algorithm: HmacAlgorithm;
	readonly encoding: DigestEncoding;
	/** As a stranger wrote it: to be compared, not to be shown. */
	readonly prefix: string;
	readonly digest: Buffer;
};

const milliseconds = /^\d{13}$/;

/** Items of a header that are looked at. */
const maxItems = 16;

/**
 * What is odd about the way in which the signature is written, and the claim as it was probably meant: with the digests that the header holds in another
 * encoding, of another length, or behind another prefix.
 */
export function explainForm(
	{request: {headers}}: RefusedSignature,
	claim: Claim,
): {readonly claim: Claim; readonly finding: string | undefined} {
	const value = headerOf(headers, claim.header) ?? '';
	if (value === '') {
		return {claim, finding: `${claim.header} is empty`};
	}

	if (claim.scheme === 'token') {
		return claim.lacksPrefix === undefined
			? {claim, finding: undefined}
			: {
					claim: withoutPrefix(claim, value),
					finding: describePrefix(value.includes(' ') ? 'another' : '', claim.prefix ?? ''),
				};
	}

	if (claim.form.isEd25519) {
		return {claim, finding: undefined};
	}

	const {text = '', format} = claim.timestamp ?? {};
	if (format !== 'any' && milliseconds.test(text)) {
		return {claim, finding: 'the timestamp looks like milliseconds, seconds are expected'};
	}

	const [first, ...more] =
		claim.digests.length === 0 && claim.ed25519Signatures.length === 0 ? digestsIn(value) : [];
	if (!first) {
		return {claim, finding: undefined};
	}

	const alike = more.filter(({algorithm}) => algorithm === first.algorithm);
	return {
		claim: {
			...claim,
			algorithm: first.algorithm,
			digests: [first, ...alike].map(({digest}) => digest),
		},
		finding: describeDifference(claim, first) ?? 'the header holds more than one signature',
	};
}

function describeDifference({algorithm, form}: HmacClaim, found: Found): string | undefined {
	const differences = [
		found.algorithm !== algorithm &&
			`it is as long as a ${algorithmNames[found.algorithm]} digest, not ${algorithmNames[algorithm]}`,
		found.encoding !== form.encoding && `it is ${found.encoding}, not ${form.encoding}`,
		found.prefix !== form.prefix && describePrefix(found.prefix, form.prefix),
	].filter(difference => difference !== false);
	return differences.length === 0 ? undefined : differences.join(', ');
}

function describePrefix(found: string, expected: string): string {
	if (expected === '') {
		return 'it has a prefix, none is expected';
	}

	return found === ''
		? `the prefix "${expected}" is missing`
		: `it has another prefix than "${expected}"`;
}

const digestsIn = (value: string): readonly Found[] =>
	[value, ...value.split(/[\s,;]/, maxItems)].flatMap(item => {
		const found = findDigest(item, '');
		const prefix = /^[\w.-]{1,32}[=:,]/.exec(item)?.[0];
		return found.length === 0 && prefix !== undefined
			? findDigest(item.slice(prefix.length), prefix)
			: found;
	});

const algorithms = ['sha256', 'sha1', 'sha512'] as const satisfies readonly HmacAlgorithm[];

const encodings = ['hex', 'base64'] as const satisfies readonly DigestEncoding[];

const findDigest = (text: string, prefix: string): readonly Found[] =>
	algorithms.flatMap(algorithm =>
		encodings.flatMap(encoding => {
			const digest = decodeDigest(text, encoding, digestSizes[algorithm]);
			return digest === undefined ? [] : [{algorithm, encoding, prefix, digest}];
		}),
	);
