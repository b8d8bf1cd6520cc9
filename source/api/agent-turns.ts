import type {JsonObject} from '../core/json.ts';
import type {CallerOrigin} from '../core/origin.ts';
import type {PublicModel} from './http/public-model.ts';

/** A message of a conversation, as in the API and the journal. */
export type TurnMessage = {
	readonly role: 'system' | 'user' | 'assistant';
	readonly text: string;
};

export type TokensUsed = {readonly inputTokens: number; readonly outputTokens: number};

/** A request to an agent of the API: one turn of a conversation. */
export type AgentTurn = {
	/** A public model with `agent: true`. */
	readonly model: PublicModel;
	/** The last message is the user's. */
	readonly messages: readonly TurnMessage[];
	readonly maxTokens?: number;
	readonly temperature?: number;
	readonly stop?: readonly string[];
	readonly origin: CallerOrigin;
	/** Answered by the offline model; changes nothing. */
	readonly isTest: boolean;
	readonly requestId: string;
	/** From `x-svc-approval: deny`: a call that needs approval is denied at once. */
	readonly denyApprovals: boolean;
	readonly signal: AbortSignal;
	/** Called when its run has started. */
	readonly onBegin?: (run: number) => void;
	/** Called with the complete answer, and awaited before the run is done; if this rejects, the run fails. */
	readonly onAnswer?: (answer: {readonly text: string; readonly run: number}) => Promise<void>;
	/** Called before each call of the model, with the estimated tokens of its prompt; returns the maximum tokens of its answer, `undefined` for no limit. Throwing ends the turn. */
	readonly beforeStep?: (promptTokens: number) => number | undefined;
	/** Called when the answer of a step has grown by this many UTF-8 bytes of text, reasoning and tool calls. Throwing ends the turn. */
	readonly onGrowth?: (bytes: number) => void;
	/** Called after each step with its counted or estimated usage, however the turn ends. */
	readonly afterStep?: (used: TokensUsed) => void;
	/** Receives text deltas, with back-pressure. */
	readonly onText: (delta: string) => Promise<void>;
	/** Progress for the stream: `{event: 'tool_started' | 'tool_ended' | 'approval_pending' | 'approval_settled', …}`. */
	readonly onProgress: (progress: JsonObject) => Promise<void>;
};

export type TurnResult = {
	readonly text: string;
	readonly finishReason: 'stop' | 'length';
	/** Number of the run in the journal. */
	readonly run: number;
};

/** Answers one turn. Rejects with `SvcError` as `AgentRunner` does. */
export type AgentTurns = (turn: AgentTurn) => Promise<TurnResult>;
