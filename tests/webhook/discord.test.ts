import {generateKeyPairSync, sign} from 'node:crypto';
import {expect, test} from 'vitest';
import {explainRefusal} from '../../source/webhook/signature-doctor.ts';
import {verifySignature} from '../../source/webhook/signature.ts';
import {makeRoute, send, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

const {publicKey, privateKey} = generateKeyPairSync('ed25519');
const hexKey = Buffer.from(publicKey.export({format: 'jwk'}).x ?? '', 'base64url').toString('hex');
const otherKey = generateKeyPairSync('ed25519');
const nowMs = 1_750_000_000_000;

// https://docs.discord.com/developers/interactions/overview#validating-security-request-headers
const signed = (body: string, timeMs = nowMs, key = privateKey) => {
	const time = String(Math.floor(timeMs / 1000));
	return {
		'x-signature-timestamp': time,
		'x-signature-ed25519': sign(null, Buffer.from(time + body), key).toString('hex'),
	};
};

const route = makeRoute({secrets: [hexKey], signature: {kind: 'discord'}});

const check = (headers: Record<string, string>, body = '{}', overrides = {}) =>
	verifySignature({...route, ...overrides}, {headers, body: Buffer.from(body)}, nowMs);

test('`X-Signature-Ed25519` over time and body, with the public key of the application', () => {
	expect(check(signed('{}'))).toEqual({ok: true, scheme: 'discord', detail: 'discord'});
	expect(check(signed('{}'), '{} ').detail).toBe('discord: does not match the secret');
	expect(check(signed('{}', nowMs, otherKey.privateKey)).ok).toBe(false);
	expect(check(signed('{}', nowMs - 301_000)).detail).toBe(
		'x-signature-timestamp: skew -301 s, at most 300 s either side',
	);
	expect(check({...signed('{}'), 'x-signature-ed25519': 'abc'}).detail).toBe(
		'discord: the header is not an Ed25519 signature in hex',
	);
	const {'x-signature-timestamp': _, ...timeless} = signed('{}');
	expect(check(timeless).detail).toBe('x-signature-timestamp is missing');
});

test('a list of keys, and a retired one, pass as for every scheme', () => {
	const other = Buffer.from(
		otherKey.publicKey.export({format: 'jwk'}).x ?? '',
		'base64url',
	).toString('hex');
	const headers = signed('{}');
	expect(check(headers, '{}', {secrets: [other, hexKey.toUpperCase()]}).detail).toBe(
		'discord with secret 2 of 2',
	);
	expect(
		check(headers, '{}', {
			secrets: [other],
			retiredSecrets: [{secret: hexKey, until: nowMs + 3_600_000}],
		}).ok,
	).toBe(true);
});

test('what everybody may know is the key of nothing else', () => {
	for (const secrets of [[hexKey], ['']]) {
		expect(check({'x-hub-signature-256': 'sha256=00'}, '{}', {secrets}).ok).toBe(false);
	}
});

const postSigned = async (receiver: TestReceiver, payload: unknown, key = privateKey) => {
	const body = JSON.stringify(payload);
	return send(receiver.url, {
		method: 'POST',
		path: '/webhooks/hook',
		headers: {'Content-Type': 'application/json', ...signed(body, receiver.clock.now(), key)},
		body,
	});
};

test('PING is answered: of an interactions endpoint with its type, of webhook events with 204', async () => {
	await using receiver = await startReceiver({routes: [route]});
	const ping = await postSigned(receiver, {id: '1', type: 1, version: 1});
	expect([ping.status, ping.json]).toEqual([200, {type: 1}]);
	const bare = await postSigned(receiver, {version: 1, application_id: '2', type: 0});
	expect([bare.status, bare.text, bare.headers['content-length']]).toEqual([204, '', undefined]);
	expect(receiver.deliveries.map(({outcome}) => outcome)).toEqual(['challenge', 'challenge']);
	expect(receiver.woken).toEqual([]);
	// Discord tries a wrong signature, too, before it takes an address.
	const forged = await postSigned(receiver, {type: 1}, otherKey.privateKey);
	expect(forged.status).toBe(401);
});

test('a PING takes no identifier: what comes under the same one is an event', async () => {
	await using receiver = await startReceiver({routes: [route]});
	await postSigned(receiver, {id: '1', type: 1});
	await postSigned(receiver, {id: '1', type: 2});
	expect(receiver.last()).toMatchObject({outcome: 'accepted', deliveryId: '1'});
	await postSigned(receiver, {id: '1', type: 2});
	expect(receiver.last()).toMatchObject({outcome: 'duplicate', deliveryId: '1'});
});

test('the doctor knows the key of another route, and a signature without its time', () => {
	const headers = signed('{}');
	const explain = (secrets: readonly string[], sent: Record<string, string>, others = [route]) =>
		explainRefusal(
			{headers: sent, body: Buffer.from('{}')},
			{route: {...route, name: 'own', secrets}, others, nowMs},
		);
	const other = 'ab'.repeat(32);
	expect(explain([other], headers)).toEqual([
		'discord: does not match the secret',
		'matches the secret of route "hook"',
	]);
	const bare = sign(null, Buffer.from('{}'), privateKey).toString('hex');
	expect(explain([hexKey], {...headers, 'x-signature-ed25519': bare}, [])).toEqual([
		'discord: does not match the secret',
		'matches the body alone: the sender did not sign what belongs before it',
	]);
	expect(explain([hexKey], {}, [])[0]).toBe('x-signature-ed25519 is missing');
});

test('webhook events have type 1, too, and are events', async () => {
	await using receiver = await startReceiver({routes: [route]});
	const event = {type: 'APPLICATION_AUTHORIZED', timestamp: '2026-01-01T00:00:00', data: {}};
	const answer = await postSigned(receiver, {version: 1, type: 1, event});
	expect(answer.json).toMatchObject({status: 'accepted', event: 'APPLICATION_AUTHORIZED'});
});

test('whoever uses a command or presses a button reads that it was accepted, or that there is nothing to do', async () => {
	await using receiver = await startReceiver({
		routes: [{...route, filters: [{field: 'data.name', not_equals: 'quiet'}]}],
	});
	const command = {id: '1', application_id: '2', type: 2, data: {name: 'deploy'}, token: 'x'};
	const accepted = {type: 4, data: {content: 'Accepted', flags: 64}};
	const answers = [];
	for (const interaction of [
		command,
		command,
		{...command, id: '2', type: 3, data: {custom_id: 'approve', component_type: 2}},
		{...command, id: '3', data: {name: 'quiet'}},
		// Suggestions while somebody types a command.
		{...command, id: '4', type: 4},
	]) {
		// oxlint-disable-next-line no-await-in-loop -- in order
		const {status, json} = await postSigned(receiver, interaction);
		const {event, outcome} = receiver.last();
		answers.push([status, json, event, outcome]);
	}

	expect(answers).toEqual([
		[200, accepted, 'deploy', 'accepted'],
		[200, accepted, 'deploy', 'duplicate'],
		[200, accepted, 'approve', 'accepted'],
		[200, {type: 4, data: {content: 'Nothing to do', flags: 64}}, 'quiet', 'ignored:filter'],
		[200, {type: 8, data: {choices: []}}, 'deploy', 'challenge'],
	]);
	expect(receiver.woken).toEqual([1, 2]);

	receiver.setRoutes({...route, enabled: false});
	const paused = await postSigned(receiver, {...command, id: '5'});
	expect([paused.status, paused.json]).toEqual([503, {error: 'Route is paused'}]);
});
