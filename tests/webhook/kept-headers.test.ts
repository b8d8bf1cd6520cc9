import {expect, test} from 'vitest';
import type {FilterSpec, Route} from '../../source/config/route.ts';
import {filterHeadersOf, keptHeadersOf} from '../../source/webhook/filter.ts';
import {makeRoute, secret, startReceiver} from './start-receiver.ts';
import type {StartOptions} from './start-receiver.ts';

const internal: FilterSpec = {field: 'headers.X-Internal', missing: true};

const start = async (filters: readonly FilterSpec[], options: StartOptions = {}) =>
	startReceiver({routes: [makeRoute({filters})], ...options});

test('what a header filter stopped is stopped when it is sent again', async () => {
	await using receiver = await start([internal]);
	const stopped = await receiver.post({}, {'X-Internal': '1'});
	expect(stopped.json).toMatchObject({status: 'ignored', reason: 'filter'});
	const stored = await receiver.stored();
	expect(stored.headers).toMatchObject({'x-internal': '1'});
	expect(receiver.receiver.planReplay(stored).needsConfirmation).toBe(false);
	const {body} = await receiver.receiver.replay(stored);
	expect(JSON.parse(body)).toMatchObject({status: 'ignored', reason: 'filter'});
	// And so is a replay of the replay.
	expect((await receiver.stored()).headers).toMatchObject({'x-internal': '1'});
});

test('a replay plan says which headers nobody knows any more, and asks for confirmation', async () => {
	await using receiver = await start([]);
	await receiver.post({}, {'X-Internal': '1'});
	const stored = await receiver.stored();
	expect(receiver.receiver.planReplay(stored).needsConfirmation).toBe(false);
	receiver.setRoutes(makeRoute({filters: [{any: [{not: internal}, {field: 'headers.X-B'}]}]}));
	expect(receiver.receiver.planReplay(stored)).toEqual({
		route: 'hook',
		effects: [
			'may pass filters that stopped it: they look at headers that were not kept, x-internal, x-b',
			'starts an agent run',
			'writes the answer to the log',
		],
		needsConfirmation: true,
	});
});

test.for([
	['a secret', `Basic ${secret}`],
	['an escape', '\u009b2J'],
	['too much', 'x'.repeat(513)],
])('a header that cannot be kept as it came is not kept: %s', async ([, value = '']) => {
	await using receiver = await start([internal]);
	await receiver.post({}, {'X-Internal': value});
	const stored = await receiver.stored();
	expect(stored.headers).not.toHaveProperty('x-internal');
	expect(receiver.receiver.planReplay(stored).needsConfirmation).toBe(true);
});

test('of a stranger nothing more is kept than before', async () => {
	await using receiver = await start([internal]);
	await receiver.post({}, {'X-Internal': '1', 'X-Webhook-Signature-V2': '00'});
	expect(receiver.last().outcome).toBe('signature');
	expect((await receiver.stored()).headers).not.toHaveProperty('x-internal');
});

test.for([
	'Authorization',
	'X-Forwarded-Authorization',
	'Cookie',
	'X-Hub-Signature-256',
	'Stripe-Signature',
	'X-Gitlab-Token',
	'X-Shopify-Hmac-Sha256',
	'X-My-Sig',
	'X-Api-Key',
	'X-Session-Id',
	'X-Seal',
])('a header with a credential is never kept: %s', name => {
	const signature: Route['signature'] = {
		kind: 'custom',
		header: 'x-seal',
		algorithm: 'sha256',
		prefix: '',
		encoding: 'hex',
		signed: '{body}',
	};
	const filters = [{field: `headers.${name}`, exists: true}, internal];
	expect(keptHeadersOf({filters, signature})).toEqual(['x-internal']);
	expect(filterHeadersOf(filters)).toEqual([name.toLowerCase(), 'x-internal']);
});

test('however many headers the filters look at, 20 are kept', () => {
	const filters = Array.from({length: 30}, (_, index) => ({
		field: `headers.X-${index}`,
		exists: true,
	}));
	const long = {field: `headers.${'x'.repeat(300)}`, exists: true};
	const kept = keptHeadersOf(makeRoute({filters: [long, {all: filters}, ...filters]}));
	expect(kept).toEqual(filters.slice(0, 20).map(({field}) => field.slice(8).toLowerCase()));
	expect(keptHeadersOf(makeRoute({filters: [{field: 'headers.User-Agent'}]}))).toEqual([]);
});
