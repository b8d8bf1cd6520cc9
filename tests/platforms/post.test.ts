import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {createPost, type PlatformRequest} from '../../source/platforms/post.ts';
import {toldWaitMs} from '../../source/platforms/told-wait.ts';
import {failureOf} from '../delivery/delivery-fixture.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startMs} from '../store/samples.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

let answering: Answering = () => {};
const server = createServer((request, response) => {
	answering(request, response);
});
let base = '';
let came = Promise.withResolvers<void>();

beforeAll(async () => {
	await new Promise<void>(resolve => {
		server.listen(0, '127.0.0.1', resolve);
	});
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
	base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
	server.closeAllConnections();
	await new Promise(resolve => {
		server.close(resolve);
	});
});

const clock = createFakeClock(startMs);

/** One request to a server that answers so. */
async function postTo(answers: Answering, request: Partial<PlatformRequest> = {}) {
	came = Promise.withResolvers<void>();
	answering = (incoming, response) => {
		answers(incoming, response);
		came.resolve();
	};
	await using connections = createPost({clock, clean: text => text});
	return await connections.post({
		platform: 'pigeon',
		url: `${base}/send`,
		limitMs: 30_000,
		signal: new AbortController().signal,
		...request,
	});
}

test.for([
	['JSON', {json: {text: 'é'}}, 'POST', 'application/json; charset=utf-8', '{"text":"é"}'],
	[
		'a form',
		{form: {To: '+49', Body: 'a&b c'}},
		'POST',
		'application/x-www-form-urlencoded',
		'To=%2B49&Body=a%26b+c',
	],
	['PATCH', {method: 'PATCH' as const, json: {}}, 'PATCH', 'application/json; charset=utf-8', '{}'],
	['PUT', {method: 'PUT' as const, json: []}, 'PUT', 'application/json; charset=utf-8', '[]'],
	['nothing', {method: 'GET' as const}, 'GET', undefined, ''],
] as const)('sends %s', async ([, request, method, type, body]) => {
	const seen = Promise.withResolvers<readonly unknown[]>();
	const {status, json} = await postTo((incoming, response) => {
		void (async () => {
			const text = Buffer.concat(await Array.fromAsync(incoming)).toString();
			seen.resolve([incoming.method, incoming.headers['content-type'], text]);
			response.writeHead(201).end('{"ok":true}');
		})();
	}, request);
	expect(await seen.promise).toEqual([method, type, body]);
	expect([status, json]).toEqual([201, {ok: true}]);
});

test('a redirect is an answer, and nobody goes there', async () => {
	let requests = 0;
	const answer = await postTo((_, response) => {
		requests++;
		response.writeHead(307, {location: `${base}/elsewhere`}).end();
	});
	expect([answer.status, requests]).toEqual([307, 1]);
	expect(answer.failure()).toMatchObject({code: 'platform_rejected', retryable: false});
});

test.for<[number, string, boolean, boolean]>([
	[200, 'platform_failed', true, true],
	[302, 'platform_rejected', false, false],
	[400, 'platform_rejected', false, false],
	[401, 'platform_unauthorized', true, true],
	[404, 'platform_rejected', false, false],
	[408, 'platform_failed', true, true],
	[429, 'platform_rate_limited', true, false],
	[503, 'platform_failed', true, true],
])(
	'a status of %i with what is no success is %s: passes %s, tells of the platform %s',
	async ([status, code, retryable, isPlatformDown]) => {
		const answer = await postTo((_, response) => {
			response.writeHead(status).end('<html>');
		});
		expect(answer.json).toBeUndefined();
		expect(answer.failure()).toMatchObject({code, retryable, isPlatformDown, isUncertain: false});
	},
);

test('the waits of an answer come with its failure, where another try may help', async () => {
	const busy = await postTo((_, response) => {
		response.writeHead(429, {'retry-after': '7'}).end();
	});
	expect(busy.failure().retryAfterMs).toBe(7000);
	expect(busy.failure('platform_rejected').retryAfterMs).toBeUndefined();
	expect(busy.failure('platform_failed', 600_000).retryAfterMs).toBe(600_000);
	expect(busy.failure('platform_failed', 1000).retryAfterMs).toBe(7000);
});

test('no message holds what is secret in the address, the headers or the settings, however the platform quotes it', async () => {
	const credentials = {
		path: 'bot12345:AAE-secret-of-the-path',
		query: 'secret-of-the-query',
		header: 'secret-of-the-header',
		own: 'secret-of-the-settings',
	};
	const quoted = Object.values(credentials);
	const answer = await postTo(
		(_, response) => {
			response.writeHead(403).end(quoted.join(' ') + encodeURIComponent(credentials.path));
		},
		{
			url: `${base}/${credentials.path}/send?key=${credentials.query}`,
			headers: {authorization: `Bearer ${credentials.header}`},
			secrets: [credentials.own],
		},
	);
	const {message} = answer.failure();
	expect(message).toContain('answered 403: [redacted] [redacted] [redacted] [redacted]');
	for (const credential of quoted) {
		expect(message).not.toContain(credential);
	}
});

