import {createHmac} from 'node:crypto';
import {Stripe} from 'stripe';
import {expect, test} from 'vitest';
import type {SignatureSpec} from '../../source/config/route.ts';
import {sampleRequest} from '../../source/gateway/receiver/sample-event.ts';
import {verifySignature} from '../../source/webhook/signature.ts';
import {senders, whsec} from './senders.ts';
import type {Sender, SentHeaders} from './senders.ts';
import {makeRoute} from './start-receiver.ts';

const nowMs = 1_750_000_000_000;
const now = 1_750_000_000;
const secret = 'top secret';
const body = '{"type":"invoice.paid"}';

const hex = (text: string | Buffer, algorithm = 'sha256') =>
	createHmac(algorithm, secret).update(text).digest('hex');

const check = (
	signature: SignatureSpec,
	headers: SentHeaders,
	content: {body?: string | Buffer; nowMs?: number} = {},
) =>
	verifySignature(
		makeRoute({secrets: [secret], signature}),
		{headers, body: Buffer.from(content.body ?? body)},
		content.nowMs ?? nowMs,
	);

const stripe = {kind: 'stripe'} as const;
const slack = {kind: 'slack'} as const;
const shopify = {kind: 'shopify'} as const;
const linear = {kind: 'linear'} as const;

const routeFor = ({signature, secret: own}: Sender) =>
	makeRoute({secrets: [own], ...(signature && {signature})});

const bySender = senders.map(sender => [sender.name, sender] as const);

test.for(bySender)('a request passes as its sender signs it: %s', async ([, sender]) => {
	const bytes = Buffer.from(body);
	const headers = await sender.sign({body: bytes, secret: sender.secret, nowMs});
	expect(verifySignature(routeFor(sender), {headers, body: bytes}, nowMs).ok).toBe(true);
});

test.for(bySender.filter(([, {signature}]) => signature))(
	'a route that names its scheme misses its header: %s',
	([, sender]) => {
		expect(
			verifySignature(routeFor(sender), {headers: {}, body: Buffer.from(body)}, nowMs),
		).toEqual({
			ok: false,
			detail: `${sender.header} is missing`,
		});
	},
);

test('with `signature` set, only that scheme counts', () => {
	const recognised = {
		'x-hub-signature-256': `sha256=${hex(body)}`,
		'x-gitlab-token': secret,
		'x-webhook-signature': hex(body),
	};
	expect(check(stripe, recognised)).toEqual({ok: false, detail: 'stripe-signature is missing'});
	const signed = {'linear-signature': hex(body)};
	expect(check(linear, {...signed, 'x-hub-signature-256': 'sha256=00'}).ok).toBe(true);
	expect(
		verifySignature(
			makeRoute({secrets: [secret]}),
			{headers: signed, body: Buffer.from(body)},
			nowMs,
		).ok,
	).toBe(false);
});

const stripeHeader = (timestamp: number | string = now, payload: string | Buffer = body) =>
	`t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(payload).digest('hex')}`;

test.for([
	[299, 'passes'],
	[300, 'passes'],
	[301, 'skew +301 s, at most 300 s either side'],
	[-299, 'passes'],
	[-300, 'passes'],
	[-301, 'skew -301 s, at most 300 s either side'],
] as const)('a timestamp that is %i s off: %s', ([seconds, outcome]) => {
	const timestamp = now + seconds;
	const stripeVerdict = check(stripe, {'stripe-signature': stripeHeader(timestamp)});
	const slackVerdict = check(slack, {
		'x-slack-request-timestamp': String(timestamp),
		'x-slack-signature': `v0=${hex(`v0:${timestamp}:${body}`)}`,
	});
	const isPassing = outcome === 'passes';
	expect(stripeVerdict.detail).toBe(isPassing ? 'stripe' : `t of stripe-signature: ${outcome}`);
	expect(slackVerdict.detail).toBe(isPassing ? 'slack' : `x-slack-request-timestamp: ${outcome}`);
});

test.for(['', ' 1750000000', '1750000000.0', '+1750000000', '1e9', '-1', '1750000000000', 'NaN'])(
	'a timestamp is 1 to 12 digits: %j',
	timestamp => {
		expect(
			check(slack, {
				'x-slack-request-timestamp': timestamp,
				'x-slack-signature': `v0=${hex(`v0:${timestamp}:${body}`)}`,
			}).ok,
		).toBe(false);
		expect(check(stripe, {'stripe-signature': stripeHeader(timestamp)}).ok).toBe(false);
	},
);

