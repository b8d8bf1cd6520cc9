import {createHash, createHmac} from 'node:crypto';
import {expect, test} from 'vitest';
import {verifySignature} from '../../source/webhook/signature.ts';
import {makeRoute, send, startReceiver} from './start-receiver.ts';

const form = 'application/x-www-form-urlencoded; charset=UTF-8';

const routeAt = (publicUrl?: string, secrets = ['12345']) =>
	makeRoute({secrets, signature: {kind: 'twilio'}, ...(publicUrl !== undefined && {publicUrl})});

type Sent = {
	readonly body: string;
	readonly signature: string;
	readonly query?: string;
	readonly type?: string;
};

const check = (publicUrl: string | undefined, {body, signature, query = '', type = form}: Sent) =>
	verifySignature(
		routeAt(publicUrl),
		{
			headers: {'x-twilio-signature': signature, 'content-type': type},
			body: Buffer.from(body),
			query,
		},
		0,
	);

const url = 'https://mycompany.com/myapp.php';

// What the tests of Twilio's own libraries expect.
const known = {
	body: 'To=%2B18005551212&CallSid=CA1234567890ABCDE&Digits=1234&From=%2B14158675309&Caller=%2B14158675309',
	query: '?foo=1&bar=2',
	signature: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
};

test('a form is signed with the address behind which its fields stand by name', () => {
	expect(check(url, known)).toEqual({ok: true, scheme: 'twilio', detail: 'twilio'});
	expect(check(`${url}?whatever=1`, known).ok).toBe(true);
	expect(check(url, {...known, query: '?foo=1&bar=3'}).ok).toBe(false);
	expect(check('https://mycompany.com/other', known).ok).toBe(false);
	expect(check(url, {...known, body: `${known.body}&More=1`}).ok).toBe(false);
	expect(check(url, {...known, type: 'application/json'}).ok).toBe(false);
});

test('of JSON the address holds the digest', () => {
	const json = {
		body: '{"property": "value", "boolean": true}',
		query:
			'?foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620',
		signature: 'a9nBmqA0ju/hNViExpshrM61xv4=',
		type: 'application/json',
	};
	expect(check(url, json).ok).toBe(true);
	expect(check(url, {...json, body: `${json.body} `}).ok).toBe(false);
	// Without the digest nothing is known of the body, although the address is signed.
	const bare = createHmac('sha1', '12345').update(`${url}?foo=1`).digest('base64');
	expect(check(url, {...json, query: '?foo=1', signature: bare}).ok).toBe(false);
});

test('where the address holds the digest, it counts whatever the body is said to be', () => {
	const json = '{"a":1}';
	const digest = createHash('sha256').update(json).digest('hex');
	const query = `?foo=1&bodySHA256=${digest}`;
	const signature = createHmac('sha1', '12345')
		.update(url + query)
		.digest('base64');
	expect(check(url, {body: json, query, signature, type: 'application/json'}).ok).toBe(true);
	expect(check(url, {body: json, query, signature}).ok).toBe(true);

	expect(check(url, {body: '', query, signature}).ok).toBe(false);
	// The end of the signed address, as the name of a field.
	const field = encodeURIComponent(`&bodySHA256=${digest}`);
	expect(check(url, {body: field, query: '?foo=1', signature}).ok).toBe(false);
});

test('a field that comes twice stands there with each of its values once', () => {
	const content = `${url}A1A2A3B3`;
	const signature = createHmac('sha1', '12345').update(content).digest('base64');
	expect(check(url, {body: 'B=3&A=2&A=1&A=2&A3=', signature}).ok).toBe(true);
});

test('a form of more fields than Twilio has is not sorted for a stranger', () => {
	const withFields = (count: number) => {
		const names = Array.from({length: count}, (_, index) => `f${String(index).padStart(5, '0')}`);
		const signature = createHmac('sha1', '12345')
			.update(url + names.join(''))
			.digest('base64');
		return {body: names.map(name => `${name}=`).join('&'), signature};
	};

	expect(check(url, withFields(1000)).ok).toBe(true);
	expect(check(url, withFields(1001)).ok).toBe(false);
});

test('a route that does not say its address refuses, and says why', () => {
	expect(check(undefined, known)).toEqual({
		ok: false,
		detail: 'twilio: signs its address, and the route has no "public_url"',
	});
});

test('over HTTP, behind a proxy that Twilio knows by another name', async () => {
	await using receiver = await startReceiver({
		routes: [{...routeAt('https://hooks.example/webhooks/hook'), prompt: '{Body}'}],
	});
	const fields = {SmsSid: 'SM1', Body: 'caf\u00e9 + cake', From: '+1', Empty: ''};
	const content = Object.entries(fields)
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.flat()
		.join('');
	const signature = createHmac('sha1', '12345')
		.update(`https://hooks.example/webhooks/hook?n=1${content}`)
		.digest('base64');
	const postForm = async (path: string) =>
		send(receiver.url, {
			method: 'POST',
			path,
			headers: {
				'Content-Type': form,
				'X-Twilio-Signature': signature,
				'I-Twilio-Idempotency-Token': 'token-1',
			},
			body: new URLSearchParams(fields).toString(),
		});
	const answer = await postForm('/webhooks/hook?n=1');
	expect([answer.status, answer.json['delivery_id']]).toEqual([202, 'token-1']);
	expect((await receiver.store.runs.get(1))?.plan.prompt).toBe('caf\u00e9 + cake');
	expect((await postForm('/webhooks/hook?n=2')).status).toBe(401);
});
