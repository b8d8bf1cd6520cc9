import type {ModelView} from '../core/config-view.ts';
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
