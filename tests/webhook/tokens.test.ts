import {expect, test} from 'vitest';
import type {SignatureSpec} from '../../source/config/route.ts';
import {explainRefusal} from '../../source/webhook/signature-doctor.ts';
import {verifySignature} from '../../source/webhook/signature.ts';
import {makeRoute} from './start-receiver.ts';

const nowMs = 1_750_000_000_000;
const body = Buffer.from('{}');

const bearer = {kind: 'custom', header: 'authorization', prefix: 'Bearer', token: true} as const;
const basic = {...bearer, prefix: 'Basic'} as const;
const plain = {...bearer, header: 'x-api-key', prefix: ''} as const;

const check = (signature: SignatureSpec, headers: Record<string, string>, overrides = {}) =>
	verifySignature(
		makeRoute({secrets: ['s3cret token'], signature, ...overrides}),
		{headers, body},
		nowMs,
	);

const explain = (signature: SignatureSpec, headers: Record<string, string>, overrides = {}) =>
	explainRefusal(
		{headers, body},
		{
			route: makeRoute({secrets: ['s3cret token'], signature, ...overrides}),
			others: [makeRoute({name: 'deploys', secrets: ['another']})],
			nowMs,
		},
	);

test('the header is the secret behind its prefix, in any case', () => {
	for (const value of ['Bearer s3cret token', 'bearer s3cret token', 'BEARER  s3cret token']) {
		expect(check(bearer, {authorization: value})).toEqual({
			ok: true,
			scheme: 'token',
			detail: 'token',
		});
	}

	for (const value of ['Bearer s3cret toke', 'Bearer S3cret token', 'Bearer ', 's3cret token']) {
		expect(check(bearer, {authorization: value}).ok).toBe(false);
	}

	expect(check(plain, {'x-api-key': 's3cret token'}).ok).toBe(true);
	expect(check(plain, {'x-gitlab-token': 's3cret token'}).detail).toBe('x-api-key is missing');
});

test('after `Basic` the secret is `user:password`', () => {
	const value = Buffer.from('svc:pässword').toString('base64');
	const route = {secrets: ['svc:pässword']};
	expect(check(basic, {authorization: `Basic ${value}`}, route).ok).toBe(true);
	expect(check(basic, {authorization: `Basic ${value}=`}, route).ok).toBe(false);
	expect(check(basic, {authorization: 'Basic svc:pässword'}, {secrets: ['x']}).ok).toBe(false);
});

test('lists and retired secrets pass as for every scheme', () => {
	const headers = {authorization: 'Bearer second'};
	expect(check(bearer, headers, {secrets: ['first', 'second']}).detail).toBe(
		'token with secret 2 of 2',
	);
	const retiredSecrets = [{secret: 'second', until: nowMs + 7_200_000}];
	expect(check(bearer, headers, {retiredSecrets}).detail).toBe(
		'token with the retired secret, 2 h left',
	);
	expect(check(bearer, headers, {retiredSecrets: [{secret: 'second', until: nowMs - 1}]}).ok).toBe(
		false,
	);
});

test.for<readonly [string, readonly string[]]>([
	[
		's3cret',
		[
			'authorization does not begin with "Bearer"',
			'the prefix "Bearer" is missing',
			'it is right otherwise',
		],
	],
	[
		'Basic s3cret',
		[
			'authorization does not begin with "Bearer"',
			'it has another prefix than "Bearer"',
			'it is right otherwise',
		],
	],
	[
		'Bearer another',
		['authorization: does not equal the secret', 'matches the secret of route "deploys"'],
	],
	['Bearer nothing', ['authorization: does not equal the secret']],
	['', ['authorization does not begin with "Bearer"', 'authorization is empty']],
])('the doctor says of %j', ([value, findings]) => {
	expect(explain(bearer, {authorization: value}, {secrets: ['s3cret']})).toEqual(findings);
});

test('the doctor knows the presets by their headers', () => {
	const headers = {'x-telegram-bot-api-secret-token': 's3cret token'};
	expect(
		explainRefusal(
			{headers, body},
			{route: makeRoute({secrets: ['s3cret token']}), others: [], nowMs},
		),
	).toEqual([
		'no signature header',
		'x-telegram-bot-api-secret-token matches: the route needs "signature: telegram"',
	]);
});
