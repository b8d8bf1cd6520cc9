import type {FetchLike} from '@modelcontextprotocol/client';
import type {Clock} from '../../core/clock.ts';
import {isDeepJson} from '../../core/json.ts';
import {timeLimit} from '../wire/time-limit.ts';

export type Bounds = {readonly clock: Clock; readonly timeoutMs: number; readonly maxBytes: number};

/**
 * A bounded `fetch`: the whole answer must arrive within `timeoutMs` and fit into `maxBytes`. Returns a `Response` of this process's class, as the SDK demands,
 * whatever `fetch` is. Refuses answers nested so deeply that serializing them would overflow the stack.
 *
 * @throws TypeError as fetch does for a network that is in the way
 */
export async function boundedRequest(
	send: (signal: AbortSignal) => ReturnType<FetchLike>,
	{
		bounds: {clock, timeoutMs, maxBytes},
		signal,
	}: {readonly bounds: Bounds; readonly signal?: AbortSignal | null | undefined},
): Promise<Response> {
	const reason = () => new TypeError(`no complete answer within ${timeoutMs / 1000} s`);
	using limit = timeLimit(clock, timeoutMs, {signal, reason});
	const response = await send(limit.signal);
	const body = await readBody(response, maxBytes);
	if (isDeepJson(Buffer.from(body.buffer).toString('latin1'))) {
		throw new TypeError('the answer is nested too deep');
	}

	const {status, statusText} = response;
	const headers = new Headers([...response.headers]);
	headers.delete('content-encoding');
	headers.delete('content-length');
	const isEmpty = [204, 205, 304].includes(status);
	return new Response(isEmpty ? null : body, {status, statusText, headers});
}

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of response.body ?? []) {
		size += part.length;
		if (size > maxBytes) {
			throw new TypeError(`the answer is larger than ${maxBytes} bytes`);
		}

		parts.push(part);
	}

	return new Uint8Array(Buffer.concat(parts, size));
}
