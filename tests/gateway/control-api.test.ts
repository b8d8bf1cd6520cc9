import {readFile, stat} from 'node:fs/promises';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {parse} from 'yaml';
import type {GatewayEvent} from '../../source/core/events.ts';
import {contract} from '../../source/gateway/contract/contract.ts';
import {control, followEvents} from '../helpers/control.ts';
import {startTestGateway, type TestGateway} from '../helpers/gateway.ts';

let gateway: TestGateway;
let socket: string;
let accepted: {readonly delivery: string; readonly run: number};

beforeAll(async () => {
	gateway = await startTestGateway({
		subscriptions: {
			hook: {prompt: 'Say what {name} did'},
			picky: {events: ['release'], prompt: 'x'},
			group: {prompt: 'x', coalesce: {key: 'id'}},
		},
	});
	({socket} = gateway.paths);
	await gateway.home.write(
		'cron/jobs.json',
		JSON.stringify({
			jobs: [{id: 'job_yearly00', name: 'yearly / all', schedule: '0 0 1 1 *', prompt: 'x'}],
		}),
	);
	await gateway.port.reload();
	await gateway.send('hook', {name: 'Alex'});
	const {runs} = await gateway.until(({runs: [run]}) => run?.state === 'done');
	accepted = {delivery: runs[0]?.delivery ?? '', run: runs[0]?.id ?? 0};
});

afterAll(async () => {
	await gateway[Symbol.asyncDispose]();
});

/** Endpoints that a test below has called. */
const called = new Set<string>();

const bodyOf = ({
	source,
	fingerprint,
	definition,
}: {
	readonly source?: unknown;
	readonly fingerprint?: unknown;
	readonly definition: object;
}) => ({source, fingerprint, definition});

const call = async (
	method: 'GET' | 'POST',
	pattern: string,
	{name = '', query = '', body}: {name?: string | number; query?: string; body?: unknown} = {},
) => {
	called.add(`${method} ${pattern}`);
	const path = pattern.replace(/\{\w+\}/, encodeURIComponent(name));
	return control(socket, `${path}${query}`, {
		method,
		...(body !== undefined && {body: JSON.stringify(body)}),
	});
};

test('"run/gateway.sock (0600)": only the owner of the home reaches the control API', async () => {
	expect((await stat(socket)).mode & 0o777).toBe(0o600);
	expect((await stat(gateway.paths.run)).mode & 0o777).toBe(0o700);
});

test('deliveries are listed newest first, by route, in pages', async () => {
	await gateway.send('picky', {});
	await gateway.until(({deliveries}) =>
		deliveries.some(({delivery}) => delivery.route === 'picky'),
	);
	const page = await call('GET', '/v1/deliveries', {query: '?limit=1&route=hook'});
	expect(page).toMatchObject({status: 200, json: [{id: accepted.delivery, route: 'hook'}]});
	const older = await call('GET', '/v1/deliveries', {query: `?before=${accepted.delivery}`});
	expect(older.json).toEqual([]);
	expect((await call('GET', '/v1/deliveries', {query: '?limit=nonsense'})).status).toBe(200);
});

test('deliveries are listed by how they ended, by what became of their runs, and by time', async () => {
	await gateway.send('picky', {});
	await gateway.until(({deliveries}) =>
		deliveries.some(({delivery}) => delivery.route === 'picky'),
	);
	const outcomes = await call('GET', '/v1/deliveries', {
		query: '?outcome=ignored:event&outcome=rate',
	});
	expect(outcomes.json.map(({route}: {route: string}) => route)).toContain('picky');
	expect(outcomes.json.map(({route}: {route: string}) => route)).not.toContain('hook');
	const done = await call('GET', '/v1/deliveries', {query: '?run_state=done&run_state=failed'});
	expect(done.json.map(({route}: {route: string}) => route)).toEqual(['hook']);
	const later = await call('GET', '/v1/deliveries', {query: `?since=${Date.now() + 60_000}`});
	expect(later.json).toEqual([]);
});

test('a delivery comes with its headers, its decision and its body in base64; an unknown one is 404', async () => {
	const {status, json} = await call('GET', '/v1/deliveries/{id}', {name: accepted.delivery});
	expect(status).toBe(200);
	expect(Buffer.from(json.body_base64, 'base64').toString()).toBe('{"name":"Alex"}');
	expect(json.headers['x-github-event']).toBe('push');
	expect(json.trace.map(({step}: {step: string}) => step)).toContain('signature');
	expect(JSON.stringify(json)).not.toContain('correct horse');
	expect(await call('GET', '/v1/deliveries/{id}', {name: 'zzzzzzzz'})).toMatchObject({
		status: 404,
		json: {code: 'not_found'},
	});
});

