import type {JsonObject} from '../core/json.ts';
import type {CallerOrigin} from '../core/origin.ts';
import type {PublicModel} from './http/public-model.ts';

/** One message of a conversation, as the API and the journal have it. */
export type TurnMessage = {
	readonly role: 'system' | 'user' | 'assistant';
	readonly text: string;
};

export type TokensUsed = {readonly inputTokens: number; readonly outputTokens: number};

/** What an agent of the API is asked: one turn of a conversation. */
export type AgentTurn = {
	/** `agent: true`. */
	readonly model: PublicModel;
	/** The last is the user's. */
	readonly messages: readonly TurnMessage[];
	readonly maxTokens?: number;
	readonly temperature?: number;
	readonly stop?: readonly string[];
	readonly origin: CallerOrigin;
	/** The offline model answers, and nothing is changed. */
	readonly isTest: boolean;
	readonly requestId: string;
	/** `x-svc-approval: deny`: a call that needs a yes is denied at once. */
	readonly denyApprovals: boolean;
	readonly signal: AbortSignal;
	/** Its run is under way. */
	readonly onBegin?: (run: number) => void;
	/** The answer is whole. Awaited before its run is done, which fails as this does. */
	readonly onAnswer?: (answer: {readonly text: string; readonly run: number}) => Promise<void>;
	/** Asked before each call of the model, whose prompt is about so many tokens: the most that its answer may be, `undefined` without a bound. What it throws ends the turn. */
	readonly beforeStep?: (promptTokens: number) => number | undefined;
	/** The answer of a step has grown by so many bytes of UTF-8, of text, reasoning and tool calls. What it throws ends the turn. */
	readonly onGrowth?: (bytes: number) => void;
	/** What a step has used, counted or estimated: told after each of them, however the turn ends. */
	readonly afterStep?: (used: TokensUsed) => void;
	/** Text as it comes; awaited, so that a slow reader slows the model down. */
	readonly onText: (delta: string) => Promise<void>;
	/** Progress for the stream: `{event: 'tool_started' | 'tool_ended' | 'approval_pending' | 'approval_settled', …}`. */
	readonly onProgress: (progress: JsonObject) => Promise<void>;
};

export type TurnResult = {
	readonly text: string;
	readonly finishReason: 'stop' | 'length';
	/** In the journal. */
	readonly run: number;
};

/** Answers one turn. Rejects with `SvcError` as `AgentRunner` does. */
export type AgentTurns = (turn: AgentTurn) => Promise<TurnResult>;
