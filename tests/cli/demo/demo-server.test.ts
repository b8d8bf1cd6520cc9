import {expect, test} from 'vitest';
import {startDemoServer} from '../../../source/cli/demo/demo-server.ts';
import {systemClock} from '../../../source/core/clock.ts';

test('the server of the demo takes no more than it could need, from whoever finds its port', async () => {
	await using server = await startDemoServer({clock: systemClock, isHurried: () => true});
	const ask = async (size: number) => {
		const content = 'x'.repeat(size);
		const {status} = await fetch(`${server.origin}/v1/chat/completions`, {
			method: 'POST',
			body: JSON.stringify({messages: [{role: 'user', content}]}),
		});
		return status;
	};

	expect(await ask(1000)).toBe(200);
	expect(await ask(2 ** 20 + 1)).toBe(413);
});
