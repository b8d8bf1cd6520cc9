import {digestOf} from './signature-check.ts';
import type {SignatureKeys} from './signature-keys.ts';
import {makeSignatureKeys} from './signature-keys.ts';

/**
 * The headers that sign `body` with the generic V2 scheme, for test events. `nowMs` is the wall clock.
 *
 * @see Interface 5.2
 */
export function signV2(
	secret: string,
	body: string,
	nowMs: number,
): {readonly 'X-Webhook-Signature-V2': string; readonly 'X-Webhook-Timestamp': string} {
	const timestamp = String(Math.floor(nowMs / 1000));
	const [key = Buffer.alloc(0)]: SignatureKeys['plain'] = makeSignatureKeys([secret]).plain;
	return {
		'X-Webhook-Signature-V2': digestOf(key, `${timestamp}.`, Buffer.from(body)).toString('hex'),
		'X-Webhook-Timestamp': timestamp,
	};
}