test('a replay says what it would do, then does it under a new identifier', async () => {
	const plan = await call('POST', '/v1/deliveries/{id}/replay-plan', {name: accepted.delivery});
	expect(plan).toMatchObject({status: 200, json: {route: 'hook', needsConfirmation: false}});
	const {json} = await call('POST', '/v1/deliveries/{id}/replay', {
		name: accepted.delivery,
		body: {body: '{"name":"Sam"}'},
	});
	expect(json.status).toBe(202);
	const {runs} = await gateway.until(
		state => state.runs.length === 2 && state.runs.at(-1)?.state === 'done',
	);
	expect((await gateway.ended(runs[1]?.id ?? 0)).plan.prompt).toBe('Say what Sam did');
	const stored = await gateway.port.getDelivery(runs[1]?.delivery ?? '');
	expect(stored?.replayOf).toBe(accepted.delivery);
	expect(await call('POST', '/v1/deliveries/{id}/replay-plan', {name: 'zzzzzzzz'})).toMatchObject({
		status: 409,
		json: {code: 'delivery_not_found'},
	});
});

test('every route is listed, without its secret', async () => {
	const {status, json} = await call('GET', '/v1/routes');
	expect(status).toBe(200);
	expect(json).toContainEqual(expect.objectContaining({name: 'hook', source: 'dynamic'}));
	expect(JSON.stringify(json)).not.toContain('correct horse');
});

test('runs are listed by state and shown with prompt, transcript and answer', async () => {
	const {json} = await call('GET', '/v1/runs', {query: '?state=done&state=failed&limit=10'});
	expect(json.map(({state}: {state: string}) => state)).toContain('done');
	expect((await call('GET', '/v1/runs', {query: '?state=failed'})).json).toEqual([]);
	expect((await call('GET', '/v1/runs', {query: '?state=nonsense'})).json).toEqual([]);
	expect((await call('GET', '/v1/runs/{id}', {name: accepted.run})).json).toMatchObject({
		id: accepted.run,
		plan: {prompt: 'Say what Alex did'},
		fullAnswer: expect.stringContaining('svc-offline'),
	});
	expect((await call('GET', '/v1/runs/{id}', {name: 99_999})).status).toBe(404);
	expect(await call('GET', '/v1/runs/{id}', {name: 'seven'})).toMatchObject({
		status: 409,
		json: {code: 'bad_request', error: expect.stringContaining('"seven"')},
	});
});

test('the whole history is searched in the words of the filters, step by step', async () => {
	const found = await call('GET', '/v1/history/deliveries', {
		query: `?filter=${encodeURIComponent('payload.name:Sam route:hook')}&limit=5`,
	});
	expect(found.json.items).toMatchObject([{route: 'hook', status: 202}]);
	const {json} = await call('GET', '/v1/history/runs', {query: '?limit=1'});
	expect(json.items).toMatchObject([{route: 'hook', state: 'done'}]);
	const oldest = await call('GET', '/v1/history/runs', {query: `?after=0&limit=1`});
	expect(oldest.json.items).toMatchObject([{id: 1}]);
	const older = await call('GET', '/v1/history/runs', {query: `?before=${json.searchedTo}`});
	expect(older.json.items).toMatchObject([{id: 1}]);
	expect(older.json.searchedTo).toBeUndefined();
	for (const path of ['/v1/history/groups', '/v1/history/approvals'] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect((await call('GET', path)).json).toEqual({items: [], scanned: 0});
	}
});

test('what came in within a day is counted by route', async () => {
	const {json} = await call('GET', '/v1/history/routes');
	const hook = json.routes.find(({route}: {readonly route: string}) => route === 'hook');
	expect(hook).toMatchObject({profile: 'default', refused: 0});
	expect(hook.taken).toBeGreaterThan(0);
	expect(hook.hours[23]).toBe(hook.taken);
	expect(json.until - json.since).toBe(86_400_000);
});

