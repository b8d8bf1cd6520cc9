import {isDeepStrictEqual} from 'node:util';
import type {ApiServer} from '../../api/api-server.ts';
import type {ApiConfig} from '../../config/config.ts';
import {createTimer} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import {createMutex} from '../../core/mutex.ts';
import type {ApiState} from '../../core/state.ts';
import type {World} from '../../core/world.ts';

/** A busy port may become free: it is tried again this often. */
const retryMs = 15_000;

export type LiveApi = {
	/** Listens, or says why not; after a change of the configuration, too. Never rejects. */
	start(): Promise<void>;
	/** The host and the port that it was asked to listen on, if it listens. */
	listensOn(): Pick<ApiConfig, 'host' | 'port'> | undefined;
	/** Drains and closes. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** Serves the chat API as the configuration says, and reports where it stands. Refused, it leaves the rest of the gateway running. @see manual/chat-api.md#settings */
export function createLiveApi({
	clock,
	emit,
	log,
	config,
	brokenBy,
	create,
	onListening = () => {},
}: Pick<World, 'clock' | 'emit' | 'log'> & {
	readonly config: () => ApiConfig;
	/** Why the configuration as a whole cannot be used, if so. */
	readonly brokenBy: () => string | undefined;
	/** Makes a server for the host and port as configured now. */
	readonly create: (config: ApiConfig) => Promise<ApiServer>;
	readonly onListening?: () => void;
}): LiveApi {
	let server: ApiServer | undefined;
	let listensOn: Pick<ApiConfig, 'host' | 'port'> | undefined;
	const retry = createTimer(clock);
	let closed = false;
	let state: ApiState = {state: 'starting'};

	const report = (next: ApiState) => {
		if (!isDeepStrictEqual(next, state)) {
			state = next;
			emit({type: 'api-changed', at: clock.now(), api: next});
		}
	};

	const refuse = (code: string, reason: string) => {
		if (state.state !== 'refused' || state.reason !== reason) {
			log.error(`The chat API is not served (${code}): ${reason}`);
			report({state: 'refused', code, reason, since: clock.now()});
		}
	};

	const close = async () => {
		const stopping = server;
		server = undefined;
		listensOn = undefined;
		await stopping?.close();
	};

	const follow = async () => {
		retry.cancel();
		const api = config();
		const broken = brokenBy() ?? api.broken;
		// What is served goes on while the configuration is broken.
		if (!api.enabled && (broken === undefined || !server)) {
			await close();
			report({state: 'disabled'});
		}

		if (server || closed || !api.enabled) {
			return;
		}

		if (broken !== undefined) {
			refuse('config_invalid', broken);
			return;
		}

		try {
			const candidate = await create(api);
			const {url} = await candidate.listen();
			server = candidate;
			listensOn = api;
			log.note(`The chat API listens on ${url}`);
			report({state: 'listening', url});
			onListening();
		} catch (error) {
			refuse(codeOf(error), messageOf(error));
			retry.set(retryMs, () => {
				void start();
			});
		}
	};

	/** One after the other: what has to close has closed before the next listens on its port. */
	const oneByOne = createMutex();
	const start = async () => oneByOne(follow);
	return {
		start,
		listensOn: () => listensOn,
		async [Symbol.asyncDispose]() {
			closed = true;
			retry[Symbol.dispose]();
			await oneByOne(close);
			report({state: 'closed'});
		},
	};
}
