import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import {describeSkew} from './signature-check.ts';

/** The sender's own library allows as much. */
const toleranceMs = 60_000;

/**
 * What is wrong with `webhookTimestamp`, Unix milliseconds, in a body whose signature is right: it may differ from the server's clock by 60 s either side.
 * Absent it is fine: whoever replays a request cannot take it out.
 *
 * @see https://linear.app/developers/webhooks#securing-webhooks
 */
export function problemOfLinearBody(body: Buffer, nowMs: number): string | undefined {
	const sentAt = timestampIn(body);
	if (sentAt === undefined) {
		return undefined;
	}

	if (typeof sentAt !== 'number') {
		return 'webhookTimestamp is not a number of milliseconds';
	}

	const skewMs = sentAt - nowMs;
	return Math.abs(skewMs) <= toleranceMs
		? undefined
		: `webhookTimestamp: ${describeSkew(Math.sign(skewMs) * Math.ceil(Math.abs(skewMs) / 1000), toleranceMs / 1000)}`;
}

function timestampIn(body: Buffer): JsonValue | undefined {
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns JSON
		const payload = JSON.parse(body.toString()) as JsonValue;
		return isJsonObject(payload) && Object.hasOwn(payload, 'webhookTimestamp')
			? payload['webhookTimestamp']
			: undefined;
	} catch {
		// The next row of the response table says what is wrong with it.
		return undefined;
	}
}
