import {expect, test} from 'vitest';
import {makeRoute, secret, startReceiver} from './start-receiver.ts';

/** A secret that stands where a name belongs: in a URL or a header that somebody filled in wrongly. */
const misplaced = encodeURIComponent(secret);

test.for([`/webhooks/${misplaced}`, `/p/acme/webhooks/${secret.replaceAll(' ', '+')}`])(
	'a secret in the path is not listed as the route: %s',
	async path => {
		await using receiver = await startReceiver();
		expect((await receiver.post({}, {}, path)).status).toBe(404);
		expect(receiver.last().route).toContain('[redacted]');
		expect(JSON.stringify([receiver.last(), await receiver.stored()])).not.toContain('horse');
	},
);

test('a secret that names the event is not listed, nor kept with the headers; filters see what was sent', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({events: [secret]})]});
	const {status} = await receiver.post({a: 1}, {'X-GitHub-Event': secret});
	expect([status, receiver.last().event]).toEqual([202, '[redacted]']);
	const {headers, ...stored} = await receiver.stored();
	expect(JSON.stringify(stored)).not.toContain('horse');
	expect(headers['x-github-event']).toBe('[redacted]');
});

test('a secret as the identifier is listed as its digest, by which duplicates are known', async () => {
	await using receiver = await startReceiver();
	const id = {'X-GitHub-Delivery': secret};
	const answers = [await receiver.post({a: 1}, id), await receiver.post({a: 1}, id)];
	const digest = expect.stringMatching(/^sha256-[0-9a-f]{64}$/);
	expect(answers.map(({json}) => [json['status'], json['delivery_id']])).toEqual([
		['accepted', digest],
		['duplicate', digest],
	]);
	expect(receiver.last().deliveryId).toEqual(digest);
	expect(JSON.stringify(await receiver.stored())).not.toContain('horse');
	const other = await receiver.post({a: 1}, {'X-GitHub-Delivery': `${secret}2`});
	expect(other.json['status']).toBe('accepted');
});

test('neither is a secret in the body of a sender that names its events there', async () => {
	const route = makeRoute({signature: {kind: 'stripe'}, insecure: true});
	await using receiver = await startReceiver({routes: [route], host: '127.0.0.1'});
	await receiver.post({id: secret, type: secret});
	expect(receiver.last()).toMatchObject({
		event: '[redacted]',
		deliveryId: expect.stringMatching(/^sha256-/),
		idSource: 'body.id',
	});
});
