import {isUtf8} from 'node:buffer';
import type {StoredDelivery} from '../../core/delivery.ts';
import {jsonLine} from '../../core/json-line.ts';
import {isJsonObject} from '../../core/json.ts';
import {readWireDelivery, toWire} from '../../gateway/contract/wire-delivery.ts';

/**
 * A delivery as one line of an export, without the line end: a JSON object with the keys of `svc deliveries show --json`. The body is `body` when it is
 * UTF-8, else `body_base64`; neither when it was not kept. Headers are those that were stored: no secret, token or signature.
 */
export function lineOfDelivery(stored: StoredDelivery): string {
	const {body, ...delivery} = stored;
	return jsonLine(
		body && isUtf8(body) ? {...delivery, body: Buffer.from(body).toString('utf8')} : toWire(stored),
	);
}

/**
 * The delivery in one line of an export. What refers to its old journal (run, group, replayed delivery) is not in it.
 *
 * @throws SvcError `delivery_invalid`; SyntaxError for what is no JSON
 */
export function deliveryOfLine(line: string): StoredDelivery {
	const value: unknown = JSON.parse(line);
	if (!isJsonObject(value) || typeof value['body'] !== 'string') {
		return readWireDelivery(value);
	}

	const {body, ...rest} = value;
	return readWireDelivery({...rest, body_base64: Buffer.from(body).toString('base64')});
}
