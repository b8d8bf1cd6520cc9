import {createHmac, generateKeyPairSync, sign} from 'node:crypto';
import * as fc from 'fast-check';
import {Webhook} from 'standardwebhooks';
import {expect, test} from 'vitest';
import type {Route} from '../../source/config/route.ts';
import {verifySignature} from '../../source/webhook/signature.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {whsec} from './senders.ts';
import {makeRoute} from './start-receiver.ts';

const nowMs = 1_750_000_000_000;
const now = 1_750_000_000;
const body = Buffer.from([0x7b, 0x7d, 0xff]);

function makeSender() {
	const {publicKey, privateKey} = generateKeyPairSync('ed25519');
	const {x = ''} = publicKey.export({format: 'jwk'});
	const content = (timestamp: number) => Buffer.concat([Buffer.from(`msg_1.${timestamp}.`), body]);
	return {
		/** As the specification writes public keys: `whpk_` and base64. */
		key: `whpk_${Buffer.from(x, 'base64url').toString('base64')}`,
		sign: (timestamp = now) =>
			`v1a,${sign(null, content(timestamp), privateKey).toString('base64')}`,
	};
}

const verify = (
	secrets: readonly string[],
	list: string,
	{
		timestamp = now,
		overrides = {},
		family = 'webhook',
	}: {
		timestamp?: number;
		overrides?: Partial<Route>;
		family?: string;
	} = {},
) =>
	verifySignature(
		makeRoute({secrets, ...overrides}),
		{
			headers: {
				[`${family}-id`]: 'msg_1',
				[`${family}-timestamp`]: String(timestamp),
				[`${family}-signature`]: list,
			},
			body,
		},
		nowMs,
	);

const hmac = (secret: string) =>
	`v1,${createHmac('sha256', secret).update(`msg_1.${now}.`).update(body).digest('base64')}`;

test('`v1a` (ed25519, `whpk_`): `<id>.<timestamp>.<raw body>`', () => {
	const sender = makeSender();
	for (const family of ['webhook', 'svix']) {
		expect(verify([sender.key], sender.sign(), {family})).toEqual({
			ok: true,
			scheme: 'standard-webhooks',
			detail: 'standard-webhooks',
			signedIdHeader: `${family}-id`,
		});
	}

	expect(verify([makeSender().key], sender.sign()).ok).toBe(false);
	expect(verify([sender.key], sender.sign(now - 1)).ok).toBe(false);
	expect(verify([sender.key], sender.sign().slice(0, -4)).ok).toBe(false);
	expect(verify([sender.key], sender.sign().replace('v1a,', 'v1,')).ok).toBe(false);
});

test('300 seconds tolerance there too', () => {
	const sender = makeSender();
	const passes = (skew: number) =>
		verify([sender.key], sender.sign(now + skew), {timestamp: now + skew}).ok;
	expect([-301, -300, -299, 299, 300, 301].map(passes)).toEqual([
		false,
		true,
		true,
		true,
		true,
		false,
	]);
});

test('the example of the specification: one header, `v1` and `v1a` of the same message', () => {
	const sender = makeSender();
	const list = `${hmac('shared')} ${sender.sign()}`;
	expect(verify(['shared'], list).ok).toBe(true);
	expect(verify([sender.key], list).ok).toBe(true);
	expect(verify([makeSender().key, sender.key], list).detail).toBe(
		'standard-webhooks with secret 2 of 2',
	);
	expect(verify(['other', sender.key], list).detail).toBe('standard-webhooks with secret 2 of 2');
	expect(verify(['other', makeSender().key], list).ok).toBe(false);
});

test('a retired public key passes until its time is over', () => {
	const sender = makeSender();
	const retired = (until: number) =>
		verify(['new'], sender.sign(), {overrides: {retiredSecrets: [{secret: sender.key, until}]}});
	expect(retired(nowMs + 60_000).detail).toBe(
		'standard-webhooks with the retired secret, 60 s left',
	);
	expect(retired(nowMs - 1).ok).toBe(false);
});

test('only the first 16 signatures of the list are looked at', () => {
	const wrong = hmac('other');
	expect(verify(['shared'], `${`${wrong} `.repeat(15)}${hmac('shared')}`).ok).toBe(true);
	expect(verify(['shared'], `${`${wrong} `.repeat(16)}${hmac('shared')}`).ok).toBe(false);
});

test('only the first four `v1a` are tried: each costs', () => {
	const [sender, other] = [makeSender(), makeSender()];
	const wrong = other.sign();
	expect(verify([sender.key], `${`${wrong} `.repeat(3)}${sender.sign()}`).ok).toBe(true);
	expect(verify([sender.key], `${`${wrong} `.repeat(4)}${sender.sign()}`).ok).toBe(false);
});

test('a public key is no secret: nobody may sign with it', () => {
	const {key} = makeSender();
	const bytes = Buffer.from(key.slice('whpk_'.length), 'base64');
	const signed = (secret: string | Buffer) =>
		createHmac('sha256', secret).update(body).digest('hex');
	for (const secret of [key, bytes, key.slice('whpk_'.length)]) {
		for (const headers of [
			{'x-webhook-signature': signed(secret)},
			{'x-hub-signature-256': `sha256=${signed(secret)}`},
			{'x-gitlab-token': secret.toString()},
		]) {
			expect(verifySignature(makeRoute({secrets: [key]}), {headers, body}, nowMs).ok).toBe(false);
		}
	}

	expect(verify([key], hmac(key)).ok).toBe(false);
	expect(
		verify([key], new Webhook(bytes, {format: 'raw'}).sign('msg_1', new Date(nowMs), '{}')).ok,
	).toBe(false);
});

test('a list of `v1a` alone on a route without a public key says so', () => {
	expect(verify([whsec('shared')], makeSender().sign()).detail).toBe(
		'webhook-signature holds only v1a signatures, and the secret is no public key (whpk_)',
	);
});

test.for(['whpk_', 'whpk_AAAA', 'whpk_!!!', `whpk_${'A'.repeat(200)}`])(
	'what is no public key passes nothing: %s',
	key => {
		expect(verify([key], makeSender().sign()).ok).toBe(false);
		expect(verify([key], hmac('')).ok).toBe(false);
	},
);

test('no public key and no signature makes it throw', () => {
	const bytes = (length: number) => fc.uint8Array({minLength: length, maxLength: length});
	fc.assert(
		fc.property(bytes(32), bytes(64), (key, seal) => {
			const secret = `whpk_${Buffer.from(key).toString('base64')}`;
			expect(verify([secret], `v1a,${Buffer.from(seal).toString('base64')}`).ok).toBe(false);
		}),
		{numRuns: propertyRuns(500)},
	);
});
