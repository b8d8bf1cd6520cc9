import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import type {SteadyOrder, SteadyResult} from './steady-load.ts';

export type Load = AsyncDisposable & {
	/** What was sent and answered since the last report. */
	readonly report: () => Promise<SteadyResult>;
};

/** Starts `steady-load.ts` as a process of its own; disposal ends it. */
export function startLoad(order: SteadyOrder): Load {
	const child = fork(fileURLToPath(new URL('steady-load.ts', import.meta.url)), {execArgv: []});
	child.send(order);
	return {
		async report() {
			child.send('report');
			const [result] = (await once(child, 'message')) as [SteadyResult];
			return result;
		},
		async [Symbol.asyncDispose]() {
			if (child.connected) {
				const left = once(child, 'exit');
				child.disconnect();
				await left;
			}
		},
	};
}

/** The report, of a load of which nothing may fail. @throws Error */
export async function reportWhole({report}: Pick<Load, 'report'>): Promise<SteadyResult> {
	const result = await report();
	if (result.failed > 0) {
		throw new Error(`${result.failed} of ${result.sent} requests failed`);
	}

	return result;
}