const uncertain = {code: 'delivery_uncertain', retryable: false};

test('what breaks after the request was written may have arrived', async () => {
	expect(
		await failureOf(
			postTo(request => {
				request.socket.destroy();
			}),
		),
	).toMatchObject(uncertain);
});

test('so may what was answered with a success that breaks off, or is larger than 1 MiB', async () => {
	const broken = postTo((request, response) => {
		response.writeHead(200, {'content-length': '100'}).write('{"ok"');
		response.once('close', () => {});
		setImmediate(() => request.socket.destroy());
	});
	expect(await failureOf(broken)).toMatchObject(uncertain);
	const large = postTo((_, response) => {
		response.writeHead(200).end('x'.repeat(1024 * 1024 + 1));
	});
	expect(await failureOf(large)).toMatchObject({
		...uncertain,
		message: expect.stringContaining('more than 1048576 bytes'),
	});
});

test.for([{method: 'GET'}, {form: {}, sendsNothing: true}] as const)(
	'what %j asks sends no message: nothing is in doubt when it breaks',
	async request => {
		const unreachable = {
			code: 'platform_unreachable',
			message: expect.not.stringContaining('may have arrived'),
		};
		const broken = postTo(incoming => {
			incoming.socket.destroy();
		}, request);
		expect(await failureOf(broken)).toMatchObject(unreachable);
		const large = postTo((_, response) => {
			response.writeHead(200).end('x'.repeat(1024 * 1024 + 1));
		}, request);
		expect(await failureOf(large)).toMatchObject(unreachable);
	},
);

test('a refusal says enough, however large the rest of it is', async () => {
	const answer = await postTo((_, response) => {
		response.writeHead(400).end('x'.repeat(2 * 1024 * 1024));
	});
	expect(answer.failure()).toMatchObject({code: 'platform_rejected', isUncertain: false});
});

test('an answer that does not come within the limit leaves it open', async () => {
	const answer = failureOf(postTo(() => {}, {limitMs: 5000}));
	await came.promise;
	clock.advance(5000);
	expect(await answer).toMatchObject({
		...uncertain,
		message: expect.stringContaining('did not answer within 5 s; the message may have arrived'),
	});
});

test('aborting a request that was written leaves it open; one that was not written did not arrive', async () => {
	const controller = new AbortController();
	const answer = failureOf(postTo(() => {}, {signal: controller.signal}));
	await came.promise;
	controller.abort();
	expect(await answer).toMatchObject(uncertain);
	expect(await failureOf(postTo(() => {}, {signal: controller.signal}))).toMatchObject({
		code: 'delivery_aborted',
		retryable: true,
	});
});

test('where nobody listens nothing was written', async () => {
	expect(await failureOf(postTo(() => {}, {url: 'http://127.0.0.1:1/'}))).toMatchObject({
		code: 'platform_unreachable',
		retryable: true,
	});
});

test.for<[Record<string, string>, string, number | undefined]>([
	[{}, '', undefined],
	[{'retry-after': '3'}, '', 3000],
	[{'retry-after': '0.25'}, '', 250],
	[{'retry-after': new Date(startMs + 90_000).toUTCString()}, '', 90_000],
	[{'retry-after': new Date(startMs - 90_000).toUTCString()}, '', 0],
	[{'retry-after': 'soon'}, '', undefined],
	[{'retry-after': '-3'}, '', undefined],
	[{'retry-after': ''}, '', undefined],
	[{'x-ratelimit-reset-after': '1.337'}, '', 1337],
	[{'retry-after': '65', 'x-ratelimit-reset-after': '64.57'}, '{"retry_after":64.57}', 65_000],
	[{}, '{"retry_after":64.57}', 64_570],
	[{}, '{"parameters":{"retry_after":35}}', 35_000],
	[{}, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}', 2000],
	[{}, '{"code":"RATE_LIMIT_HIT","retry-after":28.7}', 28_700],
	[{}, '{"retry_after":"12"}', 12_000],
	[{}, '{"retry_after":null,"parameters":[]}', undefined],
	[{}, '{"retry_after":1e308}', 3_600_000],
	[{'retry-after': '86400'}, '', 3_600_000],
])('%j with %s asks to wait %s ms', ([headers, body, ms]) => {
	expect(
		toldWaitMs(
			{header: name => headers[name], json: body === '' ? undefined : JSON.parse(body)},
			startMs,
		),
	).toBe(ms);
});