test('runs are summed by route, of a week where nothing else is asked for, and by what is asked for', async () => {
	const week = await call('GET', '/v1/history/usage');
	expect(week.json).toMatchObject({by: 'route', keptMs: 30 * 86_400_000, leftOut: 0});
	expect(week.json.until - week.json.since).toBe(7 * 86_400_000);
	expect(week.json.rows).toMatchObject([{profile: 'default', route: 'hook', success: 1}]);
	expect(week.json.rows[0].inputTokens).toBeGreaterThan(0);
	const models = await call('GET', '/v1/history/usage', {query: '?by=model&since=0'});
	expect(models.json).toMatchObject({by: 'model', since: 0, rows: [{model: 'svc-offline-1'}]});
	const none = await call('GET', '/v1/history/usage', {query: '?profile=other'});
	expect(none.json.rows).toEqual([]);
	expect(await call('GET', '/v1/history/usage', {query: '?by=moon'})).toMatchObject({
		status: 409,
		json: {code: 'bad_request', error: expect.stringContaining('"moon"')},
	});
});

test('a run that has ended well is neither cancelled nor retried nor dropped, and its answer is handed over once more', async () => {
	expect(await call('POST', '/v1/runs/{id}/cancel', {name: accepted.run})).toEqual({
		status: 200,
		json: false,
	});
	expect(await call('POST', '/v1/runs/{id}/retry', {name: accepted.run})).toEqual({
		status: 200,
		json: false,
	});
	expect(
		await call('POST', '/v1/runs/{id}/drop', {name: accepted.run, body: {reason: 'x'}}),
	).toEqual({status: 200, json: false});
	const deliver = {name: accepted.run, body: {to: 'log'}};
	expect(await call('POST', '/v1/runs/{id}/deliver', deliver)).toEqual({
		status: 200,
		json: {kind: 'log', extra: {}},
	});
	await gateway.gateway.idle();
	expect(await gateway.port.getRun(accepted.run)).toMatchObject({state: 'done'});
	expect(await call('POST', '/v1/runs/{id}/deliver', {name: 9999})).toMatchObject({status: 404});
});

test('groups are listed, shown with their events, and dispatched', async () => {
	await gateway.send('group', {id: 'acme/api#7'});
	await gateway.until(({groups}) => groups.length === 1);
	const list = await call('GET', '/v1/groups', {query: '?state=pending&limit=10'});
	expect(list.json).toMatchObject([{id: 1, key: 'acme/api#7', count: 1, state: 'pending'}]);
	expect(await call('GET', '/v1/groups', {query: '?state=nonsense'})).toMatchObject({
		status: 409,
		json: {code: 'bad_request', error: expect.stringContaining('"nonsense"')},
	});
	const shown = await call('GET', '/v1/groups/{id}', {name: 1});
	expect(shown.json).toMatchObject({id: 1, members: [{event: 'push'}]});
	expect((await call('GET', '/v1/groups/{id}', {name: 99})).status).toBe(404);
	expect(await call('GET', '/v1/groups/{id}', {name: 'one'})).toMatchObject({
		status: 409,
		json: {code: 'bad_request'},
	});
	expect((await call('POST', '/v1/groups/{id}/dispatch', {name: 1})).json).toBe(true);
	expect((await call('POST', '/v1/groups/{id}/dispatch', {name: 1})).json).toBe(false);
	await gateway.until(({groups: [group], runs}) =>
		runs.some(({id, state}) => id === group?.runId && state === 'done'),
	);
});

test('jobs are listed, run and paused, also those whose names need an encoding; errors keep their codes', async () => {
	const name = 'yearly / all';
	expect((await call('GET', '/v1/jobs')).json).toMatchObject([
		{id: 'job_yearly00', name, state: 'active'},
	]);
	const {json} = await call('POST', '/v1/jobs/{job}/run', {name});
	await gateway.ended(json.runId);
	const runs = await call('GET', '/v1/runs', {query: '?job=job_yearly00'});
	expect(runs.json).toMatchObject([{id: json.runId, job: {name}, event: 'person'}]);
	expect(runs.json[0]).not.toHaveProperty('delivery');
	const pause = {name, body: {paused: true, profile: 'default'}};
	expect((await call('POST', '/v1/jobs/{job}/pause', pause)).json).toEqual({done: true});
	expect((await call('GET', '/v1/jobs')).json).toMatchObject([{state: 'paused'}]);
	expect(await call('POST', '/v1/jobs/{job}/pause', {name})).toMatchObject({
		status: 409,
		json: {code: 'bad_request', error: expect.stringContaining('paused')},
	});
	expect(await call('POST', '/v1/jobs/{job}/run', {name: 'nobody'})).toMatchObject({
		status: 409,
		json: {code: 'job_not_found'},
	});
});

