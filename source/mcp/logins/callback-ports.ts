import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {type CallbackListener, listenForCallback} from './callback-listener.ts';

/** The ports of this process that browsers are redirected to. */
export type CallbackPorts = ReturnType<typeof createCallbackPorts>;

type Bound = {
	readonly owner: string;
	readonly wanted: readonly number[];
	readonly listener: CallbackListener;
	users: number;
};

/** In `ports`, 0 means any port. */
export function createCallbackPorts(clock: Clock) {
	const all = new Set<Bound>();

	const lease = (bound: Bound): CallbackListener => {
		bound.users++;
		let isOver = false;
		return {
			port: bound.listener.port,
			expect: async (...args) => bound.listener.expect(...args),
			async [Symbol.asyncDispose]() {
				if (isOver) {
					return;
				}

				isOver = true;
				bound.users--;
				if (bound.users === 0) {
					all.delete(bound);
					await bound.listener[Symbol.asyncDispose]();
				}
			},
		};
	};

	return {
		/**
		 * Binds the first free one of `ports`; `undefined` if all are taken. A port that `owner` has bound already is shared, so that a login started again does
		 * not disturb the earlier attempt. Dispose when no browser is expected any more.
		 *
		 * @throws SvcError `port_forbidden`, `listen_failed`
		 */
		async bind(
			owner: string,
			{
				ports,
				...names
			}: {
				readonly ports: readonly number[];
				readonly asLocalhost?: boolean;
				/** As `listenForCallback` takes it. */ readonly alias?: string;
			},
		): Promise<CallbackListener | undefined> {
			const shared = [...all].find(
				bound => bound.owner === owner && bound.wanted.join() === ports.join(),
			);
			if (shared) {
				return lease(shared);
			}

			for (const port of ports) {
				// oxlint-disable-next-line no-await-in-loop -- the first that is free
				const listener = await listenIfFree({clock, port, ...names});
				if (listener) {
					const bound = {owner, wanted: ports, listener, users: 0};
					all.add(bound);
					return lease(bound);
				}
			}

			return undefined;
		},
	};
}

async function listenIfFree(
	options: Parameters<typeof listenForCallback>[0],
): Promise<CallbackListener | undefined> {
	try {
		return await listenForCallback(options);
	} catch (error) {
		if (error instanceof SvcError && error.code === 'port_in_use') {
			return undefined;
		}

		throw error;
	}
}
