import {isDeepStrictEqual} from 'node:util';
import {estimatedTokens} from '../../core/estimated-tokens.ts';
import {isDeepJson} from '../../core/json-depth.ts';
import {type JsonObject, isJsonObject, parsedJson} from '../../core/json.ts';
import type {ChatRequest} from '../chat/chat-request.ts';
import type {ChatCall, ChatWorld} from '../chat/chat-world.ts';
import {chatFields} from '../shapes/chat-fields.ts';
import {promptTokens} from '../shapes/chat-messages.ts';
import {usageOf, type ChatAnswer, type ChatUsage} from '../shapes/chat-shapes.ts';
import {bytesOf, readEvents} from './relay-events.ts';
import {objectOf} from './safe-deltas.ts';
import {errorEvent, garbled} from './upstream-failure.ts';
import {countedUsage, finishReasonOf, sayingsOf, toolCallsOf} from './upstream-parts.ts';
import {askUpstream, type Reply, type Upstream} from './upstream.ts';

/** What the model's server answers, under our names. @throws ApiError */
export async function relayAnswer(
	{request, call, sink}: ChatCall,
	upstream: Upstream,
	{clock, redact}: Pick<ChatWorld, 'clock' | 'redact'>,
): Promise<ChatAnswer> {
	const inputTokens = promptTokens(request.body);
	const count = (usage: ChatUsage | undefined, bytes: number): ChatUsage => {
		const outputTokens = estimatedTokens(bytes);
		// A server that counts nothing of a text has not counted.
		const isCounted = usage !== undefined && (usage.completion_tokens > 0 || outputTokens === 0);
		const counted = isCounted ? usage : usageOf(inputTokens, outputTokens);
		call.settle({
			inputTokens: counted.prompt_tokens,
			outputTokens: counted.completion_tokens,
		});
		return counted;
	};

	const ask = async () => {
		const {signal} = call;
		signal.throwIfAborted();
		try {
			return await askUpstream(upstream, upstreamBody(request, upstream), {clock, redact, signal});
		} catch (error) {
			// The server was at work on it: who leaves before every answer would pay for none.
			if (signal.aborted) {
				count(undefined, 0);
			}

			throw error;
		}
	};

	using reply = await ask();
	// From here on it costs something, however it ends.
	count(undefined, 0);
	if (!sink) {
		const {bytes, usage, ...answer} = wholeAnswer(await wholeText(reply), redact);
		return {...answer, usage: count(usage, bytes)};
	}

	const events = readEvents({
		reply,
		sink,
		redact,
		onGrowth(bytes, usage) {
			call.grow(
				Math.max(
					inputTokens + estimatedTokens(bytes),
					usage ? usage.prompt_tokens + usage.completion_tokens : 0,
				),
			);
		},
	});
	try {
		const {finishReason, usage} = await events.done;
		return {message: {}, finishReason, usage: count(usage, events.bytes())};
	} catch (error) {
		count(events.usage(), events.bytes());
		throw error;
	}
}

/** The request as the model's server gets it: what we know of it, under its own name of the model, and the usage told in any case. */
function upstreamBody(
	{body, isStreamed, maxTokens}: ChatRequest,
	{model, limitField}: Upstream,
): JsonObject {
	const passed = Object.fromEntries(
		Object.entries(body).filter(([name, value]) => chatFields.get(name)?.relay && value !== null),
	);
	const limits = ['max_tokens', 'max_completion_tokens'].filter(name => name in passed);
	return {
		...passed,
		...(maxTokens !== undefined &&
			Object.fromEntries(
				(limits.length > 0 ? limits : [limitField]).map(name => [name, maxTokens]),
			)),
		model,
		stream: isStreamed,
		...(isStreamed && {stream_options: {include_usage: true}}),
	};
}

/** The fetch bounds it. */
async function wholeText(reply: Reply): Promise<string> {
	const parts: string[] = [];
	for (let part = await reply.read(); part !== undefined;) {
		parts.push(part);
		// oxlint-disable-next-line no-await-in-loop -- one part comes after the other
		part = await reply.read();
	}

	return parts.join('');
}

function wholeAnswer(
	text: string,
	redact: ChatWorld['redact'],
): Omit<ChatAnswer, 'usage'> & {readonly usage?: ChatUsage; readonly bytes: number} {
	if (isDeepJson(text)) {
		throw garbled('it is nested too deep');
	}

	const answer = parsedJson(text);
	if (!isJsonObject(answer)) {
		throw garbled('it is no JSON object');
	}

	const {choices, error} = answer;
	if (error !== undefined && error !== null) {
		throw errorEvent(error, redact);
	}

	const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
	const said = isJsonObject(choice) ? choice['message'] : undefined;
	if (!isJsonObject(choice) || !isJsonObject(said)) {
		throw garbled('it has no message');
	}

	const {finish_reason: reason, logprobs} = choice;
	if (typeof reason !== 'string') {
		throw garbled('it does not say why it ends');
	}

	const calls = toolCallsOf(said['tool_calls']);
	const message = sayingsOf(said, calls);
	const safe = objectOf(message, redact.known ?? redact);
	const usage = countedUsage(answer['usage']);
	return {
		message: calls.length > 0 ? safe : {content: '', ...safe},
		finishReason: finishReasonOf(reason),
		// They repeat the text token by token, also of what was hidden in it.
		...(isJsonObject(logprobs) && isDeepStrictEqual(safe, message) && {logprobs}),
		...(usage && {usage}),
		bytes: bytesOf(message),
	};
}
