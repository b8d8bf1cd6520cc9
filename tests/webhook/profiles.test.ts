import {mkdir, writeFile} from 'node:fs/promises';
import {connect} from 'node:net';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {expect, test} from 'vitest';
import {makeRoute, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

const routes = [
	makeRoute(),
	makeRoute({name: 'deploy', profile: 'work'}),
	makeRoute({name: 'news', profile: 'home'}),
];

const startMultiplexing = async () => startReceiver({routes, multiplexing: true});

test('POST /p/<profile>/webhooks/<route_name>: same response table', async () => {
	await using receiver = await startMultiplexing();
	const answer = await receiver.post({}, {'X-Forge-Delivery': 'd-1'}, '/p/work/webhooks/deploy');
	expect([answer.status, answer.json]).toEqual([
		202,
		{status: 'accepted', route: 'deploy', event: 'unknown', delivery_id: 'd-1'},
	]);
	expect(receiver.last()).toMatchObject({profile: 'work', route: 'deploy'});
	expect(await receiver.store.runs.get(receiver.woken[0] ?? 0)).toMatchObject({profile: 'work'});
});

test.for(['/webhooks/hook', '/p/default/webhooks/hook', '/p/d%65fault/webhooks/ho%6Fk'])(
	'a route of the default profile is at %s',
	async path => {
		await using receiver = await startMultiplexing();
		expect((await receiver.post({}, {}, path)).status).toBe(202);
	},
);

test.for([
	// The prefix must match the route's `profile` binding.
	'/webhooks/deploy',
	'/p/home/webhooks/deploy',
	'/p/work/webhooks/hook',
	'/p/default/webhooks/deploy',
	'/p/nobody/webhooks/hook',
	'/p/work/webhooks/nobody',
	// Case, empty segments, dots, double slashes.
	'/P/work/webhooks/deploy',
	'/p/Work/webhooks/deploy',
	'/p/work/Webhooks/deploy',
	'/p/work/webhooks/Deploy',
	'/p//webhooks/deploy',
	'/p//webhooks/hook',
	'/p/work/webhooks/',
	'/p/work/webhooks',
	'/p/work/',
	'/p/work',
	'/p/',
	'/p',
	'//p/work/webhooks/deploy',
	'/p//work/webhooks/deploy',
	'/p/work//webhooks/deploy',
	'/p/work/webhooks//deploy',
	'/p/work/webhooks/deploy/',
	'/p/work/webhooks/deploy/x',
	'/p/work/x/webhooks/deploy',
	'/p/./webhooks/hook',
	'/p/../webhooks/hook',
	'/p/work/../work/webhooks/deploy',
	'/p/work/webhooks/../deploy',
	'/webhooks/../p/work/webhooks/deploy',
	'/p/p/work/webhooks/deploy',
	'/p/work/p/work/webhooks/deploy',
	'/webhooks/p/work/webhooks/deploy',
	// What decodes to a separator names nothing; what does not decode neither.
	'/p%2Fwork%2Fwebhooks%2Fdeploy',
	'/p/work%2Fwebhooks/deploy',
	'/p/work/webhooks%2Fdeploy',
	'/p/work/webhooks/deploy%2F',
	'/p/work%00/webhooks/deploy',
	'/p/work%/webhooks/deploy',
	'/p/work/webhooks/deploy%',
	'/p/%FF/webhooks/deploy',
	'/p/__proto__/webhooks/deploy',
	'/p/work/webhooks/__proto__',
	'/p/work/webhooks/constructor',
	'/p/work;x/webhooks/deploy',
	'/p/work/webhooks/deploy;x',
	'/p/work/webhooks/deploy#x',
	'/p/ work/webhooks/deploy'.replace(' ', '%20'),
])('a mismatch answers byte for byte like an unknown route: %s', async path => {
	await using receiver = await startMultiplexing();
	const bytes = await rawAnswer(receiver, path);
	expect(bytes).toBe(await rawAnswer(receiver, '/webhooks/nobody-has-this-name'));
	expect(bytes).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
	expect(bytes).toMatch(/\r\n\r\n\{"error":"Unknown route"\}$/);
	expect(receiver.woken).toEqual([]);
});

test('the answer to a mismatch does not depend on method, size or signature of the request', async () => {
	await using receiver = await startMultiplexing();
	const unknown = '/webhooks/nobody';
	for (const change of [
		{method: 'GET'},
		{method: 'PUT'},
		{length: 5_000_000},
		{headers: 'X-Hub-Signature-256: sha256=00\r\n'},
		{headers: 'Expect: 100-continue\r\n'},
	]) {
		expect(await rawAnswer(receiver, '/p/home/webhooks/deploy', change)).toBe(
			await rawAnswer(receiver, unknown, change),
		);
	}
});

test('the person at the terminal sees what the client does not', async () => {
	await using receiver = await startMultiplexing();
	await receiver.post({}, {}, '/p/home/webhooks/deploy?token=secret');
	expect(receiver.step('route')).toBe('bound to profile "work"');
	expect(receiver.last()).toMatchObject({
		outcome: 'route',
		route: '/p/home/webhooks/deploy',
		profile: 'default',
	});
	await receiver.post({}, {}, '/webhooks/deploy');
	expect(receiver.step('route')).toBe('bound to profile "work"');
	await receiver.post({}, {}, '/p/work/webhooks/nobody');
	expect(receiver.step('route')).toBe('no such route');
});

test('without `gateway.multiplex_profiles` nothing is served below /p/', async () => {
	await using receiver = await startReceiver({routes});
	for (const path of ['/p/work/webhooks/deploy', '/p/default/webhooks/hook', '/webhooks/deploy']) {
		expect(await rawAnswer(receiver, path)).toBe(await rawAnswer(receiver, '/webhooks/nobody'));
	}

	await receiver.post({}, {}, '/p/default/webhooks/hook');
	expect(receiver.step('route')).toBe('profiles are not multiplexed');
});

test('a mismatch spends no quota, takes no identifier and keeps no body', async () => {
	const deploy = makeRoute({name: 'deploy', profile: 'work', rateLimit: 1});
	await using receiver = await startReceiver({routes: [deploy], multiplexing: true});
	const id = {'X-Forge-Delivery': 'd-1'};
	await receiver.post({}, id, '/p/home/webhooks/deploy');
	expect((await receiver.stored()).body).toBeUndefined();
	expect((await receiver.post({}, id, '/p/work/webhooks/deploy')).status).toBe(202);
});

test('rate windows are per profile and route', async () => {
	const limited = {rateLimit: 1};
	await using receiver = await startReceiver({
		routes: [makeRoute({...limited, name: 'work/hook'})],
		multiplexing: true,
	});
	expect((await receiver.post({}, {}, '/webhooks/work%2Fhook')).status).toBe(202);
	receiver.setRoutes(makeRoute({...limited, profile: 'work'}));
	expect((await receiver.post({}, {}, '/p/work/webhooks/hook')).status).toBe(202);
	receiver.setRoutes(makeRoute({...limited, profile: 'home'}));
	expect((await receiver.post({}, {}, '/p/home/webhooks/hook')).status).toBe(202);
	expect((await receiver.post({}, {}, '/p/home/webhooks/hook')).status).toBe(429);
});

test('the duplicate rule is per (profile, route, id)', async () => {
	await using receiver = await startReceiver({routes: [makeRoute()], multiplexing: true});
	const id = {'X-Forge-Delivery': 'd-1'};
	await receiver.post({}, id);
	receiver.setRoutes(makeRoute({profile: 'work'}));
	expect((await receiver.post({}, id, '/p/work/webhooks/hook')).status).toBe(202);
	expect((await receiver.post({}, id, '/p/work/webhooks/hook')).json['status']).toBe('duplicate');
});

test('scripts and `in_file` are those of the profile', async () => {
	const options = {script: 'who.sh', filters: [{field: 'who', in_file: 'people.txt'}]};
	await using receiver = await startReceiver({
		routes: [
			makeRoute({...options, prompt: '{by}'}),
			makeRoute({...options, prompt: '{by}', name: 'deploy', profile: 'work'}),
		],
		multiplexing: true,
	});
	for (const [home, name] of [
		[receiver.home, 'ann'],
		[join(receiver.home, 'profiles/work'), 'bob'],
	] as const) {
		await mkdir(join(home, 'scripts'), {recursive: true});
		await writeFile(join(home, 'scripts/who.sh'), `echo '{"by":"${name}"}'`);
		await writeFile(join(home, 'people.txt'), name);
	}

	expect((await receiver.post({who: 'bob'})).json['reason']).toBe('filter');
	expect((await receiver.post({who: 'ann'})).status).toBe(202);
	const path = '/p/work/webhooks/deploy';
	expect((await receiver.post({who: 'ann'}, {}, path)).json['reason']).toBe('filter');
	expect((await receiver.post({who: 'bob'}, {}, path)).status).toBe(202);
	const prompts = await Promise.all(
		receiver.woken.map(async runId => (await receiver.store.runs.get(runId))?.plan.prompt),
	);
	expect(prompts).toEqual(['ann', 'bob']);
});

test('a replay may go to a route of another profile', async () => {
	await using receiver = await startMultiplexing();
	await receiver.post({});
	const stored = await receiver.stored();
	const answer = await receiver.receiver.replay(stored, {route: 'deploy'});
	expect(answer.status).toBe(202);
	expect(receiver.last()).toMatchObject({profile: 'work', route: 'deploy', replayOf: stored.id});
});

/** Everything that comes back for a request on a connection of its own, but its date. */
async function rawAnswer(
	receiver: TestReceiver,
	path: string,
	{
		method = 'POST',
		length = 2,
		headers = '',
	}: {readonly method?: string; readonly length?: number; readonly headers?: string} = {},
): Promise<string> {
	const socket = connect(receiver.port, '127.0.0.1');
	socket.write(
		`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}Content-Length: ${length}\r\n\r\n{}`,
	);
	if (length > 2) {
		// Nobody waits for the rest of a body that is not read.
		await new Promise(resolve => {
			socket.once('readable', resolve);
		});
		receiver.clock.advance(2000);
	}

	return (await text(socket)).replace(/\r\nDate: [^\r]*/, '');
}
