import {createHmac} from 'node:crypto';

/**
 * The headers that sign `body` with the generic V2 scheme, for test events. `nowMs` is the wall clock.
 *
 * @see manual/signatures.md#schemes
 */
export function signV2(
	secret: string,
	body: string,
	nowMs: number,
): {readonly 'X-Webhook-Signature-V2': string; readonly 'X-Webhook-Timestamp': string} {
	const timestamp = String(Math.floor(nowMs / 1000));
	return {
		'X-Webhook-Signature-V2': createHmac('sha256', secret)
			.update(`${timestamp}.${body}`)
			.digest('hex'),
		'X-Webhook-Timestamp': timestamp,
	};
}
