import type {Clock} from '../core/clock.ts';
import {isJsonObject} from '../core/json.ts';

/** Default addresses of servers for models on this machine: Ollama, LM Studio, llama.cpp, vLLM, Docker Model Runner, Jan. */
export const localBaseUrls: readonly string[] = [
	'http://127.0.0.1:11434/v1',
	'http://127.0.0.1:1234/v1',
	'http://127.0.0.1:8080/v1',
	'http://127.0.0.1:8000/v1',
	'http://127.0.0.1:12434/v1',
	'http://127.0.0.1:12434/engines/v1',
	'http://127.0.0.1:1337/v1',
];

const probeTimeoutMs = 400;
const maxListBytes = 1024 * 1024;
const maxListedModels = 500;
const maxModelIdLength = 200;

/** Excludes models that do not chat, by their usual names. */
const isForChat = (id: string) => !/embed|rerank|whisper|(?:^|[-_/])tts(?:$|[-_:])/i.test(id);

/** The text of an answer; `undefined` above 1 MiB. */
export async function readBounded(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
	const decoder = new TextDecoder();
	let bytes = 0;
	let text = '';
	for await (const chunk of body) {
		bytes += chunk.byteLength;
		if (bytes > maxListBytes) {
			return undefined;
		}

		text += decoder.decode(chunk, {stream: true});
	}

	return text + decoder.decode();
}

function modelIdsIn(text: string): readonly string[] {
	const list: unknown = JSON.parse(text);
	if (!isJsonObject(list) || !Array.isArray(list['data'])) {
		return [];
	}

	return list['data']
		.slice(0, maxListedModels)
		.map((entry: unknown) => (isJsonObject(entry) ? entry['id'] : undefined))
		.filter(
			(id): id is string => typeof id === 'string' && id !== '' && id.length <= maxModelIdLength,
		)
		.filter(isForChat);
}

/**
 * The chat models that the server at `baseUrl` lists, at most 500; empty when it does not answer `GET /models` with a list of
 * at most 1 MiB within 400 ms. Sends no key, follows no redirect, never rejects: the port may belong to anything.
 *
 * @see manual/model.md#how-it-is-chosen
 */
export async function listLocalModels(
	baseUrl: string,
	{clock, fetch}: {readonly clock: Clock; readonly fetch: typeof globalThis.fetch},
): Promise<readonly string[]> {
	const controller = new AbortController();
	const cancel = clock.after(probeTimeoutMs, () => controller.abort());

	try {
		const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
			redirect: 'manual',
			signal: controller.signal,
			headers: {accept: 'application/json'},
		});
		if (!response.ok || !response.body) {
			return [];
		}

		const text = await readBounded(response.body);
		return text === undefined ? [] : modelIdsIn(text);
	} catch {
		// No answer, too slow, not HTTP, not JSON: in each case not a local model server.
		return [];
	} finally {
		cancel();
		// Ends an unfinished response.
		controller.abort();
	}
}
