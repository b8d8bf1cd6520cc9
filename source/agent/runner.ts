import type {Clock} from '../core/clock.ts';
import type {ModelView} from '../core/config-view.ts';
import {SvcError} from '../core/errors.ts';
import type {TurnOrigin} from '../core/origin.ts';
import type {TranscriptEntry, WorkDone} from '../core/run.ts';
import type {Approve, Tool} from '../core/tool.ts';
import type {OfferedSkill} from './skills.ts';

export type AgentRequest = {
	readonly runId: number;
	/** The rendered user message; in a chat, the last one. */
	readonly prompt: string;
	/** Further texts of the user message, after the prompt: untrusted data fetched by the gateway, labelled as such. Not used in a chat. */
	readonly fetched?: readonly string[];
	/** Set for a turn of a chat. */
	readonly chat?: ChatTurn;
	/** The skill that was found, if any. */
	readonly skill?: {readonly name: string; readonly body: string};
	/** Skills that the model may activate with a tool in `tools`; absent when there are none. */
	readonly offered?: readonly OfferedSkill[];
	readonly tools: readonly Tool[];
	/** Limit for the definitions of all tools, in tokens; above it the tools of servers are deferred, see `deferTools`. */
	readonly maxSchemaTokens: number;
	/** Name of the upstream model instead of the configured one. */
	readonly model?: string;
	readonly maxSteps: number;
	readonly timeoutMs: number;
	/** Denies calls that need approval at once: the client does not want to wait for a person. */
	readonly denyApprovals?: boolean;
	/** Receives redacted text deltas, with back-pressure. `begins`: the first delta of another answer of the model. A rejection ends the run. */
	readonly onText?: (text: string, begins: boolean) => Promise<void> | void;
	/** Called for every entry at once; must not throw. */
	readonly onEntry: (entry: TranscriptEntry) => void;
	/** Called after each answer of the model with the progress of the run; must not throw. */
	readonly onWork: (work: WorkDone) => void;
	/** Called before each call of the model, with the estimated tokens of its prompt; returns the maximum tokens of its answer, `undefined` for no limit. Throwing ends the run. */
	readonly beforeStep?: (promptTokens: number) => number | undefined;
	/** Called when an answer has grown by this many UTF-8 bytes of text, reasoning and tool calls, before the delta is passed on. Throwing ends the run. */
	readonly onGrowth?: (bytes: number) => void;
	/** Called with the usage of a model call, estimated if its server does not count; must not throw. */
	readonly afterStep?: (used: {
		readonly inputTokens: number;
		readonly outputTokens: number;
	}) => void;
	/** Called and awaited before a tool that is not read-only starts; a rejection ends the run. */
	readonly beforeSideEffect: () => Promise<void>;
	readonly signal: AbortSignal;
};

/** What an application sends besides the last user message. */
export type ChatTurn = {
	/** The origin of the turn. */
	readonly of: TurnOrigin['kind'];
	/** The application's system messages, in order; empty when there are none. */
	readonly system: string;
	/** Earlier messages, oldest first. */
	readonly before: ReadonlyArray<{readonly role: 'user' | 'assistant'; readonly text: string}>;
	readonly maxTokens?: number;
	readonly temperature?: number;
	readonly stop?: readonly string[];
};

export type AgentResult = {
	readonly answer: string;
	/** Whether the answer is exactly `[SILENT]`, apart from surrounding white space. */
	readonly silent: boolean;
	/** Whether the answer was cut at the model's output limit. */
	readonly cut: boolean;
	readonly model: ModelView;
	readonly steps: number;
	readonly toolCalls: number;
};

/**
 * Runs the agent loop. Rejects with `SvcError`: `model_unreachable`, `model_refused` (401, 403), `model_rejected` (other 4xx), `model_garbled`, `model_failed`,
 * `run_timeout`, `run_cancelled`, `step_limit`, with the error of choosing the model (`model_misconfigured`, `model_not_found`), or with the `SvcError` of
 * `beforeSideEffect`. `isPassing(error)` says whether a retry may succeed.
 */
export type AgentRunner = {
	run(request: AgentRequest): Promise<AgentResult>;
};

export type AgentDependencies = {readonly approve?: Approve};

/** The time limit of a run, and how to end it. */
export type RunScope = {
	/** Aborts when the run must end; its reason is an `SvcError`. */
	readonly signal: AbortSignal;
	/** Ends the run with `error`, unless it was ended before. */
	readonly end: (error: SvcError) => void;
	/** Settles like `work`, but rejects at once when the run must end, even if `work` ignores the signal. */
	race<Value>(work: Promise<Value>): Promise<Value>;
	/** Removes the timer and the listener. */
	[Symbol.dispose](): void;
};

/** The scope of one run: ends with `run_timeout` after `timeoutMs`, and with `run_cancelled` when the request's signal aborts. */
export function createRunScope(
	{timeoutMs, signal}: Pick<AgentRequest, 'timeoutMs' | 'signal'>,
	clock: Clock,
): RunScope {
	const controller = new AbortController();
	const end = (error: SvcError) => controller.abort(error);

	const onAbort = () => {
		const {reason: cause} = signal;
		end(new SvcError('run_cancelled', 'Cannot finish the run: it was cancelled', {cause}));
	};

	const {promise: ended, reject} = Promise.withResolvers<never>();
	controller.signal.addEventListener('abort', () => reject(controller.signal.reason), {once: true});
	// Nobody awaits it unless `race` is called.
	ended.catch(() => {});

	signal.addEventListener('abort', onAbort, {once: true});
	if (signal.aborted) {
		onAbort();
	}

	const cancelTimer = clock.after(timeoutMs, () => {
		const text = `Cannot finish the run within ${timeoutMs / 1000} seconds: raise runs.timeout_seconds or give it less to do`;
		end(new SvcError('run_timeout', text));
	});

	return {
		signal: controller.signal,
		end,
		race: async work => Promise.race([ended, work]),
		[Symbol.dispose]() {
			cancelTimer();
			signal.removeEventListener('abort', onAbort);
		},
	};
}