test('deliveries are imported as they were read', async () => {
	const {json: known} = await call('GET', '/v1/deliveries/{id}', {name: accepted.delivery});
	const answer = await call('POST', '/v1/deliveries', {body: {deliveries: [known]}});
	expect(answer).toEqual({status: 200, json: 1});
	const [imported] = await gateway.port.listDeliveries({limit: 1});
	const {json} = await call('GET', '/v1/deliveries/{id}', {name: imported?.id ?? ''});
	expect(json).toMatchObject({idSource: 'import', body_base64: known.body_base64});
	for (const deliveries of [[{...known, trace: 7}], [{...known, body_base64: '!'}], ['x'], 'x']) {
		const refused = await call('POST', '/v1/deliveries', {body: {deliveries}});
		expect(refused).toMatchObject({
			status: 409,
			json: {code: expect.stringMatching(/^(?:delivery_invalid|bad_request)$/)},
		});
	}
});

test('an event that its sender asks to be recovered is taken in', async () => {
	const body = {delivery_id: 'missed', headers: {'x-github-event': 'push'}, body: '{"name":"Kim"}'};
	const {json} = await call('POST', '/v1/routes/{name}/recover', {name: 'hook', body});
	expect(JSON.parse(json.body)).toMatchObject({status: 'accepted', delivery_id: 'missed'});
	expect(await call('POST', '/v1/routes/{name}/recover', {name: 'nobody', body})).toMatchObject({
		status: 409,
		json: {code: 'route_not_found'},
	});
	expect(await call('POST', '/v1/routes/{name}/recover', {name: 'hook'})).toMatchObject({
		json: {code: 'bad_request'},
	});
	await gateway.gateway.idle();
});

test('a test event goes through the HTTP port, signed', async () => {
	const {json} = await call('POST', '/v1/routes/{name}/test', {
		name: 'picky',
		body: {payload: '{"tag":"v1"}', event: 'release'},
	});
	expect(json.status).toBe(202);
	expect(JSON.parse(json.body)).toMatchObject({
		status: 'accepted',
		route: 'picky',
		event: 'release',
	});
	expect(await call('POST', '/v1/routes/{name}/test', {name: 'nobody'})).toMatchObject({
		status: 409,
		json: {code: 'route_not_found'},
	});
});

test('the curl line holds a signature and no secret', async () => {
	const {json} = await call('GET', '/v1/routes/{name}/curl', {name: 'hook'});
	expect(json).toContain(`${gateway.url()}/webhooks/hook`);
	expect(json).toContain('x-hub-signature-256: sha256=');
	expect(json).not.toContain('correct horse');
});

test('a subscription is paused and resumed, gets a new secret, and is removed', async () => {
	const path = '/v1/routes/{name}/pause';
	const pause = (paused: boolean, name = 'leaving') => call('POST', path, {name, body: {paused}});
	await gateway.port.saveRoute('leaving', {
		source: 'dynamic',
		definition: {prompt: 'x', secret: 'first of this route'},
		fingerprint: 'none',
	});

	expect((await pause(true)).json).toEqual({done: true});
	const {json: routes} = await call('GET', '/v1/routes');
	expect(routes).toContainEqual(expect.objectContaining({name: 'leaving', paused: true}));
	expect((await pause(false)).json).toEqual({done: true});
	expect(await pause(true, 'nobody')).toMatchObject({
		status: 409,
		json: {code: 'subscription_not_found'},
	});

	const facts = '/v1/routes/{name}/facts';
	expect((await call('GET', facts, {name: 'leaving'})).json).toMatchObject({
		prompt: 'x',
		secret: 'its own: 19 bytes',
		tools: [],
	});
	expect((await call('GET', facts, {name: 'nobody'})).status).toBe(404);
	const rate = '/v1/routes/{name}/rate';
	expect((await call('GET', rate, {name: 'leaving'})).json).toEqual({
		limit: 30,
		used: 0,
		endsInMs: 0,
	});
	expect((await call('GET', rate, {name: 'nobody'})).status).toBe(404);

	const rotate = '/v1/routes/{name}/rotate';
	const {json: rotated} = await call('POST', rotate, {name: 'leaving', body: {overlap_ms: 1000}});
	expect(rotated).toMatchObject({
		file: gateway.paths.subscriptions,
		secret: expect.stringMatching(/^[\w-]{43}$/),
		until: expect.any(Number),
		curl: expect.not.stringContaining('first of this route'),
	});
	expect(await call('POST', rotate, {name: 'nobody'})).toMatchObject({
		status: 409,
		json: {code: 'route_not_found'},
	});

	const remove = '/v1/routes/{name}/remove';
	expect((await call('POST', remove, {name: 'leaving'})).json).toEqual({done: true});
	expect(await call('POST', remove, {name: 'leaving'})).toMatchObject({
		status: 409,
		json: {code: 'subscription_not_found'},
	});
});

