import {Agent, request} from 'node:http';
import {connect} from 'node:net';
import {expect, test} from 'vitest';
import {codeOf} from '../../source/core/errors.ts';
import {signV2} from './sign.ts';
import {makeRoute, secret, send, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

type Answered = {readonly status: number; readonly connection: string | undefined};

/** One signed event over `agent`. */
async function post({url, clock}: TestReceiver, agent: Agent): Promise<Answered> {
	return new Promise((resolve, reject) => {
		const outgoing = request(
			`${url}/webhooks/hook`,
			{method: 'POST', agent, headers: {...signV2(secret, '{}', clock.now())}},
			incoming => {
				incoming.resume();
				incoming.on('end', () => {
					resolve({
						status: incoming.statusCode ?? 0,
						connection: incoming.headers.connection,
					});
				});
			},
		);
		outgoing.on('error', reject);
		outgoing.end('{}');
	});
}

test('without connections it closes at once', async () => {
	const receiver = await startReceiver();
	await receiver.receiver.close();
	await expect(send(receiver.url, {path: '/health'})).rejects.toMatchObject({
		code: 'ECONNREFUSED',
	});
	await receiver[Symbol.asyncDispose]();
});

test('requests on open connections during the drain get 503, `Retry-After` and `Connection: close`', async () => {
	await using receiver = await startReceiver();
	const agent = new Agent({keepAlive: true, maxSockets: 1});
	expect(await post(receiver, agent)).toEqual({status: 202, connection: 'keep-alive'});

	const closing = receiver.receiver.close();
	expect(await post(receiver, agent)).toEqual({status: 503, connection: 'close'});
	expect(receiver.last().outcome).toBe('stopping');
	const health = await send(receiver.url, {path: '/health'});
	expect([health.status, health.json]).toEqual([503, {status: 'stopping', platform: 'webhook'}]);
	expect(health.headers['retry-after']).toBe('10');

	receiver.clock.advance(1000);
	await closing;
	agent.destroy();
});

test('32 busy keep-alive clients do not hold it, and nobody is reset before an answer', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({rateLimit: 1e6})]});
	const clients = Array.from({length: 32}, async () => {
		const agent = new Agent({keepAlive: true, maxSockets: 1});
		let accepted = 0;
		try {
			for (;;) {
				// oxlint-disable-next-line no-await-in-loop -- one request after the other is what a client does
				const {status} = await post(receiver, agent);
				if (status !== 202) {
					return {accepted, ended: status};
				}

				accepted += 1;
			}
		} finally {
			agent.destroy();
		}
	});
	await whenDeliveries(receiver, 100);
	const closing = receiver.receiver.close();
	const ends = await Promise.all(clients);
	receiver.clock.advance(1000);
	await closing;
	expect(ends.map(({ended}) => ended)).toEqual(Array(32).fill(503));
	const accepted = ends.reduce((sum, end) => sum + end.accepted, 0);
	expect(receiver.woken).toHaveLength(accepted);
});

test('a request that was being handled is answered, with `Connection: close`', async () => {
	let deliver: (receipt: {readonly summary: string}) => void = () => {};
	await using receiver = await startReceiver({
		routes: [makeRoute({deliverOnly: true, deliver: 'email'})],
		deliver: async () =>
			new Promise(resolve => {
				deliver = resolve;
			}),
	});
	const agent = new Agent({keepAlive: true});
	const answer = post(receiver, agent);
	await whenMessages(receiver);
	const closing = receiver.receiver.close();
	receiver.clock.advance(1000);
	deliver({summary: 'sent'});
	expect(await answer).toEqual({status: 200, connection: 'close'});
	await closing;
	agent.destroy();
});

test('what still works after 5 s is told to stop, and its sender that it failed', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({deliverOnly: true, deliver: 'email'})],
		deliver: async (_, signal) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener('abort', () => {
					reject(new Error('stopped'));
				});
			}),
	});
	const answer = post(receiver, new Agent());
	await whenMessages(receiver);
	const closing = receiver.receiver.close();
	receiver.clock.advance(1000);
	await turn();
	receiver.clock.advance(4000);
	expect(await answer).toEqual({status: 502, connection: 'close'});
	await closing;
	expect(receiver.last().outcome).toBe('delivery');
});

test('what does not heed that is cut a moment later, and held up by no longer', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({deliverOnly: true, deliver: 'email'})],
		deliver: async () => new Promise(() => {}),
	});
	const cut = post(receiver, new Agent()).catch((error: unknown) => codeOf(error));
	await whenMessages(receiver);
	const closing = receiver.receiver.close();
	receiver.clock.advance(1000);
	await turn();
	receiver.clock.advance(4250);
	expect(await cut).toBe('ECONNRESET');
	receiver.clock.advance(750);
	await closing;
});

test('an idle connection does not hold it longer than 1 s', async () => {
	await using receiver = await startReceiver();
	const socket = connect(receiver.port, '127.0.0.1');
	await new Promise(resolve => {
		socket.once('connect', resolve);
	});
	while (receiver.receiver.stats().connections === 0) {
		await turn();
	}

	const ended = new Promise(resolve => {
		socket.once('close', () => {
			resolve('closed');
		});
		socket.resume();
	});
	const closing = receiver.receiver.close();
	receiver.clock.advance(1000);
	await closing;
	expect(await ended).toBe('closed');
});

const turn = async () =>
	new Promise<void>(resolve => {
		setImmediate(resolve);
	});

async function whenDeliveries(receiver: TestReceiver, count: number) {
	while (receiver.deliveries.length < count) {
		await turn();
	}
}

async function whenMessages({messages}: TestReceiver) {
	while (messages.length === 0) {
		await turn();
	}
}
