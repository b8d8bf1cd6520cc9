import {afterAll, beforeAll, expect, test} from 'vitest';
import {rawExchange} from '../helpers/raw-http.ts';
import {startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

/** What a sender gets for bytes that are not an ordinary request: always JSON, whoever answers. */
type Case = readonly [
	name: string,
	bytes: string,
	status: number,
	error: string | undefined,
	after: 'closed' | 'kept',
];

const get = (target: string, headers = 'Host: localhost\r\n', version = '1.1') =>
	`GET ${target} HTTP/${version}\r\n${headers}\r\n`;

const post = (target: string, headers = 'Host: localhost\r\n', version = '1.1') =>
	`POST ${target} HTTP/${version}\r\n${headers}Content-Length: 2\r\n\r\n{}`;

const unknown = 'Unknown route';
const badRequest = 'Bad Request';
const notAllowed = 'Method not allowed';
const missingHost = 'Missing Host header';
const repeatedHost = 'More than one Host header';
const invalidHost = 'Invalid Host header';

const hosts: readonly Case[] = [
	['no Host', get('/health', ''), 400, missingHost, 'closed'],
	['no Host, with a body', post('/webhooks/hook', ''), 400, missingHost, 'closed'],
	['no Host, to a profile', post('/p/work/webhooks/hook', ''), 400, missingHost, 'closed'],
	['no Host, for /metrics', get('/metrics', ''), 400, missingHost, 'closed'],
	[
		'no Host, 100 expected',
		post('/webhooks/hook', 'Expect: 100-continue\r\n'),
		400,
		missingHost,
		'closed',
	],
	['no Host, in absolute form', get('http://localhost/health', ''), 400, missingHost, 'closed'],
	['two Hosts', get('/health', 'Host: a\r\nHost: b\r\n'), 400, repeatedHost, 'closed'],
	['the same Host twice', get('/health', 'Host: a\r\nhOST: a\r\n'), 400, repeatedHost, 'closed'],
	[
		'a second Host behind 2,500 headers',
		get('/health', `Host: a\r\n${'A:b\r\n'.repeat(2500)}Host: b\r\n`),
		400,
		repeatedHost,
		'closed',
	],
	[
		'two Hosts, in HTTP/1.0',
		get('/health', 'Host: a\r\nHost: b\r\n', '1.0'),
		400,
		repeatedHost,
		'closed',
	],
	['two Hosts in one', get('/health', 'Host: a, b\r\n'), 400, invalidHost, 'closed'],
	['a Host with a blank', get('/health', 'Host: a b\r\n'), 400, invalidHost, 'closed'],
	['a Host with a path', get('/health', 'Host: a/b\r\n'), 400, invalidHost, 'closed'],
	['a Host with a name before it', get('/health', 'Host: a@b\r\n'), 400, invalidHost, 'closed'],
	['a Host with a port that is none', get('/health', 'Host: a:b\r\n'), 400, invalidHost, 'closed'],
	['an empty Host', get('/health', 'Host:\r\n'), 200, undefined, 'kept'],
	['a Host that is an address', get('/health', 'Host: [::1]:8644\r\n'), 200, undefined, 'kept'],
	['HTTP/1.0 without Host', get('/health', '', '1.0'), 200, undefined, 'closed'],
	[
		'HTTP/1.0 that keeps its connection',
		get('/health', 'Connection: keep-alive\r\n', '1.0'),
		200,
		undefined,
		'kept',
	],
];

const metrics: readonly Case[] = [
	...['localhost', 'LOCALHOST:8644', '127.0.0.1:8644', '127.8.8.8', '[::1]:8644'].map(
		(host): Case => [
			`/metrics of ${host}`,
			get('/metrics', `Host: ${host}\r\n`),
			200,
			undefined,
			'kept',
		],
	),
	...[
		'evil.example',
		'evil.example:8644',
		'localhost.evil.example',
		'127.0.0.1.evil.example',
		'0',
		'',
	].map((host): Case => [
		`/metrics of "${host}", a name that a page gave this machine`,
		get('/metrics', `Host: ${host}\r\n`),
		403,
		'Host not allowed',
		'kept',
	]),
	[
		'/metrics of a host in absolute form, which counts',
		get('http://evil.example/metrics'),
		403,
		'Host not allowed',
		'kept',
	],
	['/metrics in absolute form', get('http://localhost:8644/metrics'), 200, undefined, 'kept'],
	['/metrics in HTTP/1.0 without Host', get('/metrics', '', '1.0'), 200, undefined, 'closed'],
	[
		'/metrics that was forwarded',
		get('/metrics', 'Host: localhost\r\nVia: x\r\n'),
		404,
		unknown,
		'kept',
	],
	['POST /metrics', post('/metrics'), 405, notAllowed, 'kept'],
];

const targets: readonly Case[] = [
	...[
		'/',
		'/health/',
		'//health',
		'/./health',
		'/webhooks/../health',
		'/%68ealth',
		'/health;x',
		'/health#x',
		'/metrics/',
		'/webhooks',
		'/webhooks/',
		'/webhooks/hook/',
		'/webhooks//hook',
		'/p/work',
		'/p//webhooks/hook',
		'http://localhost',
		'http://localhost/',
		'ftp://localhost/health',
	].map((target): Case => [`GET ${target}`, get(target), 404, unknown, 'kept']),
	...[
		'/health/',
		'//webhooks/hook',
		'/webhooks/..',
		'/webhooks/%2e%2e',
		'/webhooks/%',
		'/webhooks/%zz',
		'/webhooks/%ff',
		'/webhooks/hook%2f',
		'/webhooks/hook/',
		'/webhooks/./hook',
		'/p/%ff/webhooks/hook',
		'/P/work/webhooks/hook',
	].map((target): Case => [`POST ${target}`, post(target), 404, unknown, 'kept']),
	['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n', 404, unknown, 'kept'],
	['GET of a route', get('/webhooks/hook'), 405, notAllowed, 'kept'],
	['GET of a route that is none', get('/webhooks/nobody'), 405, notAllowed, 'kept'],
	['POST /health', post('/health'), 405, notAllowed, 'kept'],
	['TRACE /health', 'TRACE /health HTTP/1.1\r\nHost: localhost\r\n\r\n', 405, notAllowed, 'kept'],
	['a query', get('/health?x=/health/'), 200, undefined, 'kept'],
	['absolute form', get('HTTP://localhost:1/health?x'), 200, undefined, 'kept'],
	['absolute form of another host', get('https://a.example/health'), 200, undefined, 'kept'],
	[
		'absolute form of a route',
		post('http://a.example/webhooks/hook'),
		401,
		'Invalid signature',
		'kept',
	],
];

const protocol: readonly Case[] = [
	['HTTP/0.9', 'GET /health\r\n\r\n', 400, 'Unsupported HTTP version', 'closed'],
	['HTTP/1.2', get('/health', 'Host: localhost\r\n', '1.2'), 400, badRequest, 'closed'],
	['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, badRequest, 'closed'],
	['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000', 400, badRequest, 'closed'],
	[
		'a method that nobody knows',
		'FOO /health HTTP/1.1\r\nHost: a\r\n\r\n',
		400,
		badRequest,
		'closed',
	],
	['a byte beyond ASCII in the target', get('/h\u00E4'), 400, badRequest, 'closed'],
	['bare line feeds', 'GET /health HTTP/1.1\nHost: a\n\n', 400, badRequest, 'closed'],
	[
		'a request line of 20,000 bytes',
		get(`/${'a'.repeat(20_000)}`),
		431,
		'Request Header Fields Too Large',
		'closed',
	],
	[
		'20,000 bytes of headers',
		get('/health', `Host: a\r\nA: ${'a'.repeat(20_000)}\r\n`),
		431,
		'Request Header Fields Too Large',
		'closed',
	],
	[
		'chunks in HTTP/1.0',
		'POST /webhooks/hook HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
		400,
		'Transfer-Encoding in an HTTP/1.0 request',
		'closed',
	],
	[
		'a body that is packed before it is cut into chunks',
		'POST /webhooks/hook HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
		400,
		'Unsupported Transfer-Encoding',
		'closed',
	],
	['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405, notAllowed, 'closed'],
	[
		'an upgrade to a web socket, which is not taken',
		get('/health', 'Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'),
		200,
		undefined,
		'kept',
	],
	[
		'an upgrade to HTTP/2, which is not taken',
		post(
			'/webhooks/hook',
			'Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n',
		),
		401,
		'Invalid signature',
		'kept',
	],
	[
		'another expectation',
		post('/webhooks/hook', 'Host: a\r\nExpect: x\r\n'),
		417,
		'Expectation Failed',
		'closed',
	],
	[
		'no Host and another expectation',
		post('/webhooks/hook', 'Expect: x\r\n'),
		417,
		'Expectation Failed',
		'closed',
	],
	[
		'an expectation in HTTP/1.0, which has none',
		post('/webhooks/hook', 'Expect: 100-continue\r\n', '1.0'),
		401,
		'Invalid signature',
		'closed',
	],
	[
		'a body that nobody asked for',
		'GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
		200,
		undefined,
		'kept',
	],
	['empty lines before it', `\r\n\r\n${get('/health')}`, 200, undefined, 'kept'],
];

let receiver: TestReceiver;

beforeAll(async () => {
	receiver = await startReceiver();
});

afterAll(async () => {
	await receiver[Symbol.asyncDispose]();
});

test.for([...hosts, ...metrics, ...targets, ...protocol])(
	'%s',
	async ([, bytes, status, error, after]) => {
		const {answers, closed} = await rawExchange(receiver, bytes);
		const [answer] = answers;
		const isOurs = status === 200;
		expect({
			status: answer?.status,
			error: isOurs ? undefined : JSON.parse(answer?.body ?? '').error,
			isJson:
				isOurs || /^content-type: application\/json; charset=utf-8$/im.test(answer?.head ?? ''),
			announcesClose: /^connection: close$/im.test(answer?.head ?? ''),
			after: closed ? 'closed' : 'kept',
		}).toEqual({status, error, isJson: true, announcesClose: closed, after});
	},
);

test('every 405 says what is allowed', async () => {
	const allowed = async (bytes: string) =>
		/^allow: (.*)$/im.exec((await rawExchange(receiver, bytes)).answers[0]?.head ?? '')?.[1];
	expect(await allowed(get('/webhooks/hook'))).toBe('POST');
	expect(await allowed(post('/health'))).toBe('GET, HEAD');
	expect(await allowed('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')).toBe('');
});

test('a refusal of HEAD has no body', async () => {
	const bytes = 'HEAD /health HTTP/1.1\r\n\r\n';
	const {answers, closed} = await rawExchange(receiver, bytes, {hasBody: false});
	expect([answers[0]?.status, closed]).toEqual([400, true]);
});

test.for([
	['a request without Host', get('/health', '')],
	['bytes that are no request', 'nonsense\r\n\r\n'],
])('%s behind another request: that one is answered first', async ([, bytes]) => {
	const exchange = await rawExchange(receiver, get('/health') + bytes, {expected: 2});
	expect(exchange.answers.map(({status}) => status)).toEqual([200, 400]);
	expect(exchange.closed).toBe(true);
});

test('what never reached a route is counted by its status', async () => {
	await using other = await startReceiver();
	await rawExchange(other, get('/health', ''));
	await rawExchange(other, 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n');
	const {answers} = await rawExchange(other, get('/metrics'));
	expect(answers[0]?.body).toContain('svc_webhook_refused_requests_total{status="400"} 1\n');
	expect(answers[0]?.body).toContain('svc_webhook_refused_requests_total{status="405"} 1\n');
});
