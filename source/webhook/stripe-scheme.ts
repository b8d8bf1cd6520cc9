import type {Scheme} from './signature-claim.ts';
import {decodeDigest, digestSizes} from './signature-digest.ts';

const header = 'stripe-signature';

const timestampPrefix = 't=';

const signaturePrefix = 'v1=';

/** `v0` ones for tests stand there too; a header of 16 KiB must not cost hundreds of comparisons. */
const mostItems = 32;

/** `Stripe-Signature: t=<seconds>,v1=<hex>` over `<timestamp>.<body>`; while a secret is rolled there is a `v1` for each, any of them passes. */
export const stripeScheme: Scheme = {
	header,
	read(value) {
		const items = value.split(',', mostItems).map(item => item.trim());
		const timestamps = new Set(valuesOf(items, timestampPrefix));
		const [timestamp] = timestamps;
		if (timestamps.size > 1) {
			return {problem: `${header} holds several timestamps`};
		}

		return {
			claim: {
				scheme: 'stripe',
				header,
				algorithm: 'sha256',
				form: {prefix: signaturePrefix, encoding: 'hex'},
				digests: valuesOf(items, signaturePrefix).flatMap(
					text => decodeDigest(text, 'hex', digestSizes.sha256) ?? [],
				),
				seals: [],
				before: `${timestamp ?? ''}.`,
				after: '',
				keys: 'literal',
				timestamp: {header: `t of ${header}`, text: timestamp},
			},
		};
	},
};

const valuesOf = (items: readonly string[], prefix: string): readonly string[] =>
	items.filter(item => item.startsWith(prefix)).map(item => item.slice(prefix.length));
