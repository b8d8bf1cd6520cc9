import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {OpenSession, SessionDesk} from '../../store/session-desk.ts';
import type {ApiCall} from '../http/endpoint.ts';
import type {ChatAnswer} from '../shapes/chat-shapes.ts';
import {failureOf} from '../shapes/failure.ts';
import {textIn} from '../shapes/field-checks.ts';
import type {ChatRequest} from './chat-request.ts';
import type {Sink} from './late-stream.ts';

/** The value of `x-svc-session` that begins a session. */
const begins = 'new';

/** One request in a session, or in none. */
export type SessionRequest = AsyncDisposable & {
	/** The request with all that was said before it. */
	readonly request: ChatRequest;
	/** What the answer says of it. */
	readonly headers: Readonly<Record<string, string>>;
	/** The answer begins to leave. */
	tell(): void;
	/** Gathers what is said into `sink`. */
	listen(sink: Sink): Sink;
	/** Durably adds the request and its answer. @throws SvcError as `OpenSession.keep` does */
	keep(answer: ChatAnswer): Promise<void>;
};

/** Opens the session that the request names. @throws ApiError 400 where it has no room, 404, 409, 503 */
export async function openSessionTurn(
	desk: SessionDesk,
	request: ChatRequest,
	{header, key, signal}: ApiCall,
): Promise<SessionRequest> {
	const named = header('x-svc-session');
	if (named === undefined) {
		return stateless(request);
	}

	const {model, body} = request;
	const asked = messagesOf(body['messages']);
	const owner = {kind: 'key', id: key.id, name: key.name, isTest: key.kind === 'test'} as const;
	try {
		await using stack = new AsyncDisposableStack();
		const session = stack.use(
			named === begins ? await desk.begin(owner, model.id) : await desk.resume(owner, named),
		);
		session.checkRoom(asked);
		const opened = stack.move();
		return {
			...turnOf(session, request, asked),
			[Symbol.asyncDispose]: async () => opened.disposeAsync(),
		};
	} catch (error) {
		throw failureOf(error, signal);
	}
}

const stateless = (request: ChatRequest): SessionRequest => ({
	request,
	headers: {},
	tell() {},
	listen: sink => sink,
	async keep() {},
	async [Symbol.asyncDispose]() {},
});

function turnOf(
	session: OpenSession,
	request: ChatRequest,
	asked: readonly JsonObject[],
): Omit<SessionRequest, typeof Symbol.asyncDispose> {
	const {body, model} = request;
	let heard: JsonObject = {};
	return {
		request: {...request, body: {...body, messages: [...session.before, ...asked]}},
		headers: {'x-svc-session': session.id},
		tell: () => session.tell(),
		listen: sink => ({
			...sink,
			delta(delta, logprobs) {
				heard = heardAfter(heard, delta);
				return sink.delta(delta, logprobs);
			},
		}),
		async keep({message, run}) {
			await session.keep({
				asked,
				// Of a stream, the answer itself may say nothing.
				answer: kept({...heard, ...message}),
				model: model.id,
				...(run !== undefined && {run}),
			});
		},
	};
}

const messagesOf = (messages: JsonValue | undefined): readonly JsonObject[] =>
	Array.isArray(messages) ? messages.filter(isJsonObject) : [];

/** What clients send back of an answer; some servers refuse a conversation with more of it, as with what a model thought. */
function kept({content, refusal, tool_calls: calls}: JsonObject): JsonObject {
	return {
		role: 'assistant',
		content: content ?? (calls ? null : ''),
		...(refusal !== undefined && {refusal}),
		...(calls !== undefined && {tool_calls: calls}),
	};
}

/** What was said so far and one more part of it. */
function heardAfter(heard: JsonObject, delta: JsonObject): JsonObject {
	const {content, refusal, tool_calls: calls} = delta;
	const calling = messagesOf(heard['tool_calls']);
	const called = messagesOf(calls).reduce(callsAfter, calling);
	return {
		...heard,
		...(typeof content === 'string' && {content: textIn(heard['content']) + content}),
		...(typeof refusal === 'string' && {refusal: textIn(heard['refusal']) + refusal}),
		...(called.length > 0 && {tool_calls: called}),
	};
}

/** A part of a call joins that of its index: the names and arguments of its parts follow each other. */
function callsAfter(calls: readonly JsonObject[], part: JsonObject): readonly JsonObject[] {
	const {index: at, function: part_, ...others} = part;
	const index = typeof at === 'number' ? at : calls.length;
	const before = calls[index] ?? {};
	const said = isJsonObject(before['function']) ? before['function'] : {};
	const more = isJsonObject(part_) ? part_ : {};
	const isNamed = [more, said].some(({name}) => typeof name === 'string');
	const name = textIn(said['name']) + textIn(more['name']);
	const given = textIn(said['arguments']) + textIn(more['arguments']);
	const called = {...said, ...more, ...(isNamed && {name}), arguments: given};
	const call = {...before, ...others, function: called};
	return index < calls.length ? calls.with(index, call) : [...calls, call];
}
