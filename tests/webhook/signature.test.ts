import {createHmac} from 'node:crypto';
import {sign as signHub} from '@octokit/webhooks-methods';
import * as fc from 'fast-check';
import {Webhook as StandardWebhook} from 'standardwebhooks';
import {Webhook as Svix} from 'svix';
import {expect, test} from 'vitest';
import {verifySignature} from '../../source/webhook/signature.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {githubExamples} from './github-examples.ts';
import {signV2} from './sign.ts';
import {makeRoute} from './start-receiver.ts';

const nowMs = 1_750_000_000_000;
const now = 1_750_000_000;
const secret = 'top secret';
const body = '{"ref":"refs/heads/main"}';
const whsec = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

type Headers = Readonly<Record<string, string>>;

const check = (
	headers: Headers,
	{text = body, secrets = [secret]}: {text?: string | Buffer; secrets?: readonly string[]} = {},
) => {
	const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
	return verifySignature(
		makeRoute({secrets}),
		{headers: Object.fromEntries(lowered), body: Buffer.from(text)},
		nowMs,
	);
};

const hex = (text: string | Buffer, key: string | Buffer = secret) =>
	createHmac('sha256', key).update(text).digest('hex');

const detailOf = (verdict: ReturnType<typeof check>) => verdict.detail;

test('Code host A: `X-Hub-Signature-256`, HMAC-SHA256 hex digest of the raw body, prefixed `sha256=`', async () => {
	const signature = await signHub(secret, body);
	expect(check({'X-Hub-Signature-256': signature})).toEqual({
		ok: true,
		scheme: 'hub-256',
		detail: 'hub-256',
	});
	expect(check({'X-Hub-Signature-256': signature}, {text: `${body} `}).ok).toBe(false);
	expect(check({'X-Hub-Signature-256': signature.slice('sha256='.length)}).ok).toBe(false);
	expect(check({'X-Hub-Signature-256': signature.replace('sha256', 'sha1')}).ok).toBe(false);
	expect(check({'X-Hub-Signature-256': `${signature}00`}).ok).toBe(false);
	expect(check({'X-Hub-Signature-256': signature.slice(0, -2)}).ok).toBe(false);
});

test('every example of the code host passes with its own signature and no other', async () => {
	const payloads = githubExamples.map(({body: payload}) => payload);
	expect(payloads.length).toBeGreaterThan(300);
	for (const payload of payloads) {
		// oxlint-disable-next-line no-await-in-loop -- one at a time keeps the failure readable
		const signature = await signHub(secret, payload);
		expect(check({'x-hub-signature-256': signature}, {text: payload}).ok).toBe(true);
		expect(check({'x-hub-signature-256': signature}, {text: payload, secrets: ['x']}).ok).toBe(
			false,
		);
	}
});

test.for(['X-Forge2-Token', 'X-Gitlab-Token'])(
	'Code host B: plain string equality with the secret (not HMAC): %s',
	header => {
		expect(check({[header]: secret}).ok).toBe(true);
		expect(check({[header]: `${secret} `}).ok).toBe(false);
		expect(check({[header]: secret.toUpperCase()}).ok).toBe(false);
		expect(check({[header]: ''}).ok).toBe(false);
		expect(check({[header]: `${secret}, ${secret}`}).ok).toBe(false);
	},
);

test('a token beyond ASCII is compared by its UTF-8 bytes', () => {
	const asOnTheWire = Buffer.from('schlüssel').toString('latin1');
	expect(check({'x-forge2-token': asOnTheWire}, {secrets: ['schlüssel']}).ok).toBe(true);
});

