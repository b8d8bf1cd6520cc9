import {type Clock, within} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {ConnectError, passing} from '../wire/connect-error.ts';
import type {ConnectFailure} from '../wire/open-transport.ts';
import type {CallQueue} from './call-queue.ts';
import {wakeAt} from './connection-times.ts';
import type {OpenConnection} from './open-connection.ts';
import {
	type ServerAction,
	type ServerEvent,
	type ServerSettings,
	type ServerState,
	whyDisconnected,
} from './state.ts';
import {stepServer, unconfigured} from './step.ts';

export type ManagedConnectionDependencies = {
	/** Times in the state are from `clock.monotonic()`. */
	readonly clock: Clock;
	/** From 0 to 1, 1 excluded. */
	readonly random: () => number;
	/** Limits how many connections that no call waits for are made at a time. */
	readonly slots: CallQueue;
	readonly settings: () => ServerSettings;
	/** Opens a connection. Rejects with `ConnectError`, or with the reason of `signal`. */
	readonly open: (options: {
		readonly signal: AbortSignal;
		readonly onLost: (failure: ConnectFailure) => void;
	}) => Promise<OpenConnection>;
	/** Called when a connection is established, before any call uses it. */
	readonly onOpened: (opened: OpenConnection) => void;
	/** Called when the state changes or a check ends. */
	readonly onChange: () => void;
};

/** Keeps one server's connection as its state demands: `stepServer` decides, this acts. */
export type ManagedConnection = ReturnType<typeof createManagedConnection>;

const nothing = () => {};

