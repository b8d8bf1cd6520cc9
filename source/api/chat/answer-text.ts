import {estimatedTokens} from '../../core/estimated-tokens.ts';
import type {AgentTurn} from '../agent-turns.ts';
import {estimateTokens, textMessages, turnMessages} from '../shapes/chat-messages.ts';
import {usageOf, type ChatAnswer} from '../shapes/chat-shapes.ts';
import {stopsOf} from './chat-request.ts';
import type {ChatCall, ChatWorld, OfflineAnswer} from './chat-world.ts';

/** The offline model, for a relay that has no other, and for keys that reach no other. */
export async function offlineAnswer(
	{request, call, sink}: ChatCall,
	{answerOffline}: Pick<ChatWorld, 'answerOffline'>,
): Promise<ChatAnswer> {
	const said = answerOffline(textMessages(request.body['messages']), request.maxTokens);
	await sink?.delta({content: said.text});
	return textAnswer(said, call);
}

/** One turn of an agent. */
export async function agentAnswer(
	{request: {model, body, maxTokens}, call, sink}: ChatCall,
	{turn}: Pick<ChatWorld, 'turn'>,
): Promise<ChatAnswer> {
	const {temperature} = body;
	const stop = stopsOf(body);
	const inputTokens = estimateTokens(body['messages']);
	let told = {inputTokens: 0, outputTokens: 0};
	let characters = 0;
	let isAtWork = false;
	const count = () => {
		call.settle({
			inputTokens: Math.max(told.inputTokens, inputTokens),
			outputTokens: Math.max(told.outputTokens, estimatedTokens(characters)),
		});
	};
	const asked: AgentTurn = {
		model,
		messages: turnMessages(body['messages']),
		...(maxTokens !== undefined && {maxTokens}),
		...(typeof temperature === 'number' && {temperature}),
		...(stop.length > 0 && {stop}),
		key: call.key,
		requestId: call.requestId,
		denyApprovals: call.header('x-svc-approval')?.toLowerCase() === 'deny',
		signal: call.signal,
		onBegin() {
			isAtWork = true;
		},
		onUsed(used) {
			told = used;
			count();
		},
		async onText(content) {
			characters += content.length;
			// Of an answer of the model that fails, nobody counts.
			count();
			await (content !== '' && sink?.delta({content}));
		},
		async onProgress(progress) {
			await sink?.progress(progress);
		},
	};
	const said = await turn(asked).catch((error: unknown) => {
		// The model was at work on it: who leaves before every answer would pay for none.
		if (isAtWork && call.signal.aborted) {
			count();
		}

		throw error;
	});
	// What nobody told of as it came.
	await (characters === 0 && said.text !== '' && sink?.delta({content: said.text}));
	return {...textAnswer(said, call), run: said.run};
}

function textAnswer(
	{text, finishReason, inputTokens, outputTokens}: OfflineAnswer,
	{settle}: ChatCall['call'],
): ChatAnswer {
	settle({inputTokens, outputTokens});
	return {message: {content: text}, finishReason, usage: usageOf(inputTokens, outputTokens)};
}