test('a model that was not offered is not taken', async () => {
	const before = await readFile(gateway.paths.config, 'utf8');
	expect(await call('POST', '/v1/model/{provider}', {name: 'openai'})).toMatchObject({
		status: 409,
		json: {code: 'model_not_offered'},
	});
	expect(await readFile(gateway.paths.config, 'utf8')).toBe(before);
});

test('keys of the chat API are made, listed, rotated and revoked; a secret is answered once', async () => {
	const grant = {
		name: 'laptop',
		kind: 'live',
		endpoints: ['chat'],
		models: ['*'],
		agents: false,
		budget: {tokens: 1000, per: 'day'},
	};
	const {json: made} = await call('POST', '/v1/keys', {body: grant});
	const {
		key: {id},
		secret,
	} = made as {key: {id: string}; secret: string};
	expect(made).toMatchObject({key: grant, secret: expect.stringMatching(/^svc_live_/)});
	expect(
		(await call('POST', '/v1/keys/{id}/rotate', {name: id, body: {overlapMs: 1000}})).json,
	).toMatchObject({
		key: {id, retiring: {hint: expect.any(String)}},
		secret: expect.not.stringMatching(secret),
	});
	expect((await call('POST', '/v1/keys/{id}/revoke', {name: id})).json).toMatchObject({
		id,
		revokedAt: expect.any(Number),
	});
	expect((await call('POST', '/v1/keys/first')).status).toBe(404);
	expect((await call('GET', '/v1/keys/{id}/days', {name: id})).json).toEqual([]);
	expect((await call('GET', '/v1/keys/{id}/days', {name: 'key_other'})).status).toBe(404);
	const listed = await call('GET', '/v1/keys');
	expect(listed.json).toMatchObject([{id, name: 'laptop'}]);
	expect(JSON.stringify(listed.json)).not.toContain(secret);
	expect(
		(await call('POST', '/v1/keys/{id}/rotate', {name: id, body: {overlapMs: 1000}})).status,
	).toBe(404);
	// So the person at the terminal is called.
	expect((await call('POST', '/v1/keys', {body: {...grant, name: 'terminal'}})).json).toMatchObject(
		{
			code: 'key_invalid',
		},
	);
	expect((await call('POST', '/v1/keys', {body: {...grant, expiresAt: 5}})).json).toMatchObject({
		code: 'key_invalid',
	});
	expect(
		(await call('POST', '/v1/keys', {body: {...grant, endpoints: ['all']}})).json,
	).toMatchObject({
		code: 'bad_request',
	});
});

test('reload, restart of the receiver, status and what a stop would end', async () => {
	expect((await call('POST', '/v1/reload')).json).toEqual({done: true});
	expect((await call('POST', '/v1/receiver/restart')).json).toEqual({done: true});
	expect((await call('GET', '/v1/stop-consequences')).json).toEqual({
		activeRuns: 0,
		queuedRuns: 0,
		pendingGroups: 0,
	});
	expect((await call('GET', '/v1/status')).json).toMatchObject({
		pid: process.pid,
		webhook: {url: gateway.url()},
		api: {disabled: true},
		runs: {active: 0, queued: 0, to_decide: 0, awaiting_login: 0},
		groups: 0,
		servers: [],
		platforms: [],
	});
});

test('an unknown path is 404, and so is a known one with another method', async () => {
	expect(await control(socket, '/v1/secrets')).toMatchObject({
		status: 404,
		json: {code: 'unknown_url'},
	});
	expect((await control(socket, '/v1/runs', {method: 'DELETE'})).status).toBe(404);
	expect((await control(socket, '/v1/stop')).status).toBe(404);
	expect((await control(socket, '//')).status).toBe(404);
	expect((await control(socket, '/v1/deliveries/%E0%A4%A')).status).toBe(404);
});

