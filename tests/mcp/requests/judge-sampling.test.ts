import type {CreateMessageRequestParams} from '@modelcontextprotocol/client';
import {expect, test} from 'vitest';
import type {SamplingPolicy} from '../../../source/config/tool-server.ts';
import {judgeSampling} from '../../../source/mcp/requests/judge-sampling.ts';
import {serverConfig} from '../catalogue/samples.ts';

const user = (text: string) => ({role: 'user', content: {type: 'text', text}}) as const;

const judge = (
	params: Partial<CreateMessageRequestParams> = {},
	policy: Partial<SamplingPolicy> = {},
	recent: readonly number[] = [],
) =>
	judgeSampling(
		{messages: [user('hello')], maxTokens: 100, ...params},
		{...serverConfig().sampling, ...policy},
		{recent, now: 100_000},
	);

const round = [
	{role: 'assistant', content: {type: 'tool_use', id: '1', name: 'a', input: {}}},
	{role: 'user', content: [{type: 'tool_result', toolUseId: '1', content: []}]},
] as const;

test.for([
	['a policy that is off', {}, {enabled: false}, 'sampling is not allowed for this server'],
	[
		'an image',
		{messages: [{role: 'user', content: {type: 'image', data: 'AA', mimeType: 'image/png'}}]},
		{},
		'only text is supported, without tools',
	],
	[
		'tools',
		{tools: [{name: 'a', inputSchema: {type: 'object'}}]},
		{},
		'only text is supported, without tools',
	],
	[
		'one round with tool results too many',
		{messages: [user('x'), ...round, ...round, ...round]},
		{maxToolRounds: 2},
		'more than 2 rounds with tool results',
	],
	[
		'what rounds hold, also of no more than are allowed',
		{messages: [user('x'), ...round, ...round]},
		{maxToolRounds: 2},
		'only text is supported, without tools',
	],
	[
		'too many messages',
		{messages: Array.from({length: 101}, () => user('x'))},
		{},
		'more than 100 messages or 200000 characters',
	],
	[
		'too long a message',
		{messages: [user('x'.repeat(200_001))]},
		{},
		'more than 100 messages or 200000 characters',
	],
] as const)('%s is refused', ([, params, policy, reason]) => {
	expect(judge(params as never, policy)).toEqual({allowed: false, reason});
});

test('requests count for a minute', () => {
	const times = Array.from({length: 10}, () => 40_001);

	expect(judge({}, {}, times)).toMatchObject({allowed: false});
	expect(
		judge(
			{},
			{},
			times.map(time => time - 1),
		),
	).toMatchObject({allowed: true});
});

test.for([
	['an allowed model', ['dear', 'small'], ['small'], 'small'],
	['a model that is not allowed', ['dear'], ['small'], 'own'],
	['no model', [], ['small'], 'own'],
] as const)('who names %s gets what the policy says', ([, names, allowedModels, model]) => {
	const hints = names.map(name => ({name}));

	expect(judge({modelPreferences: {hints}}, {allowedModels, model: 'own'})).toMatchObject({
		sample: {model},
	});
});

test.for([
	[100, 100],
	[100_000, 4096],
	[0, 1],
	[-5, 1],
	[2.7, 2],
] as const)('%d tokens become %d', ([maxTokens, expected]) => {
	expect(judge({maxTokens})).toMatchObject({sample: {maxTokens: expected}});
});

test('texts of one message are one text, and the rest is bounded', () => {
	expect(
		judge({
			messages: [
				{
					role: 'user',
					content: [
						{type: 'text', text: 'a'},
						{type: 'text', text: 'b'},
					],
				},
			],
			temperature: 9,
			stopSequences: Array.from({length: 20}, () => 'stop'),
			systemPrompt: 'x\u200by',
		}),
	).toEqual({
		allowed: true,
		sample: {
			messages: [{role: 'user', text: 'a\nb'}],
			maxTokens: 100,
			temperature: 2,
			stopSequences: Array.from({length: 10}, () => 'stop'),
			system: String.raw`x\u{200b}y`,
		},
	});
});
