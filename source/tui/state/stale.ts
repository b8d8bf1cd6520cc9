import type {Snapshot} from './feed.ts';

/** Milliseconds of silence after which what is shown is called stale: the gateway samples itself each second. */
export const staleAfterMs = 5000;

/** How long nothing was heard from a gateway that reports each second, or is lost, milliseconds; `undefined` while it is fresh. */
export function staleFor({state, now, heardAt}: Snapshot): number | undefined {
	const silentMs = now - heardAt;
	return !state.gateway.reachable || (state.health && silentMs > staleAfterMs)
		? silentMs
		: undefined;
}