test('Standard Webhooks: signed content is `<id>.<timestamp>.<raw_body>`, signature form `v1,<base64 HMAC-SHA256>`', () => {
	const id = 'msg_1';
	const date = new Date(nowMs);
	const standard = new StandardWebhook(whsec).sign(id, date, body);
	const svix = new Svix(whsec).sign(id, date, body);
	const headers = {'webhook-id': id, 'webhook-timestamp': String(now)};
	expect(check({...headers, 'webhook-signature': standard}, {secrets: [whsec]}).ok).toBe(true);
	expect(
		check(
			{'svix-id': id, 'svix-timestamp': String(now), 'svix-signature': svix},
			{secrets: [whsec]},
		),
	).toEqual({
		ok: true,
		scheme: 'standard-webhooks',
		detail: 'standard-webhooks',
		signedIdHeader: 'svix-id',
	});
	expect(
		check({...headers, 'webhook-id': 'other', 'webhook-signature': standard}, {secrets: [whsec]})
			.ok,
	).toBe(false);
	expect(check({'webhook-id': id, 'webhook-signature': standard}, {secrets: [whsec]}).detail).toBe(
		'webhook-timestamp is missing',
	);
	expect(
		check({'webhook-timestamp': String(now), 'webhook-signature': standard}, {secrets: [whsec]})
			.detail,
	).toBe('webhook-id is missing');
});

test('several space-separated signatures: any `v1` match passes', () => {
	const good = new StandardWebhook(whsec).sign('a.b', new Date(nowMs), body);
	const verdict = (list: string) =>
		check(
			{'webhook-id': 'a.b', 'webhook-timestamp': String(now), 'webhook-signature': list},
			{secrets: [whsec]},
		).ok;
	expect(verdict(`v1,AAAA ${good}`)).toBe(true);
	expect(verdict(`v2,x  ${good} v1a,y`)).toBe(true);
	expect(verdict(good.replace('v1,', 'V1,'))).toBe(false);
	expect(verdict(good.replace('v1,', 'v2,'))).toBe(false);
	expect(verdict(good.replace('v1,', ''))).toBe(false);
	expect(verdict(`v1,AAAA\t${good}`)).toBe(false);
	expect(verdict('')).toBe(false);
	expect(verdict('v1,')).toBe(false);
});

test('any other secret than `whsec_…` is used as UTF-8 bytes', () => {
	const raw = new StandardWebhook(secret, {format: 'raw'}).sign('m', new Date(nowMs), body);
	const headers = {
		'webhook-id': 'm',
		'webhook-timestamp': String(now),
		'webhook-signature': raw,
	};
	expect(check(headers).ok).toBe(true);
	expect(check(headers, {secrets: [`whsec_${Buffer.from(secret).toString('base64')}`]}).ok).toBe(
		true,
	);
});

test('Generic V2: hex digest of `<timestamp>.<body>`, timestamp within 300 seconds either side', () => {
	expect(check(signV2(secret, body, nowMs))).toMatchObject({ok: true, scheme: 'v2'});
	const skewed = (seconds: number) => detailOf(check(signV2(secret, body, nowMs + seconds * 1000)));
	expect(skewed(300)).toBe('v2');
	expect(skewed(-300)).toBe('v2');
	expect(skewed(301)).toBe('x-webhook-timestamp: skew +301 s, at most 300 s either side');
	expect(skewed(-301)).toBe('x-webhook-timestamp: skew -301 s, at most 300 s either side');
	expect(check({'X-Webhook-Signature-V2': hex(`${now}.${body}`)}).detail).toBe(
		'x-webhook-timestamp is missing',
	);
});

test.for([
	'',
	' 1750000000',
	'1750000000.0',
	'1750000000abc',
	'+1750000000',
	'0x684fa180',
	'1e9',
	'-1',
	'1750000000000',
	'NaN',
])('a timestamp is digits: %j', timestamp => {
	const signature = hex(`${timestamp}.${body}`);
	expect(check({'X-Webhook-Signature-V2': signature, 'X-Webhook-Timestamp': timestamp}).ok).toBe(
		false,
	);
});

test('Generic V1 (legacy): HMAC-SHA256 hex digest of the body only', () => {
	expect(check({'X-Webhook-Signature': hex(body)})).toMatchObject({ok: true, scheme: 'v1'});
	expect(check({'X-Webhook-Signature': hex(`${body} `)}).ok).toBe(false);
});

