import {streamedTokens} from '../../core/bounds.ts';
import {SvcError} from '../../core/errors.ts';
import type {AgentTurn} from '../agent-turns.ts';
import {ApiError} from '../http/api-error.ts';
import {textMessages, turnMessages} from '../shapes/chat-messages.ts';
import {chatUsageOf, type ChatAnswer} from '../shapes/chat-shapes.ts';
import {stopsOf} from './chat-request.ts';
import type {ChatCall, ChatWorld} from './chat-world.ts';

/** The offline model, for a relay that has no other, and for keys that reach no other. */
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

/** One turn of an agent. */
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
	// No part of this answer was streamed.
	if (!isSaid && said.text !== '') {
		await sink?.delta({content: said.text});
	}

	const {inputTokens, outputTokens} = spending.used();
	const {text, finishReason, run} = said;
	const usage = chatUsageOf(inputTokens, outputTokens);
	return {message: {content: text}, finishReason, usage, run};
}

/** What the steps of a turn take from the budget of its key, and what is counted of them. */
function meterTurn({reserve, grow, settle, signal}: ChatCall['call'], most: number | undefined) {
	/** Of the steps that have ended. */
	let used = {inputTokens: 0, outputTokens: 0};
	/** Of the step under way, as far as one can tell. */
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

	/** Ends the turn where nothing is left; its client gets the refusal as it is. */
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
				// Of a try that failed before nothing counts.
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
			// The model was at work: a client that leaves before each answer would never pay.
			if (signal.aborted) {
				settle(sumWith(step));
			}

			return refused ?? error;
		},
	};
}
