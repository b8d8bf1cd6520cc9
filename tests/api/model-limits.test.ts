import {expect, test} from 'vitest';
import {limitsIn} from '../../source/agent/providers.ts';
import {startApi} from '../helpers/api.ts';
import {sendJson, startChatUpstream} from '../helpers/chat-upstream.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {models} from '../helpers/relay.ts';

test.for([
	[{context_length: 8192, top_provider: {max_completion_tokens: 512}}, 8192, 512],
	[{max_model_len: 4096}, 4096, undefined],
	[{context_window: 131_072, max_completion_tokens: 8192}, 131_072, 8192],
	[{max_context_length: 32_768}, 32_768, undefined],
	[{inputTokenLimit: 1_048_576, outputTokenLimit: 65_536}, 1_048_576, 65_536],
	[{max_input_tokens: 200_000, max_tokens: 64_000}, 200_000, 64_000],
	[{meta: {n_ctx_train: 2048}}, 2048, undefined],
	[{context_length: '8192', max_model_len: -1, meta: null}, undefined, undefined],
] as const)('%j says what the model can', ([entry, contextLength, maxOutputTokens]) => {
	expect(limitsIn(JSON.parse(JSON.stringify(entry)))).toEqual({
		...(contextLength !== undefined && {contextLength}),
		...(maxOutputTokens !== undefined && {maxOutputTokens}),
	});
});

test('the list of models says what their servers say, asks once, and waits a second at most', async () => {
	const clock = createFakeClock(1_700_000_000_000);
	let asked = 0;
	let isMute = false;
	const {promise: askedAgain, resolve: again} = Promise.withResolvers<void>();
	await using upstream = await startChatUpstream(({response}) => {
		asked += 1;
		if (isMute) {
			again();
		} else {
			sendJson(response, 200, {data: [{id: 'upstream-1', context_length: 8192}]});
		}
	});
	await using api = await startApi({models}, {clock, config: {model: upstream.model}});
	const list = async () => {
		const {data} = (await (await api.ask('/v1/models')).json()) as {
			data: Array<{id: string; context_length?: number; max_output_tokens?: number}>;
		};
		return Object.fromEntries(data.map(({id, context_length: length}) => [id, length]));
	};
	const first = await list();
	expect(first).toMatchObject({fast: 8192, agent: 8192});
	expect(asked).toBeGreaterThan(0);
	const before = asked;
	await list();
	expect(asked).toBe(before);

	isMute = true;
	clock.advance(600_001);
	const late = list();
	await askedAgain;
	// Nobody answers: what is known is said, the rest is not.
	clock.advance(1000);
	expect((await late)['fast']).toBeUndefined();
});
