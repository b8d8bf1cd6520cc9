import {hasEnded} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';

/** After so long without anything but health samples the screen counts minutes, milliseconds: nothing that it shows by then counts seconds but its clock. */
const idleAfterMs = 15_000;

/** Changes of a health sample that are worth no frame while nothing else happens. */
const noticedRssBytes = 10e6;
const noticedDelayMs = 10;

/** Whether something is shown that counts seconds: down to a deadline, or since it began. */
const countsSeconds = ({
	approvals,
	groups,
	runs,
	servers,
	webhook,
	gateway,
}: GatewayState): boolean =>
	approvals.length > 0 ||
	webhook.state === 'starting' ||
	gateway.stopping ||
	!gateway.reachable ||
	groups.some(({state}) => state === 'pending') ||
	runs.some(({state}) => !hasEnded(state)) ||
	servers.some(({nextAttemptAt}) => nextAttemptAt !== undefined);

/** Whether nothing of `state` counts seconds, and nothing in it has changed since `changedAt`, milliseconds since 1970. */
export const isIdle = (
	state: GatewayState,
	{now, changedAt}: {readonly now: number; readonly changedAt: number},
): boolean => now - changedAt >= idleAfterMs && !countsSeconds(state);

/** Whether two states differ in the samples of the process's health at most. */
export const differInHealthAlone = (before: GatewayState, after: GatewayState): boolean =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a state has no other keys
	(Object.keys(after) as Array<keyof GatewayState>).every(
		key => key === 'health' || before[key] === after[key],
	);

/** Whether two health samples look so much alike that a frame for the later one is not worth its bytes. */
export function looksAlike(before: GatewayState['health'], after: GatewayState['health']): boolean {
	if (!before || !after) {
		return before === after;
	}

	return (
		before.requestsPerSecond === after.requestsPerSecond &&
		before.requestP95Ms === after.requestP95Ms &&
		Math.abs(before.rssBytes - after.rssBytes) < noticedRssBytes &&
		Math.abs(before.loopDelayP99Ms - after.loopDelayP99Ms) < noticedDelayMs
	);
}
