import type {SecureContext} from 'node:tls';
import type Undici from 'undici';
import type {Agent} from 'undici';
import {answerTooLarge, postTo, type ModelQuestion, type ModelReply} from './model-request.ts';

/** An answer of a model that is larger is not read to its end. */
const defaultMaxAnswerBytes = 32 * 1024 * 1024;

export type ModelFetch = {
	readonly fetch: typeof globalThis.fetch;
	/** The same for who passes answers on: one POST. Nothing is unpacked. */
	post(url: string, question: ModelQuestion): Promise<ModelReply>;
	/** Closes every connection; calls under way fail. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** Passes chunks on and fails with the one that exceeds `maxBytes` in all. */
const boundedBytes = (maxBytes: number) => {
	let seen = 0;
	return new TransformStream<Uint8Array, Uint8Array>({
		transform(chunk, controller) {
			seen += chunk.byteLength;
			if (seen > maxBytes) {
				throw answerTooLarge(maxBytes);
			}

			controller.enqueue(chunk);
		},
	});
};

/**
 * A `fetch` for model providers. Differs from the built-in one: a model may think for more than 300 s (a run has its own
 * limit), answers are bounded, and redirects are answers instead of being followed, because providers' key headers would be
 * sent along to wherever they point. `secureContext` says whom TLS connections trust; another one counts for the next call.
 */
export function createModelFetch({
	maxAnswerBytes = defaultMaxAnswerBytes,
	secureContext = () => undefined,
}: {
	readonly maxAnswerBytes?: number;
	readonly secureContext?: () => SecureContext | undefined;
} = {}): ModelFetch {
	const agents = new Map<SecureContext | undefined, Agent>();

	/** What trusts others ends with its last answer. */
	const agentFor = (context: SecureContext | undefined, make: () => Agent): Agent => {
		const agent = agents.get(context) ?? make();
		agents.set(context, agent);
		for (const [other, old] of agents) {
			if (context && other && other !== context) {
				agents.delete(other);
				void old.close();
			}
		}

		return agent;
	};

	let loaded: typeof Undici | undefined;
	// Its default export, since the bundle gives packages in the old module format nothing else.
	const load = async () => {
		loaded ??= (await import('undici')).default;
		return loaded;
	};

	const dispatcherFor = (undici: typeof Undici, url: string): Agent => {
		const context = url.startsWith('https:') ? secureContext() : undefined;
		const connect = context && {connect: {secureContext: context}};
		const patient = {bodyTimeout: 0, headersTimeout: 0};
		return agentFor(context, () => new undici.Agent({...patient, ...connect}));
	};

	const fetchBounded = async (input: string, init: object) => {
		const undici = await load();
		const dispatcher = dispatcherFor(undici, input);
		const response = await undici.fetch(input, {...init, redirect: 'manual', dispatcher});
		// Its status, its text and its headers go on.
		return response.body
			? new undici.Response(response.body.pipeThrough(boundedBytes(maxAnswerBytes)), response)
			: response;
	};

	return {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undici's fetch is the one Node builds in; only its type names differ
		fetch: ((input: string | URL, init = {}) =>
			fetchBounded(String(input), init)) as unknown as typeof globalThis.fetch,
		async post(url, question) {
			const undici = loaded ?? (await load());
			return postTo(dispatcherFor(undici, url), url, {...question, maxBytes: maxAnswerBytes});
		},
		async [Symbol.asyncDispose]() {
			const all = [...agents.values()];
			agents.clear();
			await Promise.all(all.map(async agent => agent.destroy()));
		},
	};
}
