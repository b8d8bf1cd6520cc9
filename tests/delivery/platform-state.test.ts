import {expect, test} from 'vitest';
import type {PlatformView} from '../../source/core/config-view.ts';
import {createPlatformState, type PlatformCheck} from '../../source/delivery/platform-state.ts';
import {DeliveryError} from '../../source/platforms/delivery-error.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

const settings = {enabled: true};

const down = new DeliveryError('platform_failed', 'it is down', {passes: true, isDown: true});

function open(check?: PlatformCheck) {
	const clock = createFakeClock(1_700_000_000_000);
	const told: PlatformView[] = [];
	const state = createPlatformState('pigeon', clock, view => told.push(view));
	const fail = async () => {
		await state.observe(settings, async () => Promise.reject(down)).catch(() => {});
	};
	return {
		clock,
		state,
		told,
		fail,
		watch: (of: unknown = settings) => {
			state.watch(of, async () => check);
		},
		/** How long it is until it is asked again, seconds. */
		waitS: () => ((state.view(settings)?.nextTry ?? 0) - clock.now()) / 1000,
	};
}

test('each failure doubles the wait, up to five minutes; a success begins anew', async () => {
	const {state, fail, waitS, clock} = open();
	const waits: number[] = [];
	for (let count = 0; count < 8; count++) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await fail();
		waits.push(waitS());
		clock.advance(waitS() * 1000);
	}

	expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
	await state.observe(settings, async () => 'sent');
	await fail();
	expect(waitS()).toBe(5);
});

test('with a check a failure lasts until one passes, however long that is', async () => {
	let isBack = false;
	const {state, fail, watch, clock, told} = open(async () =>
		isBack ? 'me' : Promise.reject(down),
	);
	watch();
	await expect.poll(() => told.at(-1)?.state).toBe('failed');
	await fail();
	expect(state.holds(settings, false)).toMatchObject({retryable: true, code: 'platform_failed'});
	expect(state.holds(settings, true)?.retryAfterMs).toBeUndefined();
	clock.advance(4999);
	expect(state.holds(settings, false)).toBeDefined();
	isBack = true;
	clock.advance(300_000);
	await expect.poll(() => told.at(-1)?.state).toBe('connected');
	expect(state.holds(settings, false)).toBeUndefined();
});

test('without a check the wait alone ends a failure, and the next message decides', async () => {
	const {state, fail, watch, clock, told, waitS} = open();
	watch();
	await expect.poll(() => told.at(-1)?.state).toBe('connected');
	await fail();
	expect(state.holds(settings, false)).toBeDefined();
	clock.advance(5000);
	await expect.poll(() => told.at(-1)?.state).toBe('connected');
	expect(state.holds(settings, false)).toBeUndefined();
	await fail();
	expect(waitS()).toBe(10);
});

test('new settings are not held to the failure of those before, and are checked', async () => {
	const {state, fail, watch, told} = open(async () => 'me');
	await fail();
	const next = {enabled: true};
	expect(state.holds(next, false)).toBeUndefined();
	expect(state.view(next)).toEqual({name: 'pigeon', state: 'connected'});
	watch(next);
	await expect.poll(() => told.at(-1)).toEqual({name: 'pigeon', state: 'connected'});
	expect(told.map(({state: of}) => of)).toEqual(['failed', 'connecting', 'connected']);
});

test('what is off, lacks something or is not there says so', () => {
	const {state} = open();
	expect(state.view(undefined)).toBeUndefined();
	expect(state.view({enabled: false})).toEqual({name: 'pigeon', state: 'disabled'});
	expect(state.view({enabled: true, lacks: '"token"'})).toEqual({
		name: 'pigeon',
		state: 'failed',
		reason: 'lacks "token"',
	});
});

test('nothing is asked any more once it is disposed of', async () => {
	let asked = 0;
	const {state, watch, clock} = open(async () => {
		asked += 1;
		throw down;
	});
	watch();
	await expect.poll(() => asked).toBe(1);
	state[Symbol.dispose]();
	clock.advance(3_600_000);
	expect(asked).toBe(1);
	expect(clock.timersLeft).toBe(0);
});

test('several that fail at once make one failure', async () => {
	const {fail, waitS} = open();
	await Promise.all([fail(), fail(), fail()]);
	expect(waitS()).toBe(5);
});

test('what is heard of settings of before says nothing of those that are used', async () => {
	const {state, watch, told} = open(async () => Promise.reject(down));
	const late = Promise.withResolvers<string>();
	watch();
	await expect.poll(() => told.at(-1)?.state).toBe('failed');
	const delivery = state.observe({enabled: true}, async () => late.promise);
	late.resolve('sent');
	await delivery;
	expect(state.view(settings)).toMatchObject({state: 'failed', nextTry: expect.any(Number)});
});

test('with a check nothing is sent after the wait either, before the check has passed', async () => {
	const passes = Promise.withResolvers<string>();
	let checks = 0;
	const {state, watch, clock, told} = open(async () => {
		checks += 1;
		return checks === 1 ? Promise.reject(down) : passes.promise;
	});
	watch();
	await expect.poll(() => told.at(-1)?.state).toBe('failed');
	clock.advance(5000);
	await expect.poll(() => checks).toBe(2);
	expect(state.holds(settings, false)).toBeDefined();
	passes.resolve('me');
	await expect.poll(() => state.holds(settings, false)).toBeUndefined();
});

test('an hour that a platform asks for holds it for five minutes at most', async () => {
	const {state, waitS} = open();
	const busy = new DeliveryError('platform_failed', 'later', {
		passes: true,
		isDown: true,
		retryAfterMs: 3_600_000,
	});
	await state.observe(settings, async () => Promise.reject(busy)).catch(() => {});
	expect(waitS()).toBe(300);
});
