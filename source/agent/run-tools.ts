import type {dynamicTool, jsonSchema, Tool as SdkTool} from 'ai';
import type {CallPreview} from '../core/approval.ts';
import {boundText} from '../core/bounds.ts';
import type {Clock} from '../core/clock.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import {jsonHash, type JsonValue} from '../core/json.ts';
import type {Approve, PreviewResult, Tool, ToolResult, Verdict} from '../core/tool.ts';
import type {World} from '../core/world.ts';
import type {Transcript} from './gather-parts.ts';
import {callFacts} from './record-steps.ts';
import type {AgentRequest} from './runner.ts';

/** Maximum size of a result for the model, UTF-8 bytes: of a longer one, the beginning and the end. */
const maxResultBytes = 400_000;

/** Maximum number of progress reports recorded per call. */
const maxProgress = 50;

type ToolCall = {
	readonly toolCallId: string;
	readonly toolName: string;
	readonly input: unknown;
};

/** A verdict in the SDK's format. */
type SdkVerdict =
	| 'not-applicable'
	| 'approved'
	| {readonly type: 'denied'; readonly reason: string};

type Called = {readonly args: JsonValue; readonly callId: string};

/** An approval of a call: by whom, for which arguments (their hash), and what else it is bound to (`basis`). */
type Agreed = {readonly by: string; readonly args: string; readonly basis?: string};

type Dependencies = Pick<World, 'clock' | 'redact'> & {
	readonly sdk: {readonly dynamicTool: typeof dynamicTool; readonly jsonSchema: typeof jsonSchema};
	readonly approve?: Approve | undefined;
	/** Returns the text of the model's last answer. */
	readonly said: () => string;
	readonly transcript: Transcript;
	/** Ends the run with this error. */
	readonly end: (error: SvcError) => void;
	/** The latest end of the run, milliseconds since 1970. */
	readonly endsAt: number;
	/** Aborts when the run must end. */
	readonly signal: AbortSignal;
};

// The SDK parsed it from the model's JSON.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing but JSON comes out of a JSON parser
const argumentsOf = (input: unknown) => input as JsonValue;

/** Returns a function for the whole milliseconds since it was created. */
const stopwatch = (clock: Clock) => {
	const start = clock.monotonic();
	return () => Math.round(clock.monotonic() - start);
};

/**
 * Connects `request.tools` with the SDK's loop: a call that needs approval waits for `approve` (without it, or if asking fails, the call is denied);
 * `request.beforeSideEffect` has resolved before a tool starts that is not read-only; results are limited to 400 kB; and each outcome is recorded, with who allowed it.
 */
