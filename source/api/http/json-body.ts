import {
	isCrowdedJson,
	isDeepJson,
	maxJsonDepth,
	maxJsonMembers,
	isJsonObject,
	type JsonObject,
	type JsonValue,
} from '../../core/json.ts';
import type {HttpPair} from '../../http/http-answer.ts';
import {declaredSize, readBody} from '../../http/read-body.ts';
import {badRequest, crowded, tooLarge} from './api-error.ts';
import type {BodyPlace} from './body-room.ts';

/**
 * The body of a request, at most `limit` bytes of it: a JSON object of at most 128 levels and 100,000 members.
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
		throw tooLarge(limit);
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
		throw isCrowded ? crowded() : tooLarge(limit);
	}

	if (read.kind === 'cut') {
		throw badRequest('Cannot read the request: its body was cut', 'invalid_json');
	}

	const text = textOf(read.body);
	// Before it is parsed: millions of levels would hold up everybody for seconds.
	if (isDeepJson(text)) {
		throw badRequest(
			`Cannot read the request: its body is nested more than ${maxJsonDepth} levels deep`,
			'invalid_json',
		);
	}

	if (isCrowdedJson(text)) {
		throw badRequest(
			`Cannot read the request: its body has more than ${maxJsonMembers} members`,
			'invalid_json',
		);
	}

	const value = jsonOf(text);
	if (!isJsonObject(value)) {
		throw badRequest('Cannot read the request: its body must be a JSON object', 'invalid_json');
	}

	return value;
}

function textOf(body: Buffer): string {
	try {
		return new TextDecoder('utf-8', {fatal: true}).decode(body);
	} catch {
		throw badRequest('Cannot read the request: its body is no UTF-8', 'invalid_json');
	}
}

function jsonOf(text: string): JsonValue {
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse makes nothing else
		return JSON.parse(text) as JsonValue;
	} catch {
		throw badRequest('Cannot read the request: its body is no JSON', 'invalid_json');
	}
}
