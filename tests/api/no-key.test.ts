import {expect, test} from 'vitest';
import {startTestGateway} from '../helpers/gateway.ts';

const api = {enabled: true, port: 0};

test('a gateway without a key makes none by itself, answers 401, and names the command in its log', async () => {
	await using gateway = await startTestGateway({config: {api}});
	const state = await gateway.until(({api: now}) => now?.state === 'listening');
	const url = state.api?.state === 'listening' ? state.api.url : '';
	expect(gateway.port.getState().keys).toEqual([]);
	expect((await fetch(`${url}/v1/models`, {headers: {connection: 'close'}})).status).toBe(401);
	expect(gateway.log.join('\n')).toContain('svc keys create');

	const minted = await gateway.port.createFirstKey();
	expect(await gateway.port.createFirstKey()).toBeUndefined();
	expect(gateway.port.getState().keys?.map(({name}) => name)).toEqual(['first']);
	const headers = {connection: 'close', authorization: `Bearer ${minted?.secret}`};
	expect((await fetch(`${url}/v1/models`, {headers})).status).toBe(200);
	expect(gateway.log.join('\n')).not.toContain(minted?.secret ?? 'none');
	expect(JSON.stringify(gateway.events)).not.toContain(minted?.secret ?? 'none');
});
