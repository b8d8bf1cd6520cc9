import {headerOf} from './headers.ts';
import {nameOf, passed} from './plain-schemes.ts';
import {digestOf, problemOfTimestamp, sameDigest} from './signature-check.ts';
import type {SignatureCheck} from './signature-check.ts';

const versionPrefix = 'v1,';

/** Length of a SHA-256 digest in base64. */
const signatureLength = 44;

/** More signatures than a rotation ever holds; a header of 16 KiB must not cost hundreds of comparisons. */
const mostSignatures = 16;

/**
 * Standard Webhooks under either family of header names: `<id>.<timestamp>.<raw body>`, any `v1` signature of the space-separated
 * list passes. The family of the signature header gives the other two as well.
 *
 * @see Interface 5.2, Decisions 3
 */
export function checkStandardWebhook(family: 'svix' | 'webhook'): SignatureCheck {
	const idHeader = `${family}-id`;
	const timestampHeader = `${family}-timestamp`;

	return ({value, request, keys, nowMs}) => {
		const id = headerOf(request.headers, idHeader);
		if (!id) {
			return {ok: false, detail: `${idHeader} is missing`};
		}

		const timestamp = headerOf(request.headers, timestampHeader);
		const problem = problemOfTimestamp(timestamp, timestampHeader, nowMs);
		if (problem !== undefined) {
			return {ok: false, detail: problem};
		}

		const claims = digestsIn(value);
		if (claims.length === 0) {
			return {ok: false, detail: `${family}-signature holds no v1 signature`};
		}

		const index = keys.standard.findIndex(key => {
			const digest = digestOf(key, `${id}.${timestamp}.`, request.body);
			return claims.some(claim => sameDigest(claim, digest));
		});
		return index === -1
			? {ok: false, detail: `standard-webhooks: does not match ${nameOf(keys.standard.length)}`}
			: {
					...passed('standard-webhooks', index, keys.standard.length),
					signedIdHeader: idHeader,
				};
	};
}

/** The `v1` signatures of a list, decoded. */
function digestsIn(list: string): readonly Buffer[] {
	return list
		.split(' ')
		.slice(0, mostSignatures)
		.filter(
			item =>
				item.startsWith(versionPrefix) && item.length === versionPrefix.length + signatureLength,
		)
		.map(item => Buffer.from(item.slice(versionPrefix.length), 'base64'));
}