test('stripe: `t=…,v1=…` over `<timestamp>.<body>`; any `v1` passes while a secret is rolled', () => {
	const good = Stripe.webhooks.generateTestHeaderString({payload: body, secret, timestamp: now});
	const other = Stripe.webhooks.generateTestHeaderString({
		payload: body,
		secret: 'other',
		timestamp: now,
	});
	const v1 = good.slice(good.indexOf('v1='));
	const otherV1 = other.slice(other.indexOf('v1='));
	const passes = (value: string) => check(stripe, {'stripe-signature': value}).ok;
	expect(passes(good)).toBe(true);
	expect(passes(`t=${now},${otherV1},${v1}`)).toBe(true);
	expect(passes(`t=${now},${v1},${otherV1}`)).toBe(true);
	expect(passes(`${v1},t=${now}`)).toBe(true);
	expect(passes(`t=${now},v0=${'0'.repeat(64)},${v1}`)).toBe(true);
	expect(passes(`t=${now},${v1.replace('v1=', 'v0=')}`)).toBe(false);
	expect(passes(`t=${now},${v1.slice(0, -2)}`)).toBe(false);
	expect(passes(v1)).toBe(false);
	expect(passes(`t=${now}`)).toBe(false);
	expect(passes('')).toBe(false);
});

test('stripe: only the first 32 items of the header are looked at', () => {
	const [timestamp, v1] = stripeHeader().split(',');
	const passes = (others: number) => {
		const value = `${timestamp},${`v1=${'0'.repeat(64)},`.repeat(others)}${v1}`;
		return check(stripe, {'stripe-signature': value}).ok;
	};

	expect(passes(30)).toBe(true);
	expect(passes(31)).toBe(false);
});

test('stripe: a header that came twice passes if it says the same time', () => {
	const good = stripeHeader();
	expect(check(stripe, {'stripe-signature': `${good}, ${good}`}).ok).toBe(true);
	expect(check(stripe, {'stripe-signature': `t=1,v1=00, ${good}`})).toEqual({
		ok: false,
		detail: 'stripe-signature holds several timestamps',
	});
});

test('stripe: `whsec_…` is the key as it is written', () => {
	const whole = whsec('anything');
	const headers = {
		'stripe-signature': Stripe.webhooks.generateTestHeaderString({
			payload: body,
			secret: whole,
			timestamp: now,
		}),
	};
	const route = makeRoute({secrets: [whole], signature: stripe});
	expect(verifySignature(route, {headers, body: Buffer.from(body)}, nowMs).ok).toBe(true);
});

test('slack: `v0=` and hex over `v0:<timestamp>:<body>`', () => {
	// The example of https://docs.slack.dev/authentication/verifying-requests-from-slack
	const example =
		'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
	const route = makeRoute({secrets: ['8f742231b10e8888abcd99yyyzzz85a5'], signature: slack});
	const request = {
		headers: {
			'x-slack-request-timestamp': '1531420618',
			'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
		},
		body: Buffer.from(example),
	};
	expect(verifySignature(route, request, 1_531_420_618_000)).toEqual({
		ok: true,
		scheme: 'slack',
		detail: 'slack',
	});
	expect(
		check(slack, {
			'x-slack-request-timestamp': String(now),
			'x-slack-signature': hex(`v0:${now}:${body}`),
		}).ok,
	).toBe(false);
	expect(check(slack, {'x-slack-signature': `v0=${hex(`v0::${body}`)}`}).detail).toBe(
		'x-slack-request-timestamp is missing',
	);
});

test('shopify: base64 over the body, and no hex', () => {
	const digest = createHmac('sha256', secret).update(body).digest();
	const passes = (value: string) => check(shopify, {'x-shopify-hmac-sha256': value}).ok;
	expect(passes(digest.toString('base64'))).toBe(true);
	expect(passes(digest.toString('hex'))).toBe(false);
	expect(passes(digest.toString('base64').slice(0, -4))).toBe(false);
});

const linearHeaders = (text: string) => ({'linear-signature': hex(text)});

test.for([
	[59_999, 'linear'],
	[60_000, 'linear'],
	[60_001, 'webhookTimestamp: skew +61 s, at most 60 s either side'],
	[-59_999, 'linear'],
	[-60_000, 'linear'],
	[-60_001, 'webhookTimestamp: skew -61 s, at most 60 s either side'],
] as const)('linear: `webhookTimestamp` that is %i ms off: %s', ([ms, detail]) => {
	const text = JSON.stringify({action: 'create', webhookTimestamp: nowMs + ms});
	expect(check(linear, linearHeaders(text), {body: text}).detail).toBe(detail);
});

test.for([
	['{"action":"create"}', true],
	['[1]', true],
	['null', true],
	['no json', true],
	['', true],
	['{"webhookTimestamp":"1750000000000"}', false],
	['{"webhookTimestamp":null}', false],
	['{"webhookTimestamp":1e400}', false],
	['{"__proto__":{"webhookTimestamp":1}}', true],
])(
	'linear: a signed body without a time passes, one with a strange time does not: %s',
	([text = '', passes]) => {
		expect(check(linear, linearHeaders(String(text)), {body: String(text)}).ok).toBe(passes);
	},
);