test('V2 never falls back to V1', () => {
	const v1 = {'X-Webhook-Signature': hex(body)};
	expect(check({...v1, 'X-Webhook-Signature-V2': 'x'}).ok).toBe(false);
	expect(check({...v1, 'X-Webhook-Signature-V2': ''}).ok).toBe(false);
	expect(check({...v1, 'X-Webhook-Timestamp': String(now)}).ok).toBe(true);
});

test('the first scheme whose header is present decides alone', () => {
	const families: readonly Headers[] = [
		{
			'svix-id': 'm',
			'svix-timestamp': String(now),
			'svix-signature': new Svix(secret, {format: 'raw'}).sign('m', new Date(nowMs), body),
		},
		{
			'webhook-id': 'm',
			'webhook-timestamp': String(now),
			'webhook-signature': new Svix(secret, {format: 'raw'}).sign('m', new Date(nowMs), body),
		},
		{'x-hub-signature-256': `sha256=${hex(body)}`},
		{'x-forge2-token': secret},
		{'x-gitlab-token': secret},
		{'x-webhook-signature-v2': hex(`${now}.${body}`), 'x-webhook-timestamp': String(now)},
		{'x-webhook-signature': hex(body)},
	];
	const broken = (headers: Headers) =>
		Object.fromEntries(
			Object.entries(headers).map(([name, value]) => [
				name,
				/signature|token/.test(name) ? 'broken' : value,
			]),
		);
	for (const [index, family] of families.entries()) {
		expect(check(family).ok).toBe(true);
		for (const later of families.slice(index + 1)) {
			expect(check({...later, ...broken(family)}).ok).toBe(false);
			expect(check({...broken(later), ...family}).ok).toBe(true);
		}
	}
});

test('`webhook-id` or `-timestamp` alone commit to nothing', () => {
	expect(
		check({'webhook-id': 'm', 'webhook-timestamp': String(now), 'X-Gitlab-Token': secret}).ok,
	).toBe(true);
});

test('when a secret is configured and no recognised signature header is present, the request is rejected', () => {
	expect(check({'X-Signature': hex(body), Authorization: secret})).toEqual({
		ok: false,
		detail: 'no signature header',
	});
});

test('a secret may be a list (rotation): any of them passes', () => {
	const secrets = ['new', secret];
	expect(check({'X-Webhook-Signature': hex(body)}, {secrets}).detail).toBe('v1 with secret 2 of 2');
	expect(check({'X-Forge2-Token': 'new'}, {secrets}).detail).toBe('token');
	expect(check({'X-Webhook-Signature': hex(body, 'old')}, {secrets}).detail).toBe(
		'v1: does not match any of 2 secrets',
	);
});

test.for([[['']], [['whsec_']], [['whsec_!!!']], [[]]])(
	'no key, no entry: %j',
	([secrets = []]) => {
		expect(check({'X-Webhook-Signature': hex(body, '')}, {secrets}).ok).toBe(false);
		expect(check({'X-Forge2-Token': ''}, {secrets}).ok).toBe(false);
	},
);

test('signatures are over bytes: a body that is no UTF-8 passes', () => {
	const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
	expect(check({'X-Webhook-Signature': hex(bytes)}, {text: bytes}).ok).toBe(true);
});

test('no header, however strange, makes it throw or pass', () => {
	const names = [
		'svix-signature',
		'webhook-signature',
		'webhook-id',
		'webhook-timestamp',
		'x-hub-signature-256',
		'x-forge2-token',
		'x-gitlab-token',
		'x-webhook-signature-v2',
		'x-webhook-timestamp',
		'x-webhook-signature',
	];
	const value = fc.oneof(
		fc.string({unit: 'binary', maxLength: 200}),
		fc.constantFrom('sha256=', 'v1,', `sha256=${'0'.repeat(64)}`, 'f'.repeat(64), String(now)),
		fc.string({unit: fc.constantFrom('v', '1', ',', ' ', '=', 'A'), maxLength: 300}),
	);
	fc.assert(
		fc.property(fc.dictionary(fc.constantFrom(...names), value), headers => {
			expect(check(headers).ok).toBe(false);
		}),
		{numRuns: propertyRuns(2000)},
	);
});
