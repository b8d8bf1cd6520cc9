import {once} from 'node:events';
import {request, type IncomingMessage} from 'node:http';
import {text} from 'node:stream/consumers';
import {expect, test} from 'vitest';
import {createApiServer} from '../../source/api/api-server.ts';
import {endpoint} from '../../source/api/http/endpoint.ts';
import type {KeyDesk} from '../../source/api/keys/desk.ts';
import {openKeyDesk} from '../../source/api/keys/key-desk.ts';
import {silentLogger} from '../../source/core/log.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createSqliteHome} from '../store/sqlite-home.ts';

/** What a client is answered whose body ends after `meanwhile`, and whether it was served. */
async function askSlowly(meanwhile: (desk: KeyDesk, id: string) => Promise<unknown>) {
	await using home = await createSqliteHome();
	await using stack = new AsyncDisposableStack();
	const clock = createFakeClock(Date.parse('2026-11-23T12:00:00Z'));
	const store = stack.use(await home.open(clock));
	const keys = stack.use(
		await openKeyDesk({
			clock,
			keys: store.keys,
			limits: store.limits.keys,
			events: store.events,
			log: silentLogger,
		}),
	);
	const served: string[] = [];
	const server = createApiServer(
		{
			clock,
			log: silentLogger,
			keys,
			endpoints: [
				endpoint({
					method: 'POST',
					path: '/v1/words',
					scope: 'chat',
					prepare: () => undefined,
					need: () => ({input: 9, most: 1, isWhole: true}),
					async serve(_, {key}) {
						served.push(key.id);
						return {json: {done: true}};
					},
				}),
			],
			limits: () => ({maxBodyBytes: 1024, corsOrigins: []}),
		},
		{host: '127.0.0.1', port: 0},
	);
	stack.defer(async () => server.close());
	const {url} = await server.listen();
	const {key, secret} = await keys.create(
		{name: 'slow', kind: 'live', endpoints: ['chat'], models: ['*'], agents: true},
		'svc',
	);
	const asking = request(`${url}/v1/words`, {
		method: 'POST',
		agent: false,
		headers: {authorization: `Bearer ${secret}`, expect: '100-continue'},
	});
	// The key has passed: the server wants the body.
	asking.flushHeaders();
	await once(asking, 'continue');
	await meanwhile(keys, key.id);
	const answered = once(asking, 'response');
	asking.end('{}');
	const [response] = (await answered) as [IncomingMessage];
	const body: unknown = JSON.parse(await text(response));
	return {status: response.statusCode, body, served: served.length};
}

const refused = {
	status: 401,
	body: {error: {code: 'invalid_api_key'}},
	served: 0,
};

test('a key that still passes when the body has come is served', async () => {
	expect(await askSlowly(async () => {})).toMatchObject({status: 200, served: 1});
});

test('a key that is revoked while its body comes begins nothing more', async () => {
	expect(await askSlowly(async (desk, id) => desk.revoke(id))).toMatchObject(refused);
});

test('nor does a secret that was replaced meanwhile, without an overlap', async () => {
	expect(
		await askSlowly(async (desk, id) => desk.rotate(id, {overlapMs: 0, prefix: 'svc'})),
	).toMatchObject(refused);
});
