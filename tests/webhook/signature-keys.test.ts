import {createHmac} from 'node:crypto';
import {expect, test} from 'vitest';
import type {Route} from '../../source/config/route.ts';
import {retiredKeysOf, signatureKeysOf, verifySignature} from '../../source/webhook/signature.ts';
import {whsec} from './senders.ts';
import {makeRoute} from './start-receiver.ts';

const nowMs = 1_750_000_000_000;
const hour = 3_600_000;
const body = Buffer.from('{"a":1}');

const verify = (overrides: Partial<Route>, key: string | Buffer, at = nowMs) =>
	verifySignature(
		makeRoute(overrides),
		{
			headers: {'x-webhook-signature': createHmac('sha256', key).update(body).digest('hex')},
			body,
		},
		at,
	);

const custom = {
	kind: 'custom',
	header: 'x-sig',
	algorithm: 'sha256',
	prefix: '',
	encoding: 'hex',
	signed: '{body}',
} as const;

function written(key: string | Buffer, form: 'hex' | 'hub' | 'base64'): string {
	const digest = createHmac('sha256', key).update(body);
	return form === 'hub' ? `sha256=${digest.digest('hex')}` : digest.digest(form);
}

const token = (overrides: Partial<Route>, value: string) =>
	verifySignature(makeRoute(overrides), {headers: {'x-gitlab-token': value}, body}, nowMs);

test('a secret may be a list: the verdict says which one matched when it was not the first', () => {
	const third = 'three is long enough';
	const secrets = ['one', 'two', whsec(third)];
	expect(verify({secrets}, 'one').detail).toBe('v1');
	expect(verify({secrets}, 'two').detail).toBe('v1 with secret 2 of 3');
	expect(verify({secrets}, third).detail).toBe('v1 with secret 3 of 3');
	expect(verify({secrets}, whsec(third)).detail).toBe('v1 with secret 3 of 3');
	expect(token({secrets}, 'two').detail).toBe('token with secret 2 of 3');
	expect(verify({secrets}, 'four')).toEqual({
		ok: false,
		detail: 'v1: does not match any of 3 secrets',
	});
	expect(token({secrets}, 'four').detail).toBe('x-gitlab-token: does not equal any of 3 secrets');
});

/** A secret whose first bytes Node decodes, and what it makes of it: one byte. */
const shrinking = 'whsec_ab=a-very-long-and-strong-secret-that-nobody-guesses-0123456789';
const shrunken = Buffer.from('ab', 'base64');

test.for([
	[{}, {'x-webhook-signature': 'hex'}],
	[{}, {'x-hub-signature-256': 'hub'}],
	[{signature: {kind: 'shopify'}}, {'x-shopify-hmac-sha256': 'base64'}],
	[{signature: {kind: 'linear'}}, {'linear-signature': 'hex'}],
	[{signature: custom}, {'x-sig': 'hex'}],
] as const)('no key is what Node decodes of text that is not base64: %j %j', ([route, header]) => {
	const pass = (secrets: Partial<Route>, key: string | Buffer) => {
		const headers = Object.fromEntries(
			Object.entries(header).map(([name, form]) => [name, written(key, form)]),
		);
		return verifySignature(makeRoute({...route, ...secrets}), {headers, body}, nowMs).ok;
	};

	expect(shrunken).toHaveLength(1);
	const retired = {retiredSecrets: [{secret: shrinking, until: nowMs + hour}]};
	for (const secrets of [{secrets: [shrinking]}, retired]) {
		expect(pass(secrets, shrinking)).toBe(true);
		expect(pass(secrets, shrunken)).toBe(false);
	}
});

