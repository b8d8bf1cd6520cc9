import {expect, test} from 'vitest';
import {makeRoute, startReceiver} from './start-receiver.ts';

test('a receiver tells how much of the rate of a route is used, and of an unknown one nothing', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute(), makeRoute({name: 'slow', overflow: 'queue', rateLimit: 1})],
	});
	await receiver.post({});
	expect(await receiver.receiver.rateOf('hook')).toMatchObject({used: 1});
	expect(await receiver.receiver.rateOf('slow')).toEqual({used: 0, endsInMs: 0});
	expect(await receiver.receiver.rateOf('nobody')).toBeUndefined();
});
