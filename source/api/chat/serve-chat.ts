import {messageOf} from '../../core/errors.ts';
import type {ApiError} from '../http/api-error.ts';
import type {ApiAnswer} from '../http/endpoint.ts';
import type {EventStream} from '../http/event-stream.ts';
import type {TokenNeed} from '../keys/desk.ts';
import {relayAnswer} from '../relay/relay-answer.ts';
import {promptTokens} from '../shapes/chat-messages.ts';
import type {ChatAnswer} from '../shapes/chat-shapes.ts';
import {failureOf} from '../shapes/failure.ts';
import {agentAnswer, offlineAnswer} from './answer-text.ts';
import type {ChatRequest} from './chat-request.ts';
import type {ChatCall, ChatWorld} from './chat-world.ts';
import type {LateStream} from './late-stream.ts';
import type {SessionRequest} from './session-turn.ts';

/** Formats of an answer. */
export type AnswerForm = {
	/** The complete answer. */
	whole(answer: ChatAnswer): unknown;
	/** The streamed answer. */
	stream(open: () => EventStream): LateStream;
};

/** What a request needs from the key's budget. An agent checks before each of its steps, and always streams internally. */
export const needOf = ({body, maxTokens, isStreamed, model}: ChatRequest): TokenNeed => ({
	input: promptTokens(body),
	...(maxTokens !== undefined && {most: maxTokens}),
	isWhole: !isStreamed && !model.agent,
});

/** The request with a limit of its answer, if there is one. */
export const withBound = (request: ChatRequest, maxTokens: number | undefined): ChatRequest =>
	maxTokens === undefined ? request : {...request, maxTokens};

/** Has a request answered by its agent, its server or the offline model, in that form. @throws ApiError before anything was sent */
export async function serveChat(
	asked: Omit<ChatCall, 'sink'> & {readonly session?: SessionRequest},
	world: ChatWorld,
	form: AnswerForm,
): Promise<ApiAnswer> {
	const {call} = asked;
	const report = (error: unknown): ApiError => {
		if (!call.signal.aborted) {
			world.log.warn('Cannot answer a request of the chat API', {
				request: call.requestId,
				error: world.redact(messageOf(error)),
			});
		}

		return failureOf(error, call.signal);
	};
	try {
		return await answer(asked, form, {world, report});
	} catch (error) {
		throw report(error);
	}
}

async function answer(
	{session, ...asked}: ChatCall & {readonly session?: SessionRequest},
	form: AnswerForm,
	{world, report}: {readonly world: ChatWorld; readonly report: (error: unknown) => ApiError},
): Promise<ApiAnswer> {
	const {
		request: {model, isStreamed, ignored},
		call,
	} = asked;
	// Nothing is used before a model is asked.
	call.settle({inputTokens: 0, outputTokens: 0});
	const upstream = call.key.kind === 'test' ? undefined : await world.upstreamOf(model);
	const answerWith = async (one: ChatCall): Promise<ChatAnswer> => {
		if (model.agent) {
			return agentAnswer(one, world);
		}

		return upstream ? relayAnswer(one, upstream, world) : offlineAnswer(one, world);
	};
	const headers = {
		...session?.headers,
		...(!upstream && {'x-svc-model-kind': 'rule-based'}),
		...(ignored.length > 0 && {'x-svc-ignored-params': ignored.join(', ')}),
	};
	if (!isStreamed) {
		const said = await answerWith(asked);
		await session?.keep(said);
		return {json: form.whole(said), headers};
	}

	using stream = form.stream(() => {
		session?.tell();
		return call.stream(headers);
	});
	try {
		const said = await answerWith({...asked, sink: session?.listen(stream) ?? stream});
		await session?.keep(said);
		await stream.finish(said);
	} catch (error) {
		if (!stream.hasBegun) {
			throw error;
		}

		await stream.fail(report(error));
	}

	return 'streamed';
}
