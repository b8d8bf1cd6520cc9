import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import type {LoadOrder, LoadResult} from './messages.ts';

/** The load generator, in a process of its own. */
export type Generator = {
	readonly run: (order: LoadOrder) => Promise<LoadResult>;
	readonly stop: () => void;
};

/** Starts one; it ends with `stop`, or with this process. */
export function startGenerator(): Generator {
	const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)), {execArgv: []});
	return {
		async run(order) {
			child.send(order);
			const [said] = (await once(child, 'message')) as [
				{ok: true; result: LoadResult} | {ok: false; error: string},
			];
			if (!said.ok) {
				throw new Error(said.error);
			}

			return said.result;
		},
		stop() {
			child.disconnect();
		},
	};
}
