import {chatInstructions, instructionsFor} from './instructions.ts';
import type {AgentRequest} from './runner.ts';

/** What the model reads first, in the SDK's words: the message of a run, or a chat as it stands, with what its application asks of the model. */
export function modelConversation(request: AgentRequest) {
	const {prompt, fetched = [], chat} = request;
	if (!chat) {
		const instructions = instructionsFor(request);
		const content = [prompt, ...fetched].map(text => ({type: 'text' as const, text}));
		return fetched.length === 0
			? {instructions, prompt}
			: {instructions, messages: [{role: 'user' as const, content}]};
	}

	const {of, system, before, maxTokens, temperature, stop} = chat;
	const instructions = chatInstructions(request, {of, system});
	return {
		...(instructions !== undefined && {instructions}),
		messages: [...before, {role: 'user' as const, text: prompt}].map(({role, text}) => ({
			role,
			content: text,
		})),
		...(maxTokens !== undefined && {maxOutputTokens: maxTokens}),
		...(temperature !== undefined && {temperature}),
		...(stop && {stopSequences: [...stop]}),
	};
}
