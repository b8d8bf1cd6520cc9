import {type Clock, sleep} from '../../../core/clock.ts';
import {hasEnded} from '../../../core/run.ts';
import type {GatewayPort} from '../../../gateway/port.ts';
import {type Scene, scenes} from './recorded.ts';
import {send} from './sending.ts';

const firstMs = 2500;

/** From scene to scene; a little longer each time, then short again, so that it does not tick like a clock. */
const pausesMs = [7000, 11_000, 9000, 14_000] as const;

const betweenMs = 350;

/** Calls that wait for a person at a time. */
export const maxWaiting = 3;

/** With more runs under way, or waiting for their turn, nothing new is started. */
const maxRuns = 6;

/** Whose runs wait for a login, perhaps for ever. */
const lockedRoute = 'leads';

/** Whether `scene` may begin now. */
export function mayPlay(
	{sends, asks = false}: Scene,
	port: Pick<GatewayPort, 'getState'>,
): boolean {
	const {runs, gateway} = port.getState();
	const open = runs.filter(({state}) => !hasEnded(state));
	const locked = open.filter(({route}) => route === lockedRoute).length;
	const atWork = open.length - locked;
	// Each run at work may ask, one call at a time.
	const most = asks ? maxWaiting : maxRuns;
	return (
		!gateway.stopping &&
		atWork < most &&
		!(locked > 0 && sends.some(({route}) => route === lockedRoute))
	);
}

/** Sends traffic at a gentle pace until `signal` aborts; what would pile up is left out. */
export async function playScenes(
	port: Pick<GatewayPort, 'getState'>,
	{clock, url, signal}: {readonly clock: Clock; readonly url: string; readonly signal: AbortSignal},
): Promise<void> {
	let count = 0;
	await sleep(clock, firstMs, signal);
	for (const scene of scenes()) {
		for (const sending of mayPlay(scene, port) ? scene.sends : []) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await send(sending, {clock, url, signal});
			// oxlint-disable-next-line no-await-in-loop
			await sleep(clock, betweenMs, signal);
		}

		// oxlint-disable-next-line no-await-in-loop
		await sleep(clock, pausesMs[count++ % pausesMs.length] ?? firstMs, signal);
	}
}
