import {checkHub, checkToken, checkV1, checkV2} from './plain-schemes.ts';
import type {SignatureCheck, SignatureVerdict, SignedRequest} from './signature-check.ts';
import type {SignatureKeys} from './signature-keys.ts';
import {checkStandardWebhook} from './standard-webhooks.ts';

/** In the order of precedence: the first scheme whose header is present decides alone. @see Decisions 3 */
const schemes: ReadonlyArray<readonly [header: string, check: SignatureCheck]> = [
	['svix-signature', checkStandardWebhook('svix')],
	['webhook-signature', checkStandardWebhook('webhook')],
	['x-hub-signature-256', checkHub],
	['x-forge2-token', checkToken],
	['x-gitlab-token', checkToken],
	['x-webhook-signature-v2', checkV2],
	['x-webhook-signature', checkV1],
];

const unsigned: SignatureVerdict = {ok: false, detail: 'no signature header'};

/**
 * Whether `request` was signed with one of `keys`. Pure; never throws, whatever the headers hold. `nowMs` is the server's
 * wall clock, milliseconds since 1970.
 *
 * @see Interface 5.2
 */
export function checkSignature(
	request: SignedRequest,
	keys: SignatureKeys,
	nowMs: number,
): SignatureVerdict {
	for (const [header, check] of schemes) {
		const value = request.headers[header];
		if (value !== undefined) {
			return typeof value === 'string' ? check({value, header, request, keys, nowMs}) : unsigned;
		}
	}

	return unsigned;
}
