import type {World} from '../../core/world.ts';
import type {SessionDesk} from '../../store/session-desk.ts';
import type {AgentTurns, TokensUsed, TurnMessage, TurnResult} from '../agent-turns.ts';
import type {ApiCall} from '../http/endpoint.ts';
import type {PublicModel, PublicModels} from '../http/public-model.ts';
import type {Upstream} from '../relay/upstream.ts';
import type {ChatRequest} from './chat-request.ts';
import type {Sink} from './late-stream.ts';

/** What is asked of the rest of the program. */
export type ChatWorld = Pick<World, 'clock' | 'log' | 'redact'> & {
	readonly models: PublicModels;
	/** Where the model's server is; `undefined` when the offline model answers. Rejects with `SvcError` as choosing a model does. */
	readonly upstreamOf: (model: PublicModel) => Promise<Upstream | undefined>;
	readonly turn: AgentTurns;
	readonly sessions: SessionDesk;
	readonly answerOffline: (
		messages: readonly TurnMessage[],
		maxTokens: number | undefined,
	) => OfflineAnswer;
};

/** What the offline model says. */
type OfflineAnswer = Pick<TurnResult, 'text' | 'finishReason'> & TokensUsed;

/** One request on its way. */
export type ChatCall = {
	readonly request: ChatRequest;
	readonly call: ApiCall;
	/** Absent: the answer is wanted in one piece. */
	readonly sink?: Sink;
};