export function createManagedConnection(dependencies: ManagedConnectionDependencies) {
	const {clock, random, slots, settings, onOpened, onChange} = dependencies;
	let state = unconfigured;
	let current: OpenConnection | undefined;
	let pingMs: number | undefined;
	let cancelWake = nothing;
	let disposed = false;
	let attempt = new AbortController();
	let attempted = Promise.resolve();
	let hurry = new AbortController();
	const ending = new Set<Promise<void>>();
	let changed = Promise.withResolvers<void>();

	const send = (event: ServerEvent) => {
		if (disposed) {
			return;
		}

		const before = state;
		const step = stepServer(state, event, {now: clock.monotonic(), settings: settings(), random});
		state = step.state;
		for (const action of step.actions) {
			perform(action);
		}

		cancelWake();
		const at = wakeAt(state, settings());
		cancelWake =
			at === undefined ? nothing : clock.after(at - clock.monotonic(), () => send({type: 'woken'}));
		if (state !== before) {
			changed.resolve();
			changed = Promise.withResolvers();
			onChange();
		}
	};

	const perform = ({type, connection}: ServerAction) => {
		switch (type) {
			case 'connect': {
				attempt = new AbortController();
				hurry = new AbortController();
				attempted = connectNow(connection, attempt.signal, hurry.signal);
				break;
			}

			case 'check': {
				void checkNow(connection, attempt.signal);
				break;
			}

			case 'end': {
				attempt.abort(new ConnectError(passing('The connection was ended')));
				awaitEnd(attempted);
				end(current);
				current = undefined;
				break;
			}
		}
	};

	/** Delays new connections until the old one has ended: two processes of one server would fight over its files. */
	const awaitEnd = (over: PromiseLike<void>) => {
		const done = Promise.resolve(over)
			.catch(() => {})
			.finally(() => ending.delete(done));
		ending.add(done);
	};

	const end = (old: OpenConnection | undefined) => {
		if (old) {
			awaitEnd(old[Symbol.asyncDispose]());
		}
	};

	const connectNow = async (connection: number, signal: AbortSignal, urgent: AbortSignal) => {
		let made: OpenConnection | undefined;
		try {
			await Promise.all(ending);
			made = await withSlot(slots, {signal, urgent}, async () =>
				dependencies.open({
					signal,
					onLost: failure => send({type: 'lost', connection, failure}),
				}),
			);
			signal.throwIfAborted();
			made.signal.throwIfAborted();
			onOpened(made);
			current = made;
		} catch (error) {
			end(made);
			if (!signal.aborted) {
				send({type: 'refused', connection, failure: failureOf(error)});
			}

			return;
		}

		send({type: 'connected', connection});
	};

	const checkNow = async (connection: number, signal: AbortSignal) => {
		try {
			pingMs = await current?.check(signal);
			send({type: 'check-passed', connection});
		} catch (error) {
			send({type: 'check-failed', connection, failure: failureOf(error)});
		}
	};

	const isPending = () => state.status === 'connecting' && !disposed;

	/** Waits while a connection is being made. */
	const obtain = async (signal: AbortSignal): Promise<OpenConnection> => {
		signal.throwIfAborted();
		send({type: 'called'});
		if (isPending()) {
			hurry.abort();
		}

		while (isPending()) {
			// oxlint-disable-next-line no-await-in-loop -- until it is decided
			await within(changed.promise, signal);
		}

		if (!current || disposed) {
			throw new ConnectError(whyDisconnected(state));
		}

		return current;
	};

	return {
		get state(): ServerState {
			return state;
		},
		/** The established connection; `undefined` if there is none. */
		get current(): OpenConnection | undefined {
			return current;
		},
		/** Round trip of the last check, in milliseconds. */
		get pingMs(): number | undefined {
			return pingMs;
		},
		/** Sends an event that does not concern a particular connection. */
		send,
		/**
		 * Runs `task` over an established connection, making one if needed; calls share it. Counts as a call while it runs; `answered` tells afterwards whether
		 * the server answered. Rejects with `ConnectError` if no connection is to be expected soon, and with the reason of `signal`.
		 */
		async use<T>(
			signal: AbortSignal,
			call: {task(opened: OpenConnection): Promise<T>; answered(result: T): boolean},
		): Promise<T> {
			let used = await obtain(signal);
			while (used !== current) {
				// oxlint-disable-next-line no-await-in-loop -- it was lost the moment it was made
				used = await obtain(signal);
			}

			const {connection} = state;
			send({type: 'call-started', connection});
			let wasAnswered = false;
			try {
				const result = await call.task(used);
				wasAnswered = call.answered(result);
				return result;
			} finally {
				send({type: 'call-ended', connection, answered: wasAnswered});
			}
		},
		/** Reports a failure of a connection; ignored unless that is the current one. */
		report(reported: OpenConnection, failure: ConnectFailure): void {
			if (reported === current) {
				const {connection} = state;
				send({type: failure.kind === 'stream-lost' ? 'stream-lost' : 'lost', connection, failure});
			}
		},
		/** Makes a connection that waits for its slot now. */
		hurry: (): void => hurry.abort(),
		/** Why there is no connection; `undefined` if there is one. */
		why: (): ConnectFailure | undefined => (current ? undefined : whyDisconnected(state)),
		/** Resolves when no connection is being made. */
		async settled(): Promise<void> {
			while (isPending()) {
				// oxlint-disable-next-line no-await-in-loop -- until it is decided
				await changed.promise;
			}
		},
		/** Resolves when all old connections have ended. */
		async ended(): Promise<void> {
			await Promise.all(ending);
		},
		async [Symbol.asyncDispose]() {
			disposed = true;
			cancelWake();
			attempt.abort(new ConnectError(passing('svc is stopping')));
			awaitEnd(attempted);
			end(current);
			current = undefined;
			changed.resolve();
			await Promise.all(ending);
		},
	};
}

/** Waits for a slot, unless a call needs the connection. */
async function withSlot<T>(
	slots: CallQueue,
	{signal, urgent}: {readonly signal: AbortSignal; readonly urgent: AbortSignal},
	task: () => Promise<T>,
): Promise<T> {
	let started = false;
	try {
		return await slots.run(AbortSignal.any([signal, urgent]), async () => {
			started = true;
			return task();
		});
	} catch (error) {
		if (started || signal.aborted) {
			throw error;
		}

		return task();
	}
}

const failureOf = (error: unknown): ConnectFailure =>
	error instanceof ConnectError ? error.failure : passing(messageOf(error));
