import {expect, test} from 'vitest';
import type {WebhookConfig} from '../../../source/config/config.ts';
import {SvcError} from '../../../source/core/errors.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createLiveReceiver} from '../../../source/gateway/receiver/open-receiver.ts';
import type {Receiver} from '../../../source/webhook/receiver.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const webhook: WebhookConfig = {
	enabled: true,
	switchedOff: false,
	host: '127.0.0.1',
	port: 0,
	rateLimit: 30,
	maxBodyBytes: 1,
	secrets: [],
	routes: new Map(),
	refusals: [],
	skipped: [],
	invalid: [],
};

/** A live receiver whose receivers are lists of what was asked of them. */
function openReceiver({
	listen = async () => ({url: 'http://127.0.0.1:1'}),
	close = async () => {},
}: {readonly listen?: Receiver['listen']; readonly close?: Receiver['close']} = {}) {
	const events: GatewayEvent[] = [];
	const lines: string[] = [];
	const asked: string[] = [];
	const clock = createFakeClock();
	let config = webhook;
	const live = createLiveReceiver({
		clock,
		emit: event => {
			events.push(event);
		},
		log: {...silentLogger, error: line => lines.push(line), warn: line => lines.push(line)},
		config: () => config,
		brokenBy: () => undefined,
		create: () => ({
			async listen() {
				asked.push('listen');
				return listen();
			},
			async close() {
				await close();
				asked.push('close');
			},
			replay: async () => ({status: 202, body: ''}),
			recover: async () => ({status: 202, body: ''}),
			planReplay: () => ({route: '', effects: [], needsConfirmation: false}),
			rateOf: async () => undefined,
			stats: () => ({answered: 0, inFlight: 0, connections: 0}),
		}),
		async onClosed() {
			asked.push('flush');
		},
	});
	return {
		live,
		clock,
		asked,
		lines,
		types: () => events.map(({type}) => type),
		set(change: Partial<WebhookConfig>) {
			config = {...config, ...change};
		},
	};
}

test('switching the receiver off in the file closes it; switching it on opens another', async () => {
	const receiver = openReceiver();
	const {live, asked, types} = receiver;
	await live.start();

	receiver.set({enabled: false});
	await live.start();
	expect(live.current()).toBeUndefined();
	expect(types()).toEqual(['webhook-listening', 'webhook-disabled']);

	receiver.set({enabled: true});
	await live.start();
	expect(asked).toEqual(['listen', 'close', 'flush', 'listen']);
	expect(types().at(-1)).toBe('webhook-listening');
});

test('a busy port is tried again every 15 seconds and said once', async () => {
	const {live, asked, lines, clock} = openReceiver({
		listen: async () => {
			throw new SvcError('port_in_use', 'Cannot listen on port 1: it is in use');
		},
	});
	await live.start();
	for (let tries = 0; tries < 3; tries++) {
		clock.advance(15_000);
		await new Promise(resolve => {
			setImmediate(resolve);
		});
	}

	expect(asked).toHaveLength(4);
	expect(lines).toHaveLength(1);
	expect(live.current()).toBeUndefined();
});

test('the groups are handed over when the receiver has closed, before that is said', async () => {
	const {live, asked, types} = openReceiver();
	await live.start();
	await live[Symbol.asyncDispose]();
	expect(asked).toEqual(['listen', 'close', 'flush']);
	expect(types()).toEqual(['webhook-listening', 'webhook-closed']);
});

test('a receiver that is still closing has closed before the next one listens, and before the end', async () => {
	const gate = Promise.withResolvers<void>();
	const receiver = openReceiver({close: async () => gate.promise});
	const {live, asked} = receiver;
	await live.start();
	receiver.set({enabled: false});
	const off = live.start();
	receiver.set({enabled: true});
	const on = live.start();
	const ended = live[Symbol.asyncDispose]();
	await new Promise(resolve => {
		setImmediate(resolve);
	});
	expect(asked).toEqual(['listen']);

	gate.resolve();
	await Promise.all([off, on, ended]);
	expect(asked).toEqual(['listen', 'close', 'flush']);
});

test('it is known on which host and port the receiver listens, and when it does not', async () => {
	const receiver = openReceiver();
	expect(receiver.live.listensOn()).toBeUndefined();
	await receiver.live.start();
	receiver.set({port: 1});
	await receiver.live.start();
	expect(receiver.live.listensOn()).toMatchObject({host: '127.0.0.1', port: 0});
	receiver.set({enabled: false});
	await receiver.live.start();
	expect(receiver.live.listensOn()).toBeUndefined();
});

test('nothing listens any more after the end, whoever asks', async () => {
	const {live, asked, types} = openReceiver();
	await live.start();
	await live[Symbol.asyncDispose]();
	await live.start();
	expect(asked).toEqual(['listen', 'close', 'flush']);
	expect(live.current()).toBeUndefined();
	expect(types().at(-1)).toBe('webhook-closed');
});