const custom = (overrides: Partial<Extract<SignatureSpec, {kind: 'custom'}>> = {}) =>
	({
		kind: 'custom',
		header: 'x-acme-signature',
		algorithm: 'sha256',
		prefix: '',
		encoding: 'hex',
		signed: '{body}',
		...overrides,
	}) as const;

test.for(['sha1', 'sha256', 'sha512'] as const)('a scheme of one’s own with %s', algorithm => {
	for (const encoding of ['hex', 'base64'] as const) {
		for (const prefix of ['', 'sha=', 'v1,', 'Signature ']) {
			const digest = createHmac(algorithm, secret).update(body).digest(encoding);
			const spec = custom({algorithm, encoding, prefix});
			const verdict = (value: string) => check(spec, {'x-acme-signature': value});
			expect(verdict(prefix + digest)).toEqual({ok: true, scheme: 'custom', detail: 'custom'});
			expect(verdict(`${prefix}${digest}00`).ok).toBe(false);
			expect(verdict(`x${prefix}${digest}`).ok).toBe(false);
			expect(verdict('').ok).toBe(false);
		}
	}
});

test('a scheme of one’s own: several signatures separated by commas, any of them passes', () => {
	const spec = custom({prefix: 'v1='});
	const good = `v1=${hex(body)}`;
	const other = `v1=${'0'.repeat(64)}`;
	const passes = (value: string) => check(spec, {'x-acme-signature': value}).ok;
	expect(passes(`${other},${good}`)).toBe(true);
	expect(passes(`${good}, ${other}`)).toBe(true);
	expect(passes(`${other},${other}`)).toBe(false);
	expect(passes(`${`${other},`.repeat(100)}${good}`)).toBe(false);
});

test('a scheme of one’s own: `timestamp_header` is signed where `{timestamp}` stands', () => {
	const spec = custom({timestampHeader: 'x-acme-time', signed: 'ü{timestamp}:{body}:{timestamp}'});
	const signed = {'x-acme-signature': hex(`ü${now}:${body}:${now}`)};
	expect(check(spec, {...signed, 'x-acme-time': String(now)}).ok).toBe(true);
	expect(check(spec, {...signed, 'x-acme-time': String(now + 1)}).ok).toBe(false);
	expect(check(spec, signed).detail).toBe('x-acme-time is missing');
	expect(
		check(spec, {...signed, 'x-acme-time': String(now)}, {nowMs: nowMs + 301_000}).detail,
	).toBe('x-acme-time: skew -301 s, at most 300 s either side');
});

test.for([
	['in seconds', String(now)],
	['in milliseconds', String(nowMs)],
	['as RFC 3339 has it', new Date(nowMs).toISOString()],
] as const)('a scheme of one’s own: the time of `timestamp_header` may come %s', ([, time]) => {
	const spec = custom({
		timestampHeader: 'x-acme-time',
		timeFormat: 'any',
		signed: '{timestamp}.{body}',
	});
	const headers = {'x-acme-signature': hex(`${time}.${body}`), 'x-acme-time': time};
	expect(check(spec, headers).ok).toBe(true);
	expect(check(spec, headers, {nowMs: nowMs + 301_000}).detail).toBe(
		'x-acme-time: skew -301 s, at most 300 s either side',
	);
	// A sender that says seconds does not mean milliseconds.
	expect(
		check({kind: 'slack'}, {'x-slack-signature': 'v0=', 'x-slack-request-timestamp': String(nowMs)})
			.detail,
	).toBe('x-slack-request-timestamp is not a number of seconds');
});

test.for(['', '12345678901234', '2025-06-15', '17500000000.5'])(
	'a scheme of one’s own: a time in no such form is refused: %j',
	time => {
		const spec = custom({timestampHeader: 'x-t', timeFormat: 'any', signed: '{timestamp}{body}'});
		const headers = {'x-acme-signature': hex(`${time}${body}`), 'x-t': time};
		expect(check(spec, headers).detail).toBe(
			'x-t is not a number of seconds or milliseconds, nor a time such as 2026-12-24T18:00:00Z',
		);
	},
);

test('a scheme of one’s own: `{id}` is what `id_header` holds, and that is the identifier', () => {
	const spec = custom({idHeader: 'x-acme-id', signed: 'https://example.com/hook {id}.{body}'});
	const headers = {
		'x-acme-signature': hex(`https://example.com/hook {timestamp}.${body}`),
		'x-acme-id': '{timestamp}',
	};
	expect(check(spec, headers)).toEqual({
		ok: true,
		scheme: 'custom',
		detail: 'custom',
		signedIdHeader: 'x-acme-id',
	});
	expect(check(spec, {...headers, 'x-acme-id': 'another'}).ok).toBe(false);
	const {'x-acme-id': _, ...nameless} = headers;
	expect(check(spec, nameless).detail).toBe('x-acme-id is missing');
});

