import type {HmacForm} from '../config/senders/sender.ts';
import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';
import {describeSkew} from './signature-check.ts';

/**
 * What is wrong with the time that a body tells, Unix milliseconds under `field`, when its signature is right: it may differ from the server's clock by
 * `toleranceMs` either side. Absent it is fine: whoever replays a request cannot take it out.
 */
export const problemOfBodyTime =
	({field, toleranceMs}: NonNullable<HmacForm['bodyTime']>) =>
	(body: Buffer, nowMs: number): string | undefined => {
		const sentAt = memberOf(body, field);
		if (sentAt === undefined) {
			return undefined;
		}

		if (typeof sentAt !== 'number') {
			return `${field} is not a number of milliseconds`;
		}

		const skewMs = sentAt - nowMs;
		return Math.abs(skewMs) <= toleranceMs
			? undefined
			: `${field}: ${describeSkew(Math.sign(skewMs) * Math.ceil(Math.abs(skewMs) / 1000), toleranceMs / 1000)}`;
	};

function memberOf(body: Buffer, field: string): JsonValue | undefined {
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns JSON
		const payload = JSON.parse(body.toString()) as JsonValue;
		return isJsonObject(payload) && Object.hasOwn(payload, field) ? payload[field] : undefined;
	} catch {
		// The next row of the response table says what is wrong with it.
		return undefined;
	}
}
