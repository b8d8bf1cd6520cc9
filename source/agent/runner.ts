import type {Clock} from '../core/clock.ts';
import type {ModelView} from '../core/config-view.ts';
import {SvcError} from '../core/errors.ts';
import type {TurnOrigin} from '../core/origin.ts';
import type {TranscriptEntry, WorkDone} from '../core/run.ts';
import type {Approve, Tool} from '../core/tool.ts';
import type {OfferedSkill} from './skills.ts';

export type AgentRequest = {
	readonly runId: number;
	/** The user message, as rendered; of a chat, the last one. */
	readonly prompt: string;
	/** Further texts of the user message, behind the prompt: untrusted data that the gateway got, labelled as such. Not of a chat. */
	readonly fetched?: readonly string[];
	/** Of a turn of a chat. */
	readonly chat?: ChatTurn;
	/** Body of the one skill that was found, if any. */
	readonly skill?: {readonly name: string; readonly body: string};
	/** Skills that the model may activate with a tool among `tools`; absent: none. */
	readonly offered?: readonly OfferedSkill[];
	readonly tools: readonly Tool[];
	/** Tokens of the definitions of all tools, above which those of servers are deferred; see `deferTools`. */
	readonly maxSchemaTokens: number;
	/** Name of the upstream model instead of the configured one. */
	readonly model?: string;
	readonly maxSteps: number;
	readonly timeoutMs: number;
	/** A call that needs a yes is denied at once: the client that waits for the answer does not want to wait for a person. */
	readonly denyApprovals?: boolean;
	/** Gets what the model says as it comes, redacted; awaited, so that a slow reader slows the model down. `begins`: it is the first of another answer of the model. A rejection ends the run. */
	readonly onText?: (text: string, begins: boolean) => Promise<void> | void;
	/** Called for every step as it happens; must not throw. */
	readonly onEntry: (entry: TranscriptEntry) => void;
	/** Called after each answer of the model with what the run has come to; must not throw. */
	readonly onWork: (work: WorkDone) => void;
	/** Asked before each call of the model, whose prompt is about so many tokens: the most that its answer may be, `undefined` without a bound. What it throws ends the run. */
	readonly beforeStep?: (promptTokens: number) => number | undefined;
	/** An answer of the model has grown by so many bytes of UTF-8, of text, reasoning and tool calls; called for each piece before it is passed on. What it throws ends the run. */
	readonly onGrowth?: (bytes: number) => void;
	/** What a call of the model has used, estimated where its server does not count; must not throw. */
	readonly afterStep?: (used: {
		readonly inputTokens: number;
		readonly outputTokens: number;
	}) => void;
	/** Called and awaited before a tool that is not read-only starts; a rejection ends the run. */
	readonly beforeSideEffect: () => Promise<void>;
	readonly signal: AbortSignal;
};

/** What an application sends beside the last message of a user. */
export type ChatTurn = {
	/** Where the turn comes from. */
	readonly of: TurnOrigin['kind'];
	/** What it tells the model to be, in its order; empty without. */
	readonly system: string;
	/** What was said before, oldest first. */
	readonly before: ReadonlyArray<{readonly role: 'user' | 'assistant'; readonly text: string}>;
	readonly maxTokens?: number;
	readonly temperature?: number;
	readonly stop?: readonly string[];
};

export type AgentResult = {
	readonly answer: string;
	/** The answer is exactly `[SILENT]` (white space around it does not count). */
	readonly silent: boolean;
	/** The model's limit for its output ended it. */
	readonly cut: boolean;
	readonly model: ModelView;
	readonly steps: number;
	readonly toolCalls: number;
};

/**
 * The agent loop behind one call. Rejects with `SvcError`: `model_unreachable`, `model_refused` (401, 403), `model_rejected`
 * (other 4xx), `model_garbled`, `model_failed`, `run_timeout`, `run_cancelled`, `step_limit`, with what choosing the model threw
 * (`model_misconfigured`, `model_not_found`), or with the `SvcError` of `beforeSideEffect`. `isPassing(error)` says whether another
 * try may help.
 */
export type AgentRunner = {
	run(request: AgentRequest): Promise<AgentResult>;
};

export type AgentDependencies = {readonly approve?: Approve};

/** How long a run may go on, and how it is ended. */
export type RunScope = {
	/** Aborted when the run must end; its reason is a `SvcError`. */
	readonly signal: AbortSignal;
	/** Ends the run with `error`; the first reason stays. */
	readonly end: (error: SvcError) => void;
	/** What `work` becomes, unless the run must end before: then rejects at once, even if `work` ignores the signal. */
	race<Value>(work: Promise<Value>): Promise<Value>;
	/** Takes the timer and the listener away. */
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
	// It has a reader only while something is raced.
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