test.for([{kind: 'shopify'}, {kind: 'linear'}, {kind: 'stripe'}, {kind: 'slack'}, custom] as const)(
	'where the route says how its sender signs, a secret is used as it is written: %j',
	signature => {
		const secret = whsec('0123456789abcdef0123456789abcdef');
		const route = makeRoute({secrets: [secret], signature});
		const seconds = String(nowMs / 1000);
		const headersWith = (key: string | Buffer) => ({
			'x-shopify-hmac-sha256': written(key, 'base64'),
			'linear-signature': written(key, 'hex'),
			'x-sig': written(key, 'hex'),
			'stripe-signature': `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.`).update(body).digest('hex')}`,
			'x-slack-request-timestamp': seconds,
			'x-slack-signature': `v0=${createHmac('sha256', key).update(`v0:${seconds}:`).update(body).digest('hex')}`,
		});
		const passes = (key: string | Buffer) =>
			verifySignature(route, {headers: headersWith(key), body}, nowMs).ok;
		expect(passes(secret)).toBe(true);
		expect(passes('0123456789abcdef0123456789abcdef')).toBe(false);
	},
);

test('`whsec_` secrets are base64-decoded: for V1 too, once the key has 16 bytes', () => {
	for (const [key, passes] of [
		['0123456789abcdef', true],
		['0123456789abcde', false],
		['a', false],
	] as const) {
		expect(verify({secrets: [whsec(key)]}, key).ok).toBe(passes);
		expect(verify({secrets: [whsec(key)]}, whsec(key)).ok).toBe(true);
		expect(verify({retiredSecrets: [{secret: whsec(key), until: nowMs}]}, key).ok).toBe(passes);
	}
});

test('Standard Webhooks: a key of fewer than 8 bytes, or one that is not base64, signs nothing', () => {
	const passes = (secret: string, key: Buffer) => {
		const seconds = String(nowMs / 1000);
		const digest = createHmac('sha256', key).update(`m.${seconds}.`).update(body).digest('base64');
		const headers = {
			'webhook-id': 'm',
			'webhook-timestamp': seconds,
			'webhook-signature': `v1,${digest}`,
		};
		return verifySignature(makeRoute({secrets: [secret]}), {headers, body}, nowMs).ok;
	};

	expect(passes(whsec('12345678'), Buffer.from('12345678'))).toBe(true);
	expect(passes(whsec('1234567'), Buffer.from('1234567'))).toBe(false);
	expect(passes('whsec_AA==', Buffer.alloc(1))).toBe(false);
	expect(passes(shrinking, shrunken)).toBe(false);
});

test('a retired secret passes until its time is over, and not after', () => {
	const route = (until: number) => ({
		secrets: ['new'],
		retiredSecrets: [{secret: 'old', until}],
	});
	expect(verify(route(nowMs + 23.5 * hour), 'old')).toEqual({
		ok: true,
		scheme: 'v1',
		detail: 'v1 with the retired secret, 23 h left',
	});
	expect(verify(route(nowMs + 23.5 * hour), 'new').detail).toBe('v1');
	expect(token(route(nowMs + 1000), 'old').detail).toBe('token with the retired secret, 1 s left');
	expect(verify(route(nowMs), 'old').ok).toBe(true);
	expect(verify(route(nowMs - 1), 'old')).toEqual({
		ok: false,
		detail: 'v1: does not match the secret',
	});
	expect(verify(route(nowMs + hour), 'older').ok).toBe(false);
});

test('of several retired secrets each has its own time', () => {
	const retiredSecrets = [
		{secret: 'older', until: nowMs - 1},
		{secret: 'old', until: nowMs + 3 * 24 * hour},
	];
	expect(verify({retiredSecrets}, 'old').detail).toBe('v1 with the retired secret, 3 d left');
	expect(verify({retiredSecrets}, 'older').ok).toBe(false);
	expect(verify({retiredSecrets}, 'old', nowMs + 4 * 24 * hour).ok).toBe(false);
});

test('of many retired secrets the 20 that pass longest are tried, of public keys 5', () => {
	const retiredSecrets = Array.from({length: 50}, (_, index) => ({
		secret: `old ${index}`,
		until: nowMs + index,
	}));
	const passing = retiredSecrets.filter(({secret}) => verify({retiredSecrets}, secret).ok);
	expect(passing).toEqual(retiredSecrets.slice(30));
	const publicKeys = Array.from({length: 19}, (_, index) => ({
		secret: `whpk_${Buffer.alloc(32, index).toString('base64')}`,
		until: nowMs + 100 + index,
	}));
	const route = makeRoute({retiredSecrets: [...retiredSecrets, ...publicKeys]});
	const untils = retiredKeysOf(route).map(({until}) => until - nowMs);
	expect(untils).toEqual([118, 117, 116, 115, 114, 49]);
	const hexKeys = Array.from({length: 30}, (_, index) => ({
		secret: Buffer.alloc(32, index).toString('hex'),
		until: nowMs + index,
	}));
	const hexRoute = makeRoute({signature: {kind: 'discord'}, retiredSecrets: hexKeys});
	expect(retiredKeysOf(hexRoute).map(({until}) => until - nowMs)).toEqual([29, 28, 27, 26, 25]);
});

test('a retired secret passes presets and Standard Webhooks too, but no timestamp that is off', () => {
	const retiredSecrets = [{secret: 'old', until: nowMs + hour}];
	const sign = (seconds: number) => ({
		'x-slack-request-timestamp': String(seconds),
		'x-slack-signature': `v0=${createHmac('sha256', 'old').update(`v0:${seconds}:`).update(body).digest('hex')}`,
	});
	const route = makeRoute({retiredSecrets, signature: {kind: 'slack'}});
	const passes = (seconds: number) =>
		verifySignature(route, {headers: sign(seconds), body}, nowMs).ok;
	expect(passes(nowMs / 1000)).toBe(true);
	expect(passes(nowMs / 1000 - 301)).toBe(false);
});

test('keys are made once per route object, those of retired secrets when they are first needed', () => {
	const route = makeRoute({retiredSecrets: [{secret: 'old', until: nowMs}]});
	expect(signatureKeysOf(route)).toBe(signatureKeysOf(route));
	expect(retiredKeysOf(route)).toBe(retiredKeysOf(route));
	expect(signatureKeysOf({...route})).not.toBe(signatureKeysOf(route));
});

test('nothing in a verdict gives a secret away', () => {
	const secrets = ['secret-number-one', 'secret-number-two'];
	const retiredSecrets = [{secret: 'secret-number-three', until: nowMs + hour}];
	for (const key of [...secrets, 'secret-number-three', 'x']) {
		expect(verify({secrets, retiredSecrets}, key).detail).not.toContain('number');
	}
});

test('`INSECURE_NO_AUTH` is a key nowhere: not beside others, not as a retired secret', () => {
	const literal = 'INSECURE_NO_AUTH';
	for (const secrets of [[literal], ['a secret', literal]]) {
		expect(token({secrets}, literal).ok).toBe(false);
		expect(verify({secrets}, literal).ok).toBe(false);
		expect(verify({secrets, signature: custom}, literal).ok).toBe(false);
	}

	const retiredSecrets = [{secret: literal, until: nowMs + hour}];
	expect(verify({retiredSecrets}, literal).ok).toBe(false);
	// The others of a list keep their places.
	expect(verify({secrets: [literal, 'a secret']}, 'a secret')).toMatchObject({
		ok: true,
		detail: 'v1 with secret 2 of 2',
	});
});
