import type {World} from '../../core/world.ts';
import type {SessionDesk} from '../../store/session-desk.ts';
import type {AgentTurns, TokensUsed, TurnMessage, TurnResult} from '../agent-turns.ts';
import type {ApiCall} from '../http/endpoint.ts';
import type {PublicModel, PublicModels} from '../http/public-model.ts';
import type {Upstream} from '../relay/upstream.ts';
import type {ChatRequest} from './chat-request.ts';
import type {Sink} from './late-stream.ts';

/** What chat endpoints need from the rest of the program. */
export type ChatWorld = Pick<World, 'clock' | 'log' | 'redact'> & {
	readonly models: PublicModels;
	/** The model's server; `undefined` when the offline model answers. Rejects with the `SvcError` of the choice of a model. */
	readonly upstreamOf: (model: PublicModel) => Promise<Upstream | undefined>;
	readonly turn: AgentTurns;
	readonly sessions: SessionDesk;
	readonly answerOffline: (
		messages: readonly TurnMessage[],
		maxTokens: number | undefined,
	) => OfflineAnswer;
};

/** An answer of the offline model. */
type OfflineAnswer = Pick<TurnResult, 'text' | 'finishReason'> & TokensUsed;

/** One request being answered. */
export type ChatCall = {
	readonly request: ChatRequest;
	readonly call: ApiCall;
	/** Absent when the answer is not streamed. */
	readonly sink?: Sink;
};
