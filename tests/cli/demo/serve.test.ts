import {expect, test} from 'vitest';
import {serve} from '../../../source/cli/demo/servers/serve.ts';

test('a server of the demo takes no more than it could need, from whoever finds its port', async () => {
	const sizes: number[] = [];
	await using server = await serve(({body}) => {
		sizes.push(body.length);
		return {status: 200, body: {}};
	});
	const ask = async (size: number) => {
		const {status} = await fetch(server.origin, {method: 'POST', body: 'x'.repeat(size)});
		return status;
	};

	expect(await ask(1000)).toBe(200);
	expect(await ask(2 ** 20 + 1)).toBe(413);
	expect(sizes).toEqual([1000]);
});
