import {connect} from 'node:net';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret, hubSignature, post} from '../helpers/post.ts';
import {startSvc} from '../helpers/svc.ts';

export type FuzzReport = {
	readonly requests: number;
	/** First statuses of the answers; `closed` where there was none. */
	readonly statuses: Readonly<Record<string, number>>;
	/** Requests that must not be answered as they were, with what came. */
	readonly strange: readonly string[];
};

const allowed: ReadonlySet<string> = new Set([
	'100',
	'200',
	'202',
	'400',
	'401',
	// The metrics, asked for under a name that is not this machine's.
	'403',
	'404',
	'405',
	'408',
	'413',
	'417',
	'429',
	'431',
	'closed',
]);

const payload = JSON.stringify({action: 'opened', number: 7, repository: {full_name: 'acme/api'}});

const request = (path: string, body: string): string =>
	[
		`POST ${path} HTTP/1.1`,
		'Host: 127.0.0.1',
		'Connection: close',
		'Content-Type: application/json',
		'X-GitHub-Event: pull_request',
		'X-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958',
		`X-Hub-Signature-256: ${hubSignature(body)}`,
		`Content-Length: ${Buffer.byteLength(body)}`,
		'',
		body,
	].join('\r\n');

/** Whole requests that are good, each in a form of its own: what is mutated begins close to what works. */
const seeds: readonly string[] = [
	request('/webhooks/hook', payload),
	request('/webhooks/group', payload),
	request('/p/default/webhooks/hook', payload),
	request('/webhooks/h%6fok?x=1', payload),
	request('/webhooks/hook', '{'),
	request('/webhooks/hook', `{"a":${'['.repeat(500)}${']'.repeat(500)}}`),
	request('/webhooks/hook', 'a=1&b=%7B%22c%22%3A2%7D').replace(
		'application/json',
		'application/x-www-form-urlencoded',
	),
	request('/webhooks/hook', payload)
		.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
		.replace(payload, `${payload.length.toString(16)}\r\n${payload}\r\n0\r\n\r\n`),
	'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
	'GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
];

const tokens = [
	'\r\n',
	'\n',
	'\0',
	'\u00FF',
	'%00',
	'%2e%2e%2f',
	'../',
	'Transfer-Encoding: chunked\r\n',
	'Content-Length: 0\r\n',
	'Content-Length: -1\r\n',
	'Content-Length: 99999999999999999999\r\n',
	'Expect: 100-continue\r\n',
	'Upgrade: websocket\r\nConnection: upgrade\r\n',
	'X-Webhook-Signature-V2: a\r\n',
	'webhook-signature: v1,\r\n',
	'X-GitHub-Event: \u001B]0;x\u0007\r\n',
	'__proto__',
	'constructor',
	'{{{{',
	'"\\ud800"',
	'HTTP/9.9',
	'PRI * HTTP/2.0',
	'A'.repeat(20_000),
];

type Random = (below: number) => number;

/** A few small injuries to a good request. */
function mutate(bytes: Buffer, random: Random): Buffer {
	let mutated = bytes;
	for (let left = 1 + random(4); left > 0; left--) {
		const at = random(mutated.length + 1);
		const [head, tail] = [mutated.subarray(0, at), mutated.subarray(at)];
		const token = Buffer.from(tokens[random(tokens.length)] ?? '', 'latin1');
		const forms = [
			() => Buffer.concat([head, token, tail]),
			() => Buffer.concat([head, tail.subarray(1 + random(40))]),
			() => Buffer.concat([head, Buffer.from([random(256)]), tail.subarray(1)]),
			() => Buffer.concat([head, head.subarray(-random(60)), tail]),
			() => head,
		];
		mutated = forms[random(forms.length)]?.() ?? mutated;
	}

	return mutated;
}

const answerMs = 20_000;

/**
 * Sends `requests` broken requests to a gateway, several at a time, and looks that each is answered or closed in time, none with a server error,
 * and that the gateway serves as before at the end. `seed` makes the same requests again.
 */
export async function fuzzRequests({
	requests,
	seed,
	parallel = 16,
}: {
	readonly requests: number;
	readonly seed: number;
	readonly parallel?: number;
}): Promise<FuzzReport> {
	await using home = await gatewayHome({
		config: {
			model: {provider: 'offline'},
			runs: {max_queued: 100_000},
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					secret: hookSecret,
					rate_limit: 1_000_000,
				},
			},
		},
		subscriptions: {
			hook: {filters: {field: 'action', regex: '^(a+)+$|opened'}, prompt: '{number} {__raw__}'},
			group: {coalesce: {key: '{repository.full_name}#{number}', window_seconds: 0.5}},
		},
	});
	await using gateway = startSvc(['gateway', 'run'], {home: home.path});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	const port = Number(new URL(url).port);
	const random = randomFrom(seed);
	const statuses: Record<string, number> = {};
	const strange: string[] = [];
	let sent = 0;
	const client = async () => {
		while (sent < requests) {
			sent++;
			const bytes = mutate(Buffer.from(seeds[random(seeds.length)] ?? '', 'latin1'), random);
			const status = await exchange(port, bytes);
			statuses[status] = (statuses[status] ?? 0) + 1;
			const isFit = status !== '403' || bytes.includes('/metrics');
			if (!allowed.has(status) || !isFit) {
				strange.push(`${status} for ${JSON.stringify(bytes.toString('latin1').slice(0, 2000))}`);
			}
		}
	};
	await Promise.all(Array.from({length: parallel}, client));
	const last = await post(`${url}/webhooks/hook`, {
		payload: {action: 'opened', number: 8},
		headers: {'x-github-delivery': 'the-last-one'},
	});
	if (last.status !== 202) {
		strange.push(`the gateway answered ${last.status} to a good request at the end`);
	}

	gateway.kill('SIGTERM');
	const {code, stderr} = await gateway.finished;
	if (code !== 0 || / error /.test(stderr)) {
		strange.push(`the gateway ended with ${code}: ${stderr.slice(-2000)}`);
	}

	return {requests, statuses, strange};
}

/** The status of the first answer, `closed`, or `hung`. */
async function exchange(port: number, bytes: Buffer): Promise<string> {
	return new Promise(resolve => {
		let text = '';
		const socket = connect({port, host: '127.0.0.1'}, () => {
			socket.end(bytes);
		});
		const limit = setTimeout(() => {
			text = 'hung';
			socket.destroy();
		}, answerMs);
		socket.setEncoding('latin1').on('data', (chunk: string) => {
			text = text.length < 100 ? text + chunk : text;
		});
		socket.on('error', () => {});
		socket.on('close', () => {
			clearTimeout(limit);
			resolve(text === 'hung' ? text : (/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 'closed'));
		});
	});
}

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): Random {
	let state = seed;
	return below => {
		state = (state + 0x6d_2b_79_f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, below);
	};
}
