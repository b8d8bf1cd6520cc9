import {createHmac} from 'node:crypto';
import {expect, test} from 'vitest';
import type {Route} from '../../source/config/route.ts';
import {retiredKeysOf, signatureKeysOf} from '../../source/webhook/signature-keys.ts';
import {verifySignature} from '../../source/webhook/signature.ts';
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

const token = (overrides: Partial<Route>, value: string) =>
	verifySignature(makeRoute(overrides), {headers: {'x-gitlab-token': value}, body}, nowMs);

test('a secret may be a list: the verdict says which one matched when it was not the first', () => {
	const secrets = ['one', 'two', whsec('three')];
	expect(verify({secrets}, 'one').detail).toBe('v1');
	expect(verify({secrets}, 'two').detail).toBe('v1 with secret 2 of 3');
	expect(verify({secrets}, 'three').detail).toBe('v1 with secret 3 of 3');
	expect(verify({secrets}, whsec('three')).detail).toBe('v1 with secret 3 of 3');
	expect(token({secrets}, 'two').detail).toBe('token with secret 2 of 3');
	expect(verify({secrets}, 'four')).toEqual({
		ok: false,
		detail: 'v1: does not match any of 3 secrets',
	});
	expect(token({secrets}, 'four').detail).toBe('x-gitlab-token: does not equal any of 3 secrets');
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
