import type * as ai from 'ai';
import type {FinishReason} from 'ai';
import {boundText} from '../core/bounds.ts';
import {SvcError, messageOf} from '../core/errors.ts';
import {asReplaced} from '../core/program.ts';
import type {World} from '../core/world.ts';
import type {ChosenModel} from './choose-model.ts';
import {deferTools, sendActive} from './deferred-tools.ts';
import {
	type Transcript,
	createSafeText,
	createTranscript,
	refuseDeepCalls,
} from './gather-parts.ts';
import {isSilent, modelConversation} from './instructions.ts';
import {type AskedModel, modelError, nameModel} from './model-fetch.ts';
import {createStepRecorder, meterSteps, recordRetries} from './record-steps.ts';
import {createRunTools} from './run-tools.ts';
import {
	type AgentDependencies,
	type AgentRequest,
	type AgentResult,
	type AgentRunner,
	type RunScope,
	createRunScope,
} from './runner.ts';
import {streamAnswer} from './stream-answer.ts';

export type AgentRunnerDependencies = AgentDependencies &
	Pick<World, 'clock' | 'log' | 'redact'> & {
		/** The model for a run, or the one called `name` of the same provider; asked once per run. */
		readonly model: (name?: string) => Promise<ChosenModel>;
	};

type AgentRunnerOptions = {
	/** Retries of one model call by the SDK: after 2 s and 4 s, or as `Retry-After` says (up to 60 s). Default 2. */
	readonly maxRetries?: number;
};

type Sdk = typeof ai;
type RunParts = {readonly scope: RunScope; readonly transcript: Transcript};

/** Maximum number of concurrent tool calls in one step. */
const toolCallConcurrency = 4;

const maxAnswerBytes = 1_000_000;

async function loadSdk(): Promise<Sdk> {
	// The SDK would print warnings into the terminal interface.
	globalThis.AI_SDK_LOG_WARNINGS = false;
	return import('ai');
}

/**
 * The agent loop, based on the SDK's `generateText`, with streamed model calls; the SDK is loaded by the first run. A run ends with the model's answer, or rejects with one
 * of the codes that `AgentRunner` names: after `timeoutMs` at the latest, and at once when `signal` aborts. Calls in progress are then aborted, and later results are not
 * recorded.
 *
 * @see manual/runs.md#bounds
 */
