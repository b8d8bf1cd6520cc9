import {createHash} from 'node:crypto';
import type {KeyObject} from 'node:crypto';
import {headerOf} from './headers.ts';
import {digestOf, digestOfHex, problemOfTimestamp, sameDigest} from './signature-check.ts';
import type {SignatureCheck, SignatureScheme, SignatureVerdict} from './signature-check.ts';

const hubPrefix = 'sha256=';

/** Code host A: `X-Hub-Signature-256: sha256=<hex>` over the raw body. @see Interface 5.2 */
export const checkHub: SignatureCheck = ({value, request, keys}) => {
	const claimed = value.startsWith(hubPrefix) ? value.slice(hubPrefix.length) : '';
	return checkHex({scheme: 'hub-256', claimed, prefix: '', body: request.body, keys: keys.plain});
};

/** Code host B: the header equals the secret. Both sides are hashed, so that the time tells nothing of the length. @see Interface 5.2 */
export const checkToken: SignatureCheck = ({value, header, keys}) => {
	const claimed = createHash('sha256').update(value, 'latin1').digest();
	const index = keys.tokens.findIndex(token => sameDigest(token, claimed));
	return index === -1
		? {ok: false, detail: `${header}: does not equal the secret`}
		: passed('token', index, keys.tokens.length);
};

/** Generic V2: `<timestamp>.<body>`, the timestamp signed as it was sent. @see Interface 5.2 */
export const checkV2: SignatureCheck = ({value, request, keys, nowMs}) => {
	const timestamp = headerOf(request.headers, 'x-webhook-timestamp');
	const problem = problemOfTimestamp(timestamp, 'x-webhook-timestamp', nowMs);
	return problem === undefined
		? checkHex({
				scheme: 'v2',
				claimed: value,
				prefix: `${timestamp}.`,
				body: request.body,
				keys: keys.plain,
			})
		: {ok: false, detail: problem};
};

/** Generic V1 (legacy): the body alone, no replay protection. @see Interface 5.2 */
export const checkV1: SignatureCheck = ({value, request, keys}) =>
	checkHex({scheme: 'v1', claimed: value, prefix: '', body: request.body, keys: keys.plain});

function checkHex(question: {
	readonly scheme: SignatureScheme;
	readonly claimed: string;
	readonly prefix: string;
	readonly body: Buffer;
	readonly keys: readonly KeyObject[];
}): SignatureVerdict {
	const {scheme, prefix, body, keys} = question;
	const claimed = digestOfHex(question.claimed);
	if (!claimed) {
		return {ok: false, detail: `${scheme}: the header is not a SHA-256 digest in hex`};
	}

	for (let index = 0; index < keys.length; index++) {
		const key = keys[index];
		if (key && sameDigest(digestOf(key, prefix, body), claimed)) {
			return passed(scheme, index, keys.length);
		}
	}

	return {ok: false, detail: `${scheme}: does not match ${nameOf(keys.length)}`};
}

/** A verdict that says which of several secrets matched. */
export const passed = (
	scheme: SignatureScheme,
	index: number,
	count: number,
): SignatureVerdict => ({
	ok: true,
	scheme,
	detail: count === 1 ? scheme : `${scheme}, key ${index + 1} of ${count}`,
});

/** The secrets of a route, for a sentence. */
export const nameOf = (count: number): string =>
	count === 1 ? 'the secret' : `any of ${count} keys`;
