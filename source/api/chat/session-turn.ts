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

/** One request, with or without a session. */
export type SessionRequest = AsyncDisposable & {
	/** The request with the earlier messages of the session. */
	readonly request: ChatRequest;
	/** Headers about the session for the answer. */
	readonly headers: Readonly<Record<string, string>>;
	/** Call when the answer starts to be sent: the client then knows the session. */
	tell(): void;
	/** Returns a sink that records the answer and passes it on to `sink`. */
	listen(sink: Sink): Sink;
	/** Durably adds the request and its answer. @throws SvcError as `OpenSession.keep` does */
	keep(answer: ChatAnswer): Promise<void>;
};

/** Opens the session that the request names. @throws ApiError 400 when the session is full, 404, 409, 503 */
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
				// A streamed answer itself may be empty: its deltas were recorded.
				answer: kept({...heard, ...message}),
				model: model.id,
				...(run !== undefined && {run}),
			});
		},
	};
}

const messagesOf = (messages: JsonValue | undefined): readonly JsonObject[] =>
	Array.isArray(messages) ? messages.filter(isJsonObject) : [];

/** The part of an answer that clients send back; some servers refuse a conversation with more of it, such as reasoning. */
function kept({content, refusal, tool_calls: calls}: JsonObject): JsonObject {
	return {
		role: 'assistant',
		content: content ?? (calls ? null : ''),
		...(refusal !== undefined && {refusal}),
		...(calls !== undefined && {tool_calls: calls}),
	};
}

/** Adds a delta to the answer recorded so far. */
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

/** Adds a part of a call to the call with its index: names and arguments of the parts are concatenated. */
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