test.for([
	['not JSON', '{"body":'],
	['a list', '[]'],
	['a key that the operation does not know', '{"bdoy": "x"}'],
	['a value that is no text', '{"body": 7}'],
])('a request body that is %s is refused with a reason and does nothing', async ([, body]) => {
	const before = await gateway.port.listRuns({limit: 1000});
	const path = `/v1/deliveries/${accepted.delivery}/replay`;
	expect(await control(socket, path, {method: 'POST', body: body ?? ''})).toMatchObject({
		status: 409,
		json: {code: 'bad_request', error: expect.stringContaining('Cannot')},
	});
	expect(await gateway.port.listRuns({limit: 1000})).toEqual(before);
});

test('the event stream begins with the state and follows with every event, in order', async () => {
	const stream = followEvents(socket);
	const first = await stream.next();
	expect(first.value).toMatchObject(['state', {webhook: {state: 'listening'}}]);
	await gateway.send('picky', {}, {'x-github-delivery': 'followed'});
	const seen: GatewayEvent[] = [];
	while (!seen.some(({type}) => type === 'delivery-received')) {
		const {value} = await stream.next();
		seen.push(...(value as readonly [string, GatewayEvent[]])[1]);
	}

	expect(seen).toContainEqual(
		expect.objectContaining({delivery: expect.objectContaining({deliveryId: 'followed'})}),
	);
	// eslint-disable-next-line unicorn/no-useless-undefined
	await stream.return(undefined);
});

test('without tool servers the list is empty, nothing would be reloaded, and none is found', async () => {
	expect(await call('GET', '/v1/servers')).toMatchObject({status: 200, json: []});
	expect(await call('GET', '/v1/servers-reload-plan')).toMatchObject({
		status: 200,
		json: {changes: [], closes: []},
	});
	for (const word of ['connect', 'disconnect', 'test']) {
		expect(await call('POST', `/v1/servers/{name}/${word}`, {name: 'crm'})).toMatchObject({
			status: 409,
			json: {code: 'server_not_found', error: 'Cannot find tool server "crm": see "svc mcp list"'},
		});
	}

	const tried = {name: 'mcp__crm__search', body: {arguments: {}, by: 'cli (ann)'}};
	expect(await call('POST', '/v1/tools/{name}/try', tried)).toMatchObject({
		status: 409,
		json: {code: 'tool_not_found'},
	});
	expect(
		await call('POST', '/v1/tools/{name}/try', {name: 'x', body: {arguments: [1], by: 'x'}}),
	).toMatchObject({status: 409, json: {code: 'bad_request'}});
});

test('an install link is reviewed, waits for a person, and is dropped; a program is not installed without its name', async () => {
	const config = Buffer.from('{"command":"a"}').toString('base64url');
	const body = {link: `svc://mcp/install?name=crm&config=${config}`};
	expect(await call('POST', '/v1/install/review', {body})).toMatchObject({
		status: 200,
		json: {name: 'crm', kind: 'program', exists: false},
	});
	expect(await call('POST', '/v1/install/offer', {body: {link: 'svc://x'}})).toMatchObject({
		status: 409,
		json: {code: 'invalid_link'},
	});
	const {json: offered} = await call('POST', '/v1/install/offer', {body});
	expect((await call('GET', '/v1/install')).json).toEqual([offered]);
	expect(await call('POST', '/v1/install', {body})).toMatchObject({
		status: 409,
		json: {code: 'confirmation_needed'},
	});
	const dismiss = '/v1/install/{id}/dismiss';
	expect((await call('POST', dismiss, {name: offered.id})).json).toBe(true);
	expect((await call('GET', '/v1/install')).json).toEqual([]);
});

test('the OpenAPI document has every path', async () => {
	const {status, json} = await control(socket, '/openapi.json');
	expect(status).toBe(200);
	expect(json.openapi).toBe('3.1.0');
	const documented = Object.entries(json.paths as Record<string, object>).flatMap(([path, item]) =>
		Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
	);
	expect(documented.toSorted()).toEqual(
		[
			'GET /v1/events',
			...Object.values(contract).map(({method, path}) => `${method} ${path}`),
		].toSorted(),
	);
	expect(json.paths['/v1/runs'].get.parameters.map(({name}: {name: string}) => name)).toContain(
		'job',
	);
	const pause = json.paths['/v1/jobs/{job}/pause'].post;
	expect(pause.requestBody.content['application/json'].schema.properties).toHaveProperty('paused');
});

