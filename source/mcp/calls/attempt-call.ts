import type {Client, Progress, RequestOptions} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {ToolContext, ToolResult} from '../../core/tool.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {PlannedTool} from '../catalogue/plan-tools.ts';
import type {OpenConnection} from '../connection/open-connection.ts';
import {askUtility, BadArguments} from './ask-utility.ts';
import {callFailure, type LostCall} from './lost-call.ts';
import {type ToolAnswer, renderAnswer} from './render-answer.ts';

/** The parts of an open connection that a call needs. */
export type CallConnection = Pick<OpenConnection, 'client' | 'explain' | 'signal' | 'calls'>;

export type CallOutcome = {readonly kind: 'result'; readonly result: ToolResult} | LostCall;

export type ToolCallOptions = Pick<World, 'clock' | 'redact'> & {
	/** As configured or expanded: only name, trust and `timeoutMs` matter. */
	readonly server: ToolServerConfig;
	/** `paths.cache`; binary results are saved below `mcp/` in it. */
	readonly cacheDir: string;
};

export type Call = {
	readonly planned: PlannedTool;
	readonly args: JsonValue;
	readonly context: ToolContext;
};

/** The longest delay of a timer. Disables the client's own time limit, because ours can pause. */
const neverMs = 2 ** 31 - 1;

/** At most 5 reports a second. */
const progressPauseMs = 200;
const maxProgressLength = 200;

/**
 * Calls a tool once, over `connection`. Errors of server or network become a result with `isError`; rejects only with the reason of `context.signal`. The clock of
 * `server.timeoutMs` is paused while a question of the server waits; at the time-out, the call is cancelled at the server.
 */
export async function attemptCall(
	connection: CallConnection,
	call: Call,
	options: ToolCallOptions,
): Promise<CallOutcome> {
	const {planned, args, context} = call;
	context.signal.throwIfAborted();
	const given = args ?? {};
	if (!isJsonObject(given)) {
		return failed('The arguments must be a JSON object', options);
	}

	if (connection.signal.aborted) {
		return {kind: 'lost', reason: 'closed', sent: false};
	}

	using attempt = beginAttempt(connection, context, options.server.timeoutMs);
	const {signal} = attempt;
	const {onProgress, runId} = context;
	const onprogress = onProgress && createProgressReporter(onProgress, options);
	const request = {signal, timeout: neverMs, ...(onprogress && {onprogress})};
	try {
		const asked = ask(connection.client, {planned, args: given}, request);
		const answer = await Promise.race([asked, attempt.ended]);
		return {kind: 'result', result: await renderAnswer(answer, {...options, runId})};
	} catch (error) {
		context.signal.throwIfAborted();
		if (error instanceof BadArguments) {
			return failed(error.message, options);
		}

		if (attempt.isTimeout) {
			return failed(timeoutMessage(planned, options.server), options);
		}

		const failure = callFailure(error, connection);
		return failure.kind === 'lost' ? failure : failed(failure.message, options);
	}
}

type Attempt = Disposable & {
	/** Aborts when the call must end; the reason is sent to the server. */
	readonly signal: AbortSignal;
	/** Rejects when `signal` aborts. */
	readonly ended: Promise<never>;
	readonly isTimeout: boolean;
};

function beginAttempt(
	connection: CallConnection,
	context: ToolContext,
	timeoutMs: number,
): Attempt {
	const controller = new AbortController();
	const {promise: ended, reject} = Promise.withResolvers<never>();
	// Avoids an unhandled rejection if nobody awaits `ended` any more.
	ended.catch(() => {});
	let isTimeout = false;
	const end = (reason: string) => {
		controller.abort(reason);
		reject(new Error(reason));
	};

	const onCancel = () => end('cancelled');
	// The client's own error for this call is still in flight, and says more, so it gets one turn of the event loop.
	const onGone = () => setImmediate(() => end('connection closed'));

	context.signal.addEventListener('abort', onCancel, {once: true});
	connection.signal.addEventListener('abort', onGone, {once: true});
	const underWay = connection.calls.begin({
		runId: context.runId,
		timeoutMs,
		onTimeout() {
			isTimeout = true;
			end('timed out');
		},
	});
	return {
		signal: controller.signal,
		ended,
		get isTimeout() {
			return isTimeout;
		},
		[Symbol.dispose]() {
			underWay[Symbol.dispose]();
			context.signal.removeEventListener('abort', onCancel);
			connection.signal.removeEventListener('abort', onGone);
		},
	};
}

/** Reports a call's progress to `onProgress` as one escaped line, at most 5 times a second; further ones are dropped. */
function createProgressReporter(
	onProgress: (text: string) => void,
	{clock, redact}: Pick<World, 'clock' | 'redact'>,
): (progress: Progress) => void {
	let next = -Infinity;
	return progress => {
		const now = clock.monotonic();
		if (now >= next) {
			next = now + progressPauseMs;
			onProgress(escapeLine(redact(lineOf(progress)), maxProgressLength));
		}
	};
}

function lineOf({progress, total, message}: Progress): string {
	const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
	return message ? `${message.slice(0, maxProgressLength * 2)} (${count})` : count;
}

async function ask(
	client: Client,
	{planned, args}: {readonly planned: PlannedTool; readonly args: JsonObject},
	options: RequestOptions,
): Promise<ToolAnswer> {
	const {kind, tool, listed} = planned;
	if (kind !== 'native') {
		return askUtility(client, {kind, args}, options);
	}

	const {content, structuredContent, isError} = await client.callTool(
		{name: tool, arguments: {...args}},
		// The answer is checked against the tool as planned, even if the server now lists another definition.
		{...options, ...(listed && {toolDefinition: listed})},
	);
	return {content, structured: structuredContent, ...(isError !== undefined && {isError})};
}

const timeoutMessage = ({tool, readOnly}: PlannedTool, {timeoutMs}: ToolServerConfig): string => {
	const doubt = readOnly
		? ''
		: ': whether it had its effect is unknown, verify before calling again';
	return `The tool "${tool}" did not answer within ${timeoutMs / 1000} s and was cancelled${doubt}`;
};

const failed = (error: string, options: ToolCallOptions): CallOutcome => ({
	kind: 'result',
	result: failedCall(error, options),
});

/** The result that the model reads for a failed call. */
export const failedCall = (
	error: string,
	{server, redact}: Pick<ToolCallOptions, 'server' | 'redact'>,
): ToolResult => ({
	text: JSON.stringify({error: escapeLine(redact(error), 1000), server: server.name}),
	isError: true,
});
