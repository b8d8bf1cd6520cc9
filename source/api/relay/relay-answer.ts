import {isDeepStrictEqual} from 'node:util';
import {estimatedTokens} from '../../core/bounds.ts';
import {isDeepJson, type JsonObject, isJsonObject, parsedJson} from '../../core/json.ts';
import {redactJson} from '../../core/redact.ts';
import {countedOr, spokenOr} from '../../core/run.ts';
import type {ChatRequest} from '../chat/chat-request.ts';
import type {ChatCall, ChatWorld} from '../chat/chat-world.ts';
import {chatFields} from '../shapes/chat-fields.ts';
import {promptTokens} from '../shapes/chat-messages.ts';
import {chatUsageOf, type ChatAnswer, type ChatUsage} from '../shapes/chat-shapes.ts';
import {bytesOf, readEvents} from './relay-events.ts';
import {errorEvent, garbled} from './upstream-failure.ts';
import {countedUsage, finishReasonOf, sayingsOf, toolCallsOf} from './upstream-parts.ts';
import {askUpstream, type UpstreamReply, type Upstream} from './upstream.ts';

/** The answer of the model's server, under our names. @throws ApiError */
export async function relayAnswer(
	{request, call, sink}: ChatCall,
	upstream: Upstream,
	{clock, redact}: Pick<ChatWorld, 'clock' | 'redact'>,
): Promise<ChatAnswer> {
	const inputTokens = promptTokens(request.body);
	const count = ({usage, tokens, isWhole}: Counted): ChatUsage => {
		const input = countedOr(usage?.prompt_tokens, () => inputTokens);
		const spoken = spokenOr(usage?.completion_tokens, tokens);
		const output = isWhole ? spoken : Math.max(spoken, tokens);
		call.settle({inputTokens: input, outputTokens: output});
		const isBelieved = input === usage?.prompt_tokens && output === usage.completion_tokens;
		return isBelieved ? usage : chatUsageOf(input, output);
	};

	const ask = async () => {
		const {signal} = call;
		signal.throwIfAborted();
		try {
			return await askUpstream(upstream, upstreamBody(request, upstream), {clock, redact, signal});
		} catch (error) {
			// The server has been working: otherwise a client that always leaves before the answer would never pay.
			if (signal.aborted) {
				count(nothing);
			}

			throw error;
		}
	};

	using reply = await ask();
	// From here on the request costs something, however it ends: counts its estimated input.
	count(nothing);
	if (!sink) {
		const {bytes, usage, ...answer} = wholeAnswer(await wholeText(reply), redact);
		return {...answer, usage: count({usage, tokens: estimatedTokens(bytes), isWhole: true})};
	}

	const events = readEvents({
		reply,
		sink,
		redact,
		onGrowth(tokens, usage) {
			call.grow(
				Math.max(inputTokens + tokens, usage ? usage.prompt_tokens + usage.completion_tokens : 0),
			);
		},
	});
	const counted = () => count({...events.counted(), tokens: events.tokens()});
	try {
		const {finishReason} = await events.done;
		return {message: {}, finishReason, usage: counted()};
	} catch (error) {
		counted();
		throw error;
	}
}

/** The known usage of an answer. */
type Counted = {
	/** The usage counted by its server. */
	readonly usage: ChatUsage | undefined;
	/** An estimate from its size. */
	readonly tokens: number;
	/** Whether the server counted the complete answer. */
	readonly isWhole: boolean;
};

const nothing: Counted = {usage: undefined, tokens: 0, isWhole: false};

/** The request for the model's server: the fields we know, with the server's own name of the model, and always asking for usage. */
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

/** The fetch limits the size. */
async function wholeText(reply: UpstreamReply): Promise<string> {
	const parts: string[] = [];
	for (let part = await reply.read(); part !== undefined;) {
		parts.push(part);
		// oxlint-disable-next-line no-await-in-loop -- sequential parts
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
	const known = redact.known ?? redact;
	const safe = redactJson(message, known);
	const usage = countedUsage(answer['usage'], known);
	return {
		message: calls.length > 0 ? safe : {content: '', ...safe},
		finishReason: finishReasonOf(reason),
		// Logprobs repeat the text token by token, including what was redacted in it.
		...(isJsonObject(logprobs) &&
			isDeepStrictEqual([safe, redactJson(logprobs, known)], [message, logprobs]) && {logprobs}),
		...(usage && {usage}),
		bytes: bytesOf(message),
	};
}