test('"/v1/stop" drains and ends the gateway, and takes the socket away', async () => {
	await using other = await startTestGateway();
	expect(await control(other.paths.socket, '/v1/stop', {method: 'POST'})).toMatchObject({
		status: 200,
	});
	called.add('POST /v1/stop');
	await other.gateway.stopped;
	await expect(stat(other.paths.socket)).rejects.toThrow('ENOENT');
});

test('without requests nothing waits, nothing was settled, and answers find nothing', async () => {
	expect(await call('GET', '/v1/approvals')).toMatchObject({status: 200, json: []});
	expect((await call('GET', '/v1/approvals', {query: '?state=settled&limit=5'})).json).toEqual([]);
	expect(await call('GET', '/v1/approvals', {query: '?state=odd'})).toMatchObject({
		status: 409,
		json: {code: 'bad_request'},
	});
	const settle = {name: 9, body: {answer: {choice: 'deny'}, by: 'cli'}};
	expect(await call('POST', '/v1/approvals/{id}/settle', settle)).toMatchObject({
		status: 200,
		json: {settled: false},
	});
	expect((await call('GET', '/v1/approvals/{id}', {name: 9})).status).toBe(404);
	expect((await call('POST', '/v1/approvals/{id}/extend', {name: 9})).status).toBe(404);
	expect((await call('GET', '/v1/approval-rules')).json).toEqual([]);
	expect((await call('POST', '/v1/approval-rules/{id}/revoke', {name: 9})).json).toBe(false);
	expect(
		await call('POST', '/v1/approval-rules/{id}/accept', {
			name: 9,
			body: {definition: 'ab'.repeat(32)},
		}),
	).toMatchObject({status: 404});
});

test.for([
	{answer: {choice: 'allow', scope: 'forever'}, by: 'cli'},
	{answer: {choice: 'allow'}, by: 'cli'},
	{answer: {choice: 'maybe'}, by: 'cli'},
	{answer: {choice: 'deny'}},
	{answer: {choice: 'deny'}, by: ''},
	{answer: {choice: 'allow', scope: 'once', always: true}, by: 'cli'},
])('an answer that is none is refused: %j', async body => {
	expect(await call('POST', '/v1/approvals/{id}/settle', {name: 9, body})).toMatchObject({
		status: 409,
		json: {code: 'bad_request'},
	});
});

test('a route is read, checked, tried on what came, and saved over the socket', async () => {
	const read = await call('GET', '/v1/routes/{name}/definition', {name: 'picky'});
	const {definition, ...place} = read.json as {readonly definition: object};
	const draft = {...place, definition: {...definition, prompt: 'now {name}'}};
	const route = async (path: string, name: string, more: object = {}) =>
		call('POST', `/v1/routes/{name}/${path}`, {name, body: {...bodyOf(draft), ...more}});

	expect(await call('GET', '/v1/route-fields')).toMatchObject({status: 200});
	expect(await call('GET', '/v1/targets/{name}/problem', {name: 'telegram'})).toMatchObject({
		status: 200,
	});
	expect((await route('check', 'picky')).json).toMatchObject({problems: []});
	expect((await route('preview', 'picky', {delivery: accepted.delivery})).status).toBe(200);
	expect((await route('backtest', 'picky', {traffic: 'hook', last: 5})).status).toBe(200);
	expect(await call('GET', '/v1/routes/{name}/payload-keys', {name: 'hook'})).toMatchObject({
		status: 200,
		json: {keys: expect.arrayContaining([expect.objectContaining({key: 'name'})])},
	});
	expect((await route('save-plan', 'picky')).json).toMatchObject({
		diff: expect.arrayContaining([expect.anything()]),
	});
	expect((await route('definition', 'picky')).status).toBe(200);
	expect(await readFile(gateway.paths.subscriptions, 'utf8')).toContain('now {name}');
	// It was read before it was saved.
	expect((await route('definition', 'picky')).json).toMatchObject({code: 'route_conflict'});
});

