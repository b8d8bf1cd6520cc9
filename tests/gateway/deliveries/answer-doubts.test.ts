import {expect, test} from 'vitest';
import {createAnswerDoubts} from '../../../source/gateway/deliveries/replays.ts';

const route = {deliver: 'forge_comment', profile: 'default', deliverOnly: false};

const doubts = async ({
	provider = 'anthropic',
	allowOfflineDelivery = false,
	problem,
	...overrides
}: {
	provider?: string;
	allowOfflineDelivery?: boolean;
	problem?: string;
	deliver?: string;
	deliverOnly?: boolean;
	cronJob?: string;
	failure?: string;
}) =>
	createAnswerDoubts({
		live: {
			current: () => ({model: {allowOfflineDelivery}}),
			routes: () => ({routes: new Map([['hook', {...route, ...overrides}]])}),
		} as never,
		model: {
			async current() {
				if (overrides.failure !== undefined) {
					throw new Error(overrides.failure);
				}

				return {view: {provider}};
			},
		} as never,
		deliverer: {problemNow: async () => problem},
	})('hook');

test.each([
	[{}, []],
	[{provider: 'offline'}, [/no language model is configured: the answer goes to the log alone/]],
	[{provider: 'offline', allowOfflineDelivery: true}, []],
	[{provider: 'offline', deliver: 'log'}, []],
	[{provider: 'offline', deliverOnly: true}, []],
	[{provider: 'offline', cronJob: 'nightly'}, []],
	[{problem: '"gh" is not installed'}, [/cannot be delivered now: "gh" is not installed/]],
	[{deliverOnly: true, problem: 'it is off'}, [/cannot be delivered now: it is off/]],
	[{failure: 'no \u001B[2Jkey'}, [/^the run will fail: no [^[]*\[2Jkey/]],
] as const)('%j: %j', async (world, expected) => {
	expect(await doubts(world)).toEqual(expected.map(text => expect.stringMatching(text)));
});

test('a route that is not there has none', async () => {
	expect(
		await createAnswerDoubts({
			live: {routes: () => ({routes: new Map()})},
		} as never)('nowhere'),
	).toEqual([]);
});
