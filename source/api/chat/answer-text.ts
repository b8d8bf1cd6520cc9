import {streamedTokens} from '../../core/bounds.ts';
import {SvcError} from '../../core/errors.ts';
import type {AgentTurn} from '../agent-turns.ts';
import {ApiError} from '../http/api-error.ts';
import {textMessages, turnMessages} from '../shapes/chat-messages.ts';
import {chatUsageOf, type ChatAnswer} from '../shapes/chat-shapes.ts';
import {stopsOf} from './chat-request.ts';
import type {ChatCall, ChatWorld} from './chat-world.ts';

/** An answer of the offline model, for a relay without another model, and for test keys. */
export async function offlineAnswer(
	{request, call, sink}: ChatCall,
	{answerOffline}: Pick<ChatWorld, 'answerOffline'>,
): Promise<ChatAnswer> {
	const messages = textMessages(request.body['messages']);
	const {text, finishReason, ...used} = answerOffline(messages, request.maxTokens);
	await sink?.delta({content: text});
	call.settle(used);
	const usage = chatUsageOf(used.inputTokens, used.outputTokens);
	return {message: {content: text}, finishReason, usage};
}

/** An answer of an agent: one turn. */
export async function agentAnswer(
	{request: {model, body, maxTokens}, call, sink}: ChatCall,
	{turn}: Pick<ChatWorld, 'turn'>,
): Promise<ChatAnswer> {
	const {temperature} = body;
	const stop = stopsOf(body);
	const spending = meterTurn(call, maxTokens);
	let isSaid = false;
	const asked: AgentTurn = {
		model,
		messages: turnMessages(body['messages']),
		...(maxTokens !== undefined && {maxTokens}),
		...(typeof temperature === 'number' && {temperature}),
		...(stop.length > 0 && {stop}),
		origin: {kind: 'key', name: call.key.name},
		isTest: call.key.kind === 'test',
		requestId: call.requestId,
		denyApprovals: call.header('x-svc-approval')?.toLowerCase() === 'deny',
		signal: call.signal,
		...spending.steps,
		async onText(content) {
			isSaid ||= content !== '';
			if (content !== '') {
				await sink?.delta({content});
			}
		},
		async onProgress(progress) {
			await sink?.progress(progress);
		},
	};
	const said = await turn(asked).catch((error: unknown) => {
		throw spending.endedBy(error);
	});
	// No part of this answer was streamed yet.
	if (!isSaid && said.text !== '') {
		await sink?.delta({content: said.text});
	}

	const {inputTokens, outputTokens} = spending.used();
	const {text, finishReason, run} = said;
	const usage = chatUsageOf(inputTokens, outputTokens);
	return {message: {content: text}, finishReason, usage, run};
}

/** Takes what the steps of a turn use from the key's budget, and counts it. */
function meterTurn({reserve, grow, settle, signal}: ChatCall['call'], most: number | undefined) {
	/** Usage of the finished steps. */
	let used = {inputTokens: 0, outputTokens: 0};
	/** Estimated usage of the current step. */
	let step = {inputTokens: 0, bytes: 0, pieces: 0};
	let refused: ApiError | undefined;
	const sumWith = ({inputTokens, bytes, pieces}: typeof step) => ({
		inputTokens: used.inputTokens + inputTokens,
		outputTokens: used.outputTokens + streamedTokens(bytes, pieces),
	});
	const tokensWith = (one: typeof step) => {
		const {inputTokens, outputTokens} = sumWith(one);
		return inputTokens + outputTokens;
	};

	/** Ends the turn when the budget is exhausted; the client gets that error unchanged. */
	const ask = <Answer>(question: () => Answer): Answer => {
		try {
			return question();
		} catch (error) {
			if (!(error instanceof ApiError)) {
				throw error;
			}

			refused = error;
			throw new SvcError('budget_exceeded', error.message);
		}
	};

	return {
		used: () => used,
		steps: {
			beforeStep(inputTokens: number) {
				// A failed attempt before this one does not count.
				step = {inputTokens, bytes: 0, pieces: 0};
				const input = tokensWith(step);
				return ask(() => reserve({input, ...(most !== undefined && {most}), isWhole: false}));
			},
			onGrowth(bytes: number) {
				const grown = {...step, bytes: step.bytes + bytes, pieces: step.pieces + 1};
				ask(() => grow(tokensWith(grown)));
				step = grown;
				settle(sumWith(step));
			},
			afterStep({inputTokens, outputTokens}: typeof used) {
				used = {
					inputTokens: used.inputTokens + inputTokens,
					outputTokens: used.outputTokens + outputTokens,
				};
				step = {inputTokens: 0, bytes: 0, pieces: 0};
				settle(used);
			},
		},
		endedBy(error: unknown): unknown {
			// The model has been working: otherwise a client that always leaves before the answer would never pay.
			if (signal.aborted) {
				settle(sumWith(step));
			}

			return refused ?? error;
		},
	};
}
