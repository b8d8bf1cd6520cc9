import {setImmediate as turn} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import type {Accepted} from '../../source/store/port.ts';
import {createRouteCompiler} from '../../source/webhook/admission.ts';
import {dispatchEvent} from '../../source/webhook/dispatch-event.ts';
import type {ReadyEvent} from '../../source/webhook/receive-context.ts';
import type {ReceiverServices} from '../../source/webhook/receive-context.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {makeRoute} from './start-receiver.ts';

const route = makeRoute();
const compile = createRouteCompiler(() => () => false);

const readyWith = (payload: JsonObject): ReadyEvent => ({
	draft: {
		id: '1000',
		receivedAt: 0,
		startedAt: 0,
		headers: {},
		redact: text => text,
		deliveryId: 'd-1',
		idSource: 'x-forge-delivery',
		hasSignedId: false,
		hasFixedId: false,
		replayOf: undefined,
		profile: 'default',
		route: 'hook',
		routeId: 'default/hook',
		keptHeaders: [],
		event: 'push',
		subject: undefined,
		body: undefined,
		keepsBody: true,
		flags: 0,
		isAboveRate: false,
		trace: [],
	},
	route,
	compiled: compile(route),
	event: 'push',
	prompt: 'what to do',
	read: [],
	context: {payload, event: 'push'},
	extra: {},
	subject: undefined,
	repository: undefined,
	prefetch: undefined,
});

const collectGarbage = async (): Promise<void> => {
	setFlagsFromString('--expose-gc');
	const collect: unknown = runInNewContext('gc');
	await turn();
	if (typeof collect === 'function') {
		collect();
	}
};

test('the payload of an event is let go while the journal is written', async () => {
	const {promise, resolve} = Promise.withResolvers<Accepted>();
	const parts = {
		clock: createFakeClock(),
		compile,
		maxQueued: () => 10,
		intake: {accept: async () => promise},
	};
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an agent route asks for nothing else
	const services = parts as unknown as ReceiverServices;
	const begin = () => {
		const payload = {text: 'many times as large as on the wire'};
		return {
			payload: new WeakRef(payload),
			reply: dispatchEvent(readyWith(payload), services),
		};
	};

	const {payload, reply} = begin();
	await collectGarbage();
	expect(payload.deref()).toBeUndefined();
	resolve({kind: 'accepted', runId: 7});
	expect((await reply).runId).toBe(7);
});
