import {createTimer} from '../core/clock.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import {createMutex} from '../core/mutex.ts';
import type {World} from '../core/world.ts';
import type {Address} from './listen.ts';

/** Interval between tries to listen: a busy port may become free. */
const retryMs = 15_000;

/** A server that follows the configuration. */
export type LiveListener<Server> = {
	/** Listens, closes or reports a failure, as the configuration requires. Call it after each change. Never rejects. */
	start(): Promise<void>;
	/** The listening server, if any. */
	current(): Server | undefined;
	/** The configured host and port of the listening server. */
	listensOn(): Address | undefined;
	/** Drains and closes. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** Keeps one server listening as configured, and retries while its port is unavailable. */
export function createLiveListener<
	Server extends {listen(): Promise<{readonly url: string}>; close(): Promise<unknown>},
	Wanted extends Address,
>(
	{clock}: Pick<World, 'clock'>,
	options: {
		/** Whether the server, if there is one (`isServing`), must close now. */
		readonly mustClose: (isServing: boolean) => boolean;
		/** The address to listen on; `undefined`: none, for a reason that `wanted` has reported. Called while no server listens. */
		readonly wanted: () => Wanted | undefined;
		/** Makes a server for `wanted`. */
		readonly create: (wanted: Wanted) => Server | Promise<Server>;
		readonly onListening: (url: string) => void;
		readonly onRefused: (code: string, reason: string) => void;
		/** Called whenever a server has closed. */
		readonly onClosed?: () => Promise<void>;
		/** Called after the disposal. */
		readonly onEnd: () => void;
	},
): LiveListener<Server> {
	let server: Server | undefined;
	let listensOn: Address | undefined;
	let isOver = false;
	const retry = createTimer(clock);
	/** Serialises changes: one server closes before the next listens on its port. */
	const oneByOne = createMutex();
	const close = async () => {
		const stopping = server;
		server = undefined;
		listensOn = undefined;
		if (stopping) {
			await stopping.close();
			await options.onClosed?.();
		}
	};

	const follow = async () => {
		retry.cancel();
		if (options.mustClose(server !== undefined)) {
			await close();
		}

		const wanted = server || isOver ? undefined : options.wanted();
		if (!wanted) {
			return;
		}

		try {
			const candidate = await options.create(wanted);
			server = candidate;
			const {url} = await candidate.listen();
			listensOn = wanted;
			options.onListening(url);
		} catch (error) {
			server = undefined;
			options.onRefused(codeOf(error), messageOf(error));
			retry.set(retryMs, () => {
				void start();
			});
		}
	};

	const start = async () => oneByOne(follow);
	return {
		start,
		current: () => server,
		listensOn: () => listensOn,
		async [Symbol.asyncDispose]() {
			isOver = true;
			retry[Symbol.dispose]();
			await oneByOne(close);
			options.onEnd();
		},
	};
}
