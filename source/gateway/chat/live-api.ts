import {isDeepStrictEqual} from 'node:util';
import type {ApiServer} from '../../api/api-server.ts';
import type {ApiConfig} from '../../config/config.ts';
import type {ApiState} from '../../core/state.ts';
import type {World} from '../../core/world.ts';
import {createLiveListener, type LiveListener} from '../../http/live-listener.ts';

export type LiveApi = LiveListener<ApiServer>;

/** Serves the chat API as the configuration says, and reports where it stands. Refused, it leaves the rest of the gateway running. @see manual/chat-api.md#settings */
export function createLiveApi(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly config: () => ApiConfig;
		/** Why the configuration as a whole cannot be used, if so. */
		readonly brokenBy: () => string | undefined;
		/** Makes a server for the host and port as configured now. */
		readonly create: (config: ApiConfig) => Promise<ApiServer>;
		readonly onListening?: () => void;
	},
): LiveApi {
	const {clock, emit, log, config, brokenBy, create, onListening} = world;
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

	const broken = () => brokenBy() ?? config().broken;
	return createLiveListener<ApiServer, ApiConfig>(world, {
		// What is served goes on while the configuration is broken.
		mustClose: isServing => isServing && !config().enabled && broken() === undefined,
		wanted() {
			const api = config();
			const problem = broken();
			if (!api.enabled) {
				report({state: 'disabled'});
				return undefined;
			}

			if (problem !== undefined) {
				refuse('config_invalid', problem);
				return undefined;
			}

			return api;
		},
		create,
		onListening(url) {
			log.note(`The chat API listens on ${url}`);
			report({state: 'listening', url});
			onListening?.();
		},
		onRefused: refuse,
		onEnd() {
			report({state: 'closed'});
		},
	});
}
