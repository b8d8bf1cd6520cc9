import {createTimer} from '../core/clock.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import {createMutex} from '../core/mutex.ts';
import type {World} from '../core/world.ts';
import type {Address} from './listen.ts';

/** A busy port may become free: it is tried again this often. */
const retryMs = 15_000;

/** A server that listens when the configuration says so. */
export type LiveListener<Server> = {
	/** Listens, or says why not; after a refusal or a change of the configuration, too: one that switched it off closes it. Never rejects. */
	start(): Promise<void>;
	/** The server that listens, if one does. */
	current(): Server | undefined;
	/** The host and the port that it was asked to listen on, if it listens. */
	listensOn(): Address | undefined;
	/** Drains and closes. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** Keeps one server as the configuration wants it, and tries again while its port cannot be had. */
export function createLiveListener<
	Server extends {listen(): Promise<{readonly url: string}>; close(): Promise<unknown>},
	Wanted extends Address,
>(
	{clock}: Pick<World, 'clock'>,
	options: {
		/** Whether one that serves has to close now. */
		readonly mustClose: (isServing: boolean) => boolean;
		/** What to listen on; `undefined`: nothing, which it has reported. Asked while none serves. */
		readonly wanted: () => Wanted | undefined;
		/** Makes a server for the host and port as configured now. */
		readonly create: (wanted: Wanted) => Server | Promise<Server>;
		readonly onListening: (url: string) => void;
		readonly onRefused: (code: string, reason: string) => void;
		/** Each time that a server has closed: nothing comes in any more. */
		readonly onClosed?: () => Promise<void>;
		/** Disposal has closed it for good. */
		readonly onEnd: () => void;
	},
): LiveListener<Server> {
	let server: Server | undefined;
	let listensOn: Address | undefined;
	let isOver = false;
	const retry = createTimer(clock);
	/** One after the other: what has to close has closed before the next listens on its port. */
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
