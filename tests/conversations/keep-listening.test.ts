import {expect, test} from 'vitest';
import {keepListening} from '../../source/conversations/keep-listening.ts';
import {DeliveryError} from '../../source/platforms/delivery-error.ts';
import type {Hearing, ListeningState} from '../../source/platforms/listener.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

/** A listener whose connections the test ends, without chance in its pauses: each lasts three quarters of the longest that it may. */
function listen({cursor = async () => null}: {readonly cursor?: () => Promise<null>} = {}) {
	const clock = createFakeClock();
	const states: ListeningState[] = [];
	const connections: Array<{
		readonly hearing: Hearing;
		readonly signal: AbortSignal;
		readonly end: (error?: Error) => void;
	}> = [];
	const ending = keepListening(
		{
			async listen(hearing, {signal}) {
				const {promise, resolve, reject} = Promise.withResolvers<void>();
				signal.addEventListener('abort', () => {
					resolve();
				});
				connections.push({
					hearing,
					signal,
					end(error) {
						if (error) {
							reject(error);
						} else {
							resolve();
						}
					},
				});
				await promise;
			},
		},
		{
			clock,
			random: () => 0.5,
			hearing: {
				onMessages: async () => {},
				onPress: async () => '',
				say() {},
				isAllowed: () => false,
			},
			cursor,
			onState: state => states.push(state),
		},
	);
	return {
		clock,
		states,
		connections,
		/** Ends the connection that is there, after it held so long. */
		async end({error, heldMs}: {readonly error?: Error; readonly heldMs?: number} = {}) {
			await settle();
			const {hearing, end} = connections.at(-1) ?? {};
			if (heldMs !== undefined) {
				hearing?.onListening();
				clock.advance(heldMs);
			}

			states.length = 0;
			end?.(error);
			await settle();
		},
		/** How long it pauses, milliseconds; it ends. */
		async paused(): Promise<number> {
			const from = clock.monotonic();
			const count = connections.length;
			while (connections.length === count && clock.monotonic() - from < 4_000_000) {
				clock.advance(250);
				// oxlint-disable-next-line no-await-in-loop -- one step after the other
				await settle();
			}

			return clock.monotonic() - from;
		},
		[Symbol.asyncDispose]: async () => ending[Symbol.asyncDispose](),
	};
}

type Listening = ReturnType<typeof listen>;

/** What follows from what has happened has happened. */
const settle = async () =>
	new Promise<void>(resolve => {
		setImmediate(resolve);
	});

const broke = new Error('it broke');

test('pauses grow to five minutes, and begin anew after a connection of a minute', async () => {
	await using listening = listen();
	const pauses: number[] = [];
	for (let at = 0; at < 11; at++) {
		// oxlint-disable-next-line no-await-in-loop -- one connection after the other
		await listening.end({error: broke, heldMs: 59_999});
		// oxlint-disable-next-line no-await-in-loop -- see above
		pauses.push(await listening.paused());
	}

	const grown = [750, 1500, 3000, 6000, 12_000, 24_000, 48_000, 96_000, 192_000];
	expect(pauses).toEqual([...grown, 225_000, 225_000]);
	await listening.end({error: broke, heldMs: 60_000});
	expect(listening.states).toEqual([
		{state: 'failed', reason: 'it broke', nextTry: listening.clock.now() + 750},
	]);
	expect(await listening.paused()).toBe(750);
	expect(listening.states.slice(1)).toEqual([{state: 'connecting'}]);
});

test('a wait that the platform tells is waited', async () => {
	await using listening = listen();
	const error = new DeliveryError('platform_rate_limited', 'Cannot listen: not so fast', {
		passes: true,
		reason: 'not so fast',
		retryAfterMs: 400_000,
	});
	await listening.end({error});
	expect(listening.states).toEqual([{state: 'failed', reason: 'not so fast', nextTry: 400_000}]);
	expect(await listening.paused()).toBe(400_000);
});

test('where the settings are refused it is tried again after the longest pause, and the state says when', async () => {
	await using listening = listen();
	const error = new DeliveryError('platform_unauthorized', 'Cannot listen: no', {isDown: true});
	await listening.end({error});
	expect(listening.states).toEqual([
		{state: 'failed', reason: 'Cannot listen: no', nextTry: 300_000},
	]);
	expect(await listening.paused()).toBe(300_000);
});

test('after a connection that ended as usual another follows at once; again and again, after a pause in which it is connecting', async () => {
	await using listening = listen();
	await listening.end({heldMs: 10});
	expect(listening.connections).toHaveLength(2);
	await listening.end({heldMs: 10});
	expect(listening.states).toEqual([{state: 'connecting'}]);
	expect(listening.connections).toHaveLength(2);
	expect(await listening.paused()).toBe(1500);
	await listening.end({heldMs: 60_000});
	expect(listening.connections).toHaveLength(4);
});

test('a cursor that cannot be read is a connection that failed', async () => {
	await using listening = listen({
		async cursor() {
			throw broke;
		},
	});
	await settle();
	expect(listening.states).toEqual([
		{state: 'connecting'},
		{state: 'failed', reason: 'it broke', nextTry: 750},
	]);
});

test.for([
	['at once', async () => {}],
	['while it connects', settle],
	[
		'while it listens',
		async ({connections}: Listening) => {
			await settle();
			connections[0]?.hearing.onListening();
		},
	],
	['in a pause', async (listening: Listening) => listening.end({error: broke})],
	[
		'in the longest pause',
		async (listening: Listening) =>
			listening.end({error: new DeliveryError('platform_unauthorized', 'no', {isDown: true})}),
	],
] as const)('disposed of %s it ends, and says no more', async ([, reach]) => {
	const listening = listen();
	await reach(listening);
	const said = listening.states.length;
	await listening[Symbol.asyncDispose]();
	expect(listening.states).toHaveLength(said);
	expect(listening.clock.timersLeft).toBe(0);
	expect(listening.connections.every(({signal}) => signal.aborted)).toBe(true);
	expect(listening.connections.length).toBeLessThanOrEqual(1);
});
