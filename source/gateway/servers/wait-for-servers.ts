import {type Clock, within} from '../../core/clock.ts';
import type {ServerManager} from '../../mcp/contract.ts';

/** Longest wait of a run for connecting servers, milliseconds. */
const maxWaitMs = 60_000;

/** A longer wait is reported, milliseconds. */
const noticeMs = 1000;

/** Which servers are waited for. */
export type ServerWait = {
	/** All servers when absent. */
	readonly isNeeded?: (server: string) => boolean;
	/** Called at most once, after a second, with the servers that are still connecting. Must not throw. */
	readonly onWait?: (wait: {readonly servers: readonly string[]; readonly mostMs: number}) => void;
};

/** The needed servers that are connecting. */
export const connecting = (
	manager: ServerManager,
	{isNeeded = () => true}: ServerWait,
): readonly string[] =>
	manager
		.views()
		.filter(({name, status}) => status === 'connecting' && isNeeded(name))
		.map(({name}) => name);

/** Resolves with whether every needed server has connected or failed once within a minute. Rejects with the reason of `signal`. */
export async function readyInTime(
	manager: ServerManager,
	{clock, signal, ...wait}: ServerWait & {readonly clock: Clock; readonly signal: AbortSignal},
): Promise<boolean> {
	const late = new AbortController();
	const cancel = clock.after(maxWaitMs, () => late.abort());
	const cancelNotice = clock.after(noticeMs, () => {
		const servers = connecting(manager, wait);
		if (servers.length > 0) {
			wait.onWait?.({servers, mostMs: maxWaitMs});
		}
	});
	const either = AbortSignal.any([signal, late.signal]);
	try {
		await within(manager.ready(either, wait.isNeeded), either);
		return true;
	} catch (error) {
		signal.throwIfAborted();
		if (!late.signal.aborted) {
			throw error;
		}

		return false;
	} finally {
		cancel();
		cancelNotice();
	}
}
