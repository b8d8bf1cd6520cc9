import {
	isCrowdedJson,
	isDeepJson,
	isJsonObject,
	maxJsonDepth,
	maxJsonMembers,
	parsedJson,
	type JsonObject,
} from '../../core/json.ts';
import {type HttpPair, declaredSize, readBody} from '../../http/http-messages.ts';
import {type ApiError, badRequest, crowded, bodyTooLarge} from './api-error.ts';
import type {BodyPlace} from './body-room.ts';

/**
 * Reads the body of a request, at most `limit` bytes: a JSON object of at most 128 levels and 100,000 members.
 *
 * @throws ApiError 413, 503 where `place` has no room for it, 400
 */
export async function readJsonBody(
	pair: HttpPair,
	limit: number,
	place: BodyPlace,
): Promise<JsonObject> {
	const {request, response} = pair;
	if ((declaredSize(request) ?? 0) > limit) {
		throw bodyTooLarge(limit);
	}

	if (pair.awaitsContinue) {
		response.writeContinue();
		pair.awaitsContinue = false;
	}

	let isCrowded = false;
	const read = await readBody(request, limit, bytes => {
		isCrowded = !place.take(bytes);
		return !isCrowded;
	});
	if (read.kind === 'too-large') {
		throw isCrowded ? crowded() : bodyTooLarge(limit);
	}

	if (read.kind === 'cut') {
		throw invalidJson('was cut');
	}

	const text = textOf(read.body);
	// Checked before parsing: millions of levels would block all requests for seconds.
	if (isDeepJson(text)) {
		throw invalidJson(`is nested more than ${maxJsonDepth} levels deep`);
	}

	if (isCrowdedJson(text)) {
		throw invalidJson(`has more than ${maxJsonMembers} members`);
	}

	const value = parsedJson(text);
	if (!isJsonObject(value)) {
		throw invalidJson(value === undefined ? 'is no JSON' : 'must be a JSON object');
	}

	return value;
}

function textOf(body: Buffer): string {
	try {
		return new TextDecoder('utf-8', {fatal: true}).decode(body);
	} catch {
		throw invalidJson('is no UTF-8');
	}
}

const invalidJson = (why: string): ApiError =>
	badRequest(`Cannot read the request: its body ${why}`, 'invalid_json');