export function createRunTools(
	request: Pick<AgentRequest, 'tools' | 'runId' | 'beforeSideEffect'>,
	{sdk, approve, said, redact, transcript, clock, end, endsAt, signal}: Dependencies,
) {
	const byName = new Map(request.tools.map(tool => [tool.name, tool]));
	/** Approved calls by identifier, so that the loop cannot run a different one. */
	const approved = new Map<string, Agreed>();
	const callNames = createCallNames();

	const record = (
		call: Pick<ToolCall, 'toolCallId' | 'toolName'>,
		text: string,
		facts: Readonly<Record<string, JsonValue>>,
	) => {
		const named = callFacts(call, byName.get(call.toolName));
		transcript.add('tool-result', text, {...named, ...facts});
	};

	const ask = async (
		tool: Tool,
		{callId, ...asked}: Called & {readonly preview?: CallPreview},
	): Promise<Verdict> => {
		if (!approve) {
			return {allowed: false, reason: 'it needs an approval, and nobody can be asked here'};
		}

		try {
			return await approve({
				tool,
				...asked,
				callId: callNames.nameOf(callId),
				said: redact(said()),
				runId: request.runId,
				endsAt,
				signal,
			});
		} catch (error) {
			signal.throwIfAborted();
			return {allowed: false, reason: `it could not be asked for: ${redact(messageOf(error))}`};
		}
	};

	/** What a call would do, shown to the person who is asked; nobody is asked about a call that cannot succeed. */
	const previewOf = async (tool: Tool, args: JsonValue): Promise<PreviewResult | undefined> => {
		try {
			return await tool.preview?.(args, {signal});
		} catch (error) {
			return {problem: messageOf(error)};
		}
	};

	const announceSideEffect = async (tool: Tool) => {
		try {
			await request.beforeSideEffect();
		} catch (error) {
			const text = `Cannot start tool "${tool.name}": that it starts could not be recorded`;
			const ending =
				error instanceof SvcError ? error : new SvcError('run_cancelled', text, {cause: error});
			end(ending);
			throw ending;
		}
	};

	/** Takes the approval of a call that starts now; `undefined` when none is needed. */
	const takeApproval = (tool: Tool, {args, callId}: Called): Agreed | undefined => {
		const agreed = approved.get(callId);
		if (tool.needsApproval && agreed?.args !== jsonHash(args)) {
			throw new SvcError('not_approved', `Cannot call tool "${tool.name}": it was not approved`);
		}

		approved.delete(callId);
		callNames.began(callId);
		return agreed;
	};

	const execute = async (
		tool: Tool,
		{args, callId}: Called,
		basis: string | undefined,
	): Promise<ToolResult> => {
		if (!tool.readOnly) {
			await announceSideEffect(tool);
			signal.throwIfAborted();
		}

		let steps = 0;
		return tool.execute(args, {
			signal,
			runId: request.runId,
			...(basis !== undefined && {basis}),
			onProgress(text) {
				steps += 1;
				if (steps <= maxProgress && !signal.aborted) {
					transcript.add('note', text, callFacts({toolName: tool.name, toolCallId: callId}, tool));
				}
			},
		});
	};

	const settle = async (
		tool: Tool,
		called: Called,
	): Promise<{readonly result: ToolResult; readonly by: string | undefined}> => {
		let by: string | undefined;
		try {
			signal.throwIfAborted();
			const taken = takeApproval(tool, called);
			by = taken?.by;
			return {result: await execute(tool, called, taken?.basis), by};
		} catch (error) {
			return {result: {text: redact(messageOf(error)), isError: true}, by};
		}
	};

	const asSdkTool = (tool: Tool): SdkTool =>
		sdk.dynamicTool({
			description: tool.description,
			inputSchema: sdk.jsonSchema(tool.inputSchema),
			async execute(input, {toolCallId}) {
				const elapsed = stopwatch(clock);
				const called = {args: argumentsOf(input), callId: toolCallId};
				const {result, by} = await settle(tool, called);
				const text = boundText(result.text, maxResultBytes);
				record({toolCallId, toolName: tool.name}, text, {
					ok: !result.isError,
					durationMs: elapsed(),
					...(by !== undefined && {approval: by}),
				});
				if (result.isError) {
					// Throwing tells the SDK to show this to the model as an error.
					throw new Error(text);
				}

				return text;
			},
		});

	return {
		tools: Object.fromEntries([...byName].map(([name, tool]) => [name, asSdkTool(tool)])),
		/** Called by the loop before each call. */
		async toolApproval({toolCall}: {readonly toolCall: ToolCall}): Promise<SdkVerdict> {
			const tool = byName.get(toolCall.toolName);
			if (!tool?.needsApproval) {
				return 'not-applicable';
			}

			const args = argumentsOf(toolCall.input);
			const shown = await previewOf(tool, args);
			signal.throwIfAborted();
			if (shown && 'problem' in shown) {
				const problem = redact(shown.problem);
				record(toolCall, problem, {ok: false});
				return {type: 'denied', reason: problem};
			}

			const callId = toolCall.toolCallId;
			const preview = shown && {preview: shown.preview};
			const {allowed, reason} = await ask(tool, {args, callId, ...preview});
			signal.throwIfAborted();
			if (allowed) {
				const basis = shown?.basis === undefined ? {} : {basis: shown.basis};
				approved.set(callId, {by: redact(reason), args: jsonHash(args), ...basis});
				return 'approved';
			}

			const denial = redact(reason) || 'denied';
			record(toolCall, denial, {ok: false, denied: true});
			return {type: 'denied', reason: denial};
		},
	};
}

/** Unique names for calls with repeated identifiers: some models number the calls of each answer from the start, and an approval applies to only one call. */
function createCallNames(): {nameOf(callId: string): string; began(callId: string): void} {
	const begun = new Map<string, number>();
	return {
		nameOf(callId) {
			const count = begun.get(callId) ?? 0;
			return count === 0 ? callId : `${callId} (${count + 1})`;
		},
		began: callId => begun.set(callId, (begun.get(callId) ?? 0) + 1),
	};
}
