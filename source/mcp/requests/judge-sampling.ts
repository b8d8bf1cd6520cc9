import type {CreateMessageRequestParams} from '@modelcontextprotocol/client';
import type {SamplingPolicy} from '../../config/tool-server.ts';
import type {SampleRequest} from '../../core/bounds.ts';
import {visibleText} from '../../core/visible-text.ts';

const maxMessages = 100;
const maxConversationLength = 200_000;
const maxStops = 10;
const minuteMs = 60_000;

/** The question that a model is asked for a server. */
export type AllowedSample = Omit<SampleRequest, 'server' | 'signal'>;

export type SamplingVerdict =
	| {readonly allowed: true; readonly sample: AllowedSample}
	/** `reason` is sent to the server. */
	| {readonly allowed: false; readonly reason: string};

/**
 * Whether a server may ask a model, and which of its wishes are granted. `recent`: times of its earlier questions, in milliseconds of the same clock as `now`. A
 * model it names is used if the policy allows it, else the configured one. The model receives only text, and no tools.
 *
 * @see manual/tool-servers.md#bounds
 */
export function judgeSampling(
	params: CreateMessageRequestParams,
	policy: SamplingPolicy,
	{recent, now}: {readonly recent: readonly number[]; readonly now: number},
): SamplingVerdict {
	if (!policy.enabled) {
		return refused('sampling is not allowed for this server');
	}

	if (inLastMinute(recent, now).length >= policy.maxRpm) {
		return refused(`more than ${policy.maxRpm} sampling requests in a minute`);
	}

	if (toolRounds(params.messages) > policy.maxToolRounds) {
		return refused(`more than ${policy.maxToolRounds} rounds with tool results`);
	}

	const messages = textsOf(params.messages);
	if (!messages || (params.tools?.length ?? 0) > 0) {
		return refused('only text is supported, without tools');
	}

	const {systemPrompt = '', temperature, stopSequences} = params;
	const length = messages.reduce((sum, {text}) => sum + text.length, systemPrompt.length);
	if (messages.length > maxMessages || length > maxConversationLength) {
		return refused(`more than ${maxMessages} messages or ${maxConversationLength} characters`);
	}

	const model = modelFor(params, policy);
	return {
		allowed: true,
		sample: {
			...(model === undefined ? {} : {model}),
			...(systemPrompt === '' ? {} : {system: visibleText(systemPrompt)}),
			messages: messages.map(({role, text}) => ({role, text: visibleText(text)})),
			maxTokens: Math.max(1, Math.min(Math.floor(params.maxTokens) || 1, policy.maxTokensCap)),
			...(temperature === undefined ? {} : {temperature: Math.min(Math.max(temperature, 0), 2)}),
			...(stopSequences ? {stopSequences: stopSequences.slice(0, maxStops)} : {}),
		},
	};
}

/** The times that count for the limit per minute. */
export const inLastMinute = (times: readonly number[], now: number): readonly number[] =>
	times.filter(time => now - time < minuteMs);

const refused = (reason: string): SamplingVerdict => ({allowed: false, reason});

type Messages = CreateMessageRequestParams['messages'];

/** How many messages at the end, besides the model's own, answer with tool results. */
function toolRounds(messages: Messages): number {
	const answers = messages.filter(({role}) => role === 'user').toReversed();
	const last = answers.findIndex(
		({content}) => ![content].flat().some(({type}) => type === 'tool_result'),
	);
	return last === -1 ? answers.length : last;
}

/** `undefined` if a message contains anything but text. */
function textsOf(messages: Messages): AllowedSample['messages'] | undefined {
	const texts = messages.map(({role, content}) => {
		const blocks = [content].flat();
		const parts = blocks.flatMap(block => (block.type === 'text' ? [block.text] : []));
		return parts.length === blocks.length ? {role, text: parts.join('\n')} : undefined;
	});
	const known = texts.filter(text => text !== undefined);
	return known.length === texts.length ? known : undefined;
}

const modelFor = (
	{modelPreferences}: CreateMessageRequestParams,
	{allowedModels, model}: SamplingPolicy,
): string | undefined =>
	modelPreferences?.hints?.find(({name}) => name !== undefined && allowedModels.includes(name))
		?.name ?? model;