test('the receiver is set up over the socket, and a secret that is made is told once', async () => {
	const body = {makeSecret: true, route: {name: 'first', events: ['push'], prompt: 'Say {name}'}};
	const {json: plan} = await call('POST', '/v1/setup/plan', {body});
	expect(plan).toMatchObject({problems: [], restartNeeded: []});
	const {fingerprint} = plan as {readonly fingerprint: string};

	const {json: written} = await call('POST', '/v1/setup', {body: {...body, fingerprint}});
	const {secret} = written as {readonly secret: string};
	const text = await readFile(gateway.paths.config, 'utf8');
	expect(text).toContain(secret);
	expect(JSON.stringify(plan)).not.toContain(secret);
	expect(await call('POST', '/v1/setup', {body: {port: 1, fingerprint}})).toMatchObject({
		json: {code: 'setup_conflict'},
	});
	expect(await readFile(gateway.paths.config, 'utf8')).toBe(text);
});

test('a platform that is not enabled takes no test message', async () => {
	const asked = {name: 'telegram', body: {chat_id: '1'}};
	expect(await call('POST', '/v1/platforms/{name}/test', asked)).toMatchObject({
		json: {code: 'platform_disabled'},
	});
});

test('a person talks to the agent in a session of their own, which is listed, shown, searched and forgotten', async () => {
	const {json: begun} = await call('POST', '/v1/chat', {body: {text: 'Count the penguins'}});
	expect(begun).toEqual({
		session: expect.stringMatching(/^ses_[0-9a-f]{30}$/),
		run: expect.any(Number),
	});
	const {session, run} = begun as {session: string; run: number};
	const done = async (id: number) =>
		gateway.until(({runs}) => runs.some(one => one.id === id && one.state === 'done'));
	await done(run);
	const {json: more} = await call('POST', '/v1/chat', {body: {text: 'And again', session}});
	expect(more).toMatchObject({session});
	await done((more as {run: number}).run);
	expect((await call('GET', '/v1/sessions')).json).toMatchObject([
		{id: session, model: 'svc-agent-1', title: 'Count the penguins', messages: 4},
	]);
	expect((await call('GET', '/v1/sessions/{id}', {name: session})).json).toMatchObject({
		conversation: [
			{message: {role: 'user', content: 'Count the penguins'}},
			{message: {role: 'assistant', content: expect.stringContaining('[svc-offline')}, run},
			{message: {content: 'And again'}},
			{},
		],
	});
	expect((await gateway.port.getRun(run))?.chat).toEqual({key: 'terminal'});
	const found = await call('GET', '/v1/history/sessions', {query: '?text=count%20penguin'});
	expect(found.json[0]).toMatchObject({session: {id: session}});
	expect((await call('GET', '/v1/history/sessions', {query: '?text=%22%00*'})).json).toEqual([]);
	for (const [body, code] of [
		[{text: 'x', session: 'ses_none'}, 'session_not_found'],
		[{text: ''}, 'bad_request'],
		[{}, 'bad_request'],
	] as const) {
		expect((await call('POST', '/v1/chat', {body})).json).toMatchObject({code});
	}

	expect((await call('POST', '/v1/sessions/{id}/delete', {name: session})).json).toBe(true);
	expect((await call('POST', '/v1/sessions/{id}/delete', {name: session})).json).toBe(false);
	expect((await call('GET', '/v1/sessions/{id}', {name: session})).status).toBe(404);
});

test('people on platforms: who wrote, and who may talk with the agent', async () => {
	expect((await call('GET', '/v1/chats')).json).toEqual([]);
	expect((await call('GET', '/v1/chats/{chat}', {name: 'telegram:1'})).status).toBe(404);
	const allow = async (body: unknown) => call('POST', '/v1/chats/allow', {body});
	const person = {platform: 'telegram', user: '4711'};
	expect((await allow(person)).json).toEqual({added: true, heard: false});
	expect((await allow(person)).json).toEqual({added: false, heard: false});
	expect(await allow({...person, platform: 'log'})).toMatchObject({
		status: 409,
		json: {code: 'platform_unknown'},
	});
	expect((await allow({...person, name: 'x'})).json).toMatchObject({code: 'bad_request'});
	expect(parse(await gateway.home.read('config.yaml'))).toMatchObject({
		platforms: {telegram: {allow_from: [4711]}},
	});
});

test('every operation of the table was called here', ({task, skip}) => {
	if (task.file.tasks.some(({mode}) => mode === 'skip')) {
		skip('only some tests of the file run');
	}

	expect([...called].toSorted()).toEqual(
		Object.values(contract)
			.map(({method, path}) => `${method} ${path}`)
			.toSorted(),
	);
});