export function createAgentRunner(
	{clock, model, approve, redact, log}: AgentRunnerDependencies,
	{maxRetries = 2}: AgentRunnerOptions = {},
): AgentRunner {
	const work = async (
		request: AgentRequest,
		{scope, transcript}: RunParts,
	): Promise<AgentResult> => {
		const {signal} = scope;
		const endsAt = clock.now() + request.timeoutMs;
		const chosen = await model(request.model);
		signal.throwIfAborted();
		const {view, host} = chosen;
		const asked = {provider: view.provider, name: view.name, ...(host !== undefined && {host})};
		transcript.add('note', `Model: ${view.name} of ${view.provider} (${view.origin})`);
		const [sdk, languageModel] = await Promise.all([loadSdk(), chosen.load()]);
		signal.throwIfAborted();

		const explain = (error: unknown) => modelError(error, {asked, kinds: sdk, redact});
		const hasTools = request.tools.length > 0;
		const deferred = hasTools ? deferTools(request.tools, request.maxSchemaTokens) : undefined;
		if (deferred) {
			transcript.add('note', deferred.note);
		}

		const tools = deferred?.tools ?? request.tools;
		const recorder = createStepRecorder({
			tools,
			transcript,
			price: chosen.price,
			onWork(done) {
				if (!signal.aborted) {
					request.onWork({...done, model: view.name});
				}
			},
			end: scope.end,
		});
		const retries = recordRetries((failure, attempt) => {
			const {message} = explain(failure);
			transcript.add('retry', message, {attempt});
			log.info(`Calling the model again: ${message}`, {run: request.runId, attempt});
		});

		const said = createSafeText({
			redact,
			write: async (text, begins) => {
				signal.throwIfAborted();
				await request.onText?.(text, begins);
			},
		});

		const generate = async () => {
			try {
				return await sdk.generateText({
					model: sdk.wrapLanguageModel({
						model: languageModel,
						middleware: [
							...(deferred ? [sendActive(deferred)] : []),
							meterSteps(request),
							retries,
							refuseDeepCalls(asked),
							streamAnswer(asked, {text: said, explain, onGrowth: request.onGrowth}),
						],
					}),
					...modelConversation(request),
					...(hasTools &&
						createRunTools(
							{...request, tools},
							{
								sdk,
								approve: request.denyApprovals === true ? undefined : approve,
								said: () => recorder.said(),
								redact,
								transcript,
								clock,
								end: scope.end,
								endsAt,
								signal,
							},
						)),
					toolCallConcurrency,
					stopWhen: sdk.isStepCount(Math.max(1, request.maxSteps)),
					maxRetries,
					abortSignal: signal,
					onLanguageModelCallEnd(end) {
						chosen.heard?.();
						return recorder.onLanguageModelCallEnd(end);
					},
				});
			} catch (error) {
				signal.throwIfAborted();
				const failure = explain(error);
				chosen.heard?.(failure);
				throw failure;
			}
		};

		const result = await generate();
		signal.throwIfAborted();
		const steps = result.steps.length;
		const problem = problemOfEnding(
			{
				text: result.text,
				finishReason: result.finishReason,
				pendingCalls: result.finalStep.toolCalls.length,
				steps,
			},
			{maxSteps: request.maxSteps, asked},
		);
		if (problem) {
			throw problem;
		}

		if (result.finishReason === 'length') {
			transcript.add('note', 'The answer was cut by the output limit of the model');
		}

		return {
			answer: boundText(result.text, maxAnswerBytes),
			silent: isSilent(result.text),
			cut: result.finishReason === 'length',
			model: view,
			steps,
			toolCalls: recorder.toolCalls(),
		};
	};

	return {
		async run(request) {
			using scope = createRunScope(request, clock);
			const transcript = createTranscript({clock, redact, write: request.onEntry});
			transcript.add('prompt', request.prompt, {
				tools: request.tools.length,
				...(request.skill && {skill: request.skill.name}),
			});

			try {
				return await scope.race(work(request, {scope, transcript}));
			} catch (thrown) {
				const error = asReplaced(thrown);
				const failure =
					error instanceof SvcError
						? error
						: new SvcError('model_failed', `Cannot run the agent: ${redact(messageOf(error))}`);
				transcript.add('error', failure.message, {code: failure.code});
				throw failure;
			} finally {
				transcript.close();
			}
		},
	};
}

/** The end of the loop. */
type Ending = {
	readonly text: string;
	readonly finishReason: FinishReason;
	/** Number of tool calls in the last step whose results the model has not read. */
	readonly pendingCalls: number;
	readonly steps: number;
};

/**
 * Why `ending` is not an answer, `undefined` when it is: `step_limit`, `model_rejected` (a content filter), `model_failed` (it ended with an error), `model_garbled` (it
 * stopped within a tool call, or said nothing). An answer cut by the output limit is an answer.
 */
function problemOfEnding(
	{text, finishReason, pendingCalls, steps}: Ending,
	{maxSteps, asked}: {readonly maxSteps: number; readonly asked: AskedModel},
): SvcError | undefined {
	const model = nameModel(asked);
	if (pendingCalls > 0 && steps >= maxSteps) {
		const why = `Cannot finish the run within ${maxSteps} steps: ${model} still wanted to call tools; raise runs.max_steps`;
		return new SvcError('step_limit', why);
	}

	if (finishReason === 'content-filter') {
		return new SvcError('model_rejected', `Cannot use ${model}: a content filter ended its answer`);
	}

	if (finishReason === 'error' || finishReason === 'interrupted') {
		return new SvcError('model_failed', `Cannot use ${model}: its answer ended in an error`);
	}

	const isEmpty = text.trim() === '';
	if (pendingCalls > 0 || isEmpty) {
		const why = pendingCalls > 0 ? 'it stopped in the middle of a tool call' : 'it said nothing';
		return new SvcError('model_garbled', `Cannot read the answer of ${model}: ${why}`);
	}

	return undefined;
}