// https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests
test('hubspot: address, body and milliseconds are signed', () => {
	const url = 'https://example.com/webhooks/crm';
	const sign = (address: string, time = String(nowMs)) => ({
		'x-hubspot-signature-v3': createHmac('sha256', secret)
			.update(`POST${address}${body}${time}`)
			.digest('base64'),
		'x-hubspot-request-timestamp': time,
	});
	const route = makeRoute({secrets: [secret], signature: {kind: 'hubspot'}, publicUrl: url});
	const verify = (headers: Record<string, string>, query = '') =>
		verifySignature(route, {headers, body: Buffer.from(body), query}, nowMs).detail;
	expect(verify(sign(url))).toBe('hubspot');
	expect(verify(sign(`${url}?a=b@c d`.replace(' ', '%20')), '?a=b%40c%20d')).toBe('hubspot');
	expect(verify(sign(`${url}/`))).toBe('hubspot: does not match the secret');
	expect(verify(sign(url, String(nowMs - 301_000)))).toContain('skew -301 s');
	expect(check({kind: 'hubspot'}, sign(url)).detail).toContain('the route has no "public_url"');
});

test.for(['', '{timestamp}', '{body}{body}'])(
	'what does not sign the body once fits nothing: %j',
	signed => {
		const spec = custom({signed});
		for (const text of ['', body, body + body]) {
			expect(check(spec, {'x-acme-signature': hex(text)}).ok).toBe(false);
		}
	},
);

test('names of headers are no properties of every object', () => {
	for (const header of ['constructor', '__proto__', 'tostring']) {
		expect(check(custom({header}), {}).detail).toBe(`${header} is missing`);
	}
});

test('hex may be upper case', () => {
	expect(check(linear, {'linear-signature': hex(body).toUpperCase()}).ok).toBe(true);
});

const noUtf8 = Buffer.from([0xff, 0xfe, 0x00, 0x80]);

test.for(bySender.filter(([, {isText}]) => !isText))(
	'bytes are signed, a body that is no UTF-8 passes: %s',
	async ([, sender]) => {
		const headers = await sender.sign({body: noUtf8, secret: sender.secret, nowMs});
		expect(verifySignature(routeFor(sender), {headers, body: noUtf8}, nowMs).ok).toBe(true);
	},
);

test('bytes are signed, a body that is no UTF-8 passes: stripe', () => {
	const headers = {'stripe-signature': stripeHeader(now, noUtf8)};
	expect(check(stripe, headers, {body: noUtf8}).ok).toBe(true);
});

const zendesk = {kind: 'zendesk'} as const;

test.for([
	['2025-06-15T15:06:40Z', 'zendesk'],
	['2025-06-15T17:06:40.5+02:00', 'zendesk'],
	['2025-06-15T15:11:40Z', 'zendesk'],
	[
		'2025-06-15T15:11:41Z',
		'x-zendesk-webhook-signature-timestamp: skew +301 s, at most 300 s either side',
	],
	[
		'1750000000',
		'x-zendesk-webhook-signature-timestamp is not a time such as 2026-12-24T18:00:00Z',
	],
	[
		'2025-06-15',
		'x-zendesk-webhook-signature-timestamp is not a time such as 2026-12-24T18:00:00Z',
	],
	[
		'2025-13-45T15:06:40Z',
		'x-zendesk-webhook-signature-timestamp is not a time such as 2026-12-24T18:00:00Z',
	],
] as const)('zendesk: the time is written as %s: %s', ([time, detail]) => {
	const digest = createHmac('sha256', secret)
		.update(time + body)
		.digest('base64');
	const headers = {
		'x-zendesk-webhook-signature': digest,
		'x-zendesk-webhook-signature-timestamp': time,
	};
	expect(check(zendesk, headers).detail).toBe(detail);
});

test.for<SignatureSpec>([
	{kind: 'stripe', header: 'calendly-webhook-signature'},
	{kind: 'twitch'},
	{kind: 'meta'},
	{kind: 'dropbox'},
	{kind: 'okta'},
	custom({
		timestampHeader: 'x-time',
		timeFormat: 'any',
		idHeader: 'x-id',
		signed: '{id}{timestamp}{body}',
	}),
])('a test event is signed as its senders do: %j', signature => {
	const route = makeRoute({secrets: [secret], signature});
	const {isSigned, headers, body: sent} = sampleRequest(route, {now: nowMs});
	const verdict = verifySignature(route, {headers, body: Buffer.from(sent)}, nowMs);
	expect([isSigned, verdict.ok]).toEqual([true, true]);
});
