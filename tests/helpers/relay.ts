import type {JsonObject} from '../../source/core/json.ts';
import {startApi, type Api} from './api.ts';
import {
	sendCompletion,
	startChatUpstream,
	type ChatUpstream,
	type UpstreamRequest,
} from './chat-upstream.ts';
import type {TestGatewayOptions} from './gateway.ts';

export const models = {
	agent: {agent: true},
	fast: {relay: true},
	small: {relay: true, name: 'upstream-small', max_output_tokens: 100},
} as const;

export const messages = [{role: 'user', content: 'What is the capital of France?'}];

export type Relay = AsyncDisposable & {readonly api: Api; readonly upstream: ChatUpstream};

/** An API whose relays go to a server that answers like that. */
export async function startRelay(
	answer: (request: UpstreamRequest) => void | Promise<void> = request => {
		sendCompletion(request, {content: 'Paris'});
	},
	{config, ...options}: Pick<TestGatewayOptions, 'clock'> & {readonly config?: JsonObject} = {},
): Promise<Relay> {
	await using stack = new AsyncDisposableStack();
	const upstream = stack.use(await startChatUpstream(answer));
	const api = stack.use(
		await startApi({models}, {...options, config: {...config, model: upstream.model}}),
	);
	const opened = stack.move();
	return {api, upstream, [Symbol.asyncDispose]: async () => opened.disposeAsync()};
}
